// a key that is a parameter, and a number by a dead var
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function go(o, i) { if (0) { var i = 0 } const f = o[i]('console.log("REACHED")'); f() } go(() => {}, K)
