// the same under another name
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const M = Map; const f = M[K]('console.log("REACHED")'); f()
