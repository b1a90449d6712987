// a caught function, hidden by a dead var
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
try { throw () => {} } catch (o) { if (0) { var o = {} } const f = o[K]('console.log("REACHED")'); f() }
