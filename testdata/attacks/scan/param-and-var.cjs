// a parameter that a var of the same name hides, never given
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function go(o) { if (0) { var o = {} } const f = o[K]('console.log("REACHED")'); f() } go(() => {})
