// one lookup on a global that is a function
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const f = Map[K]('console.log("REACHED")'); f()
