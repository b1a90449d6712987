// one lookup on a global function that few think of
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const f = structuredClone[K]('console.log("REACHED")'); f()
