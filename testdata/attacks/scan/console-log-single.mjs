// one lookup on a method of a global
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const f = console.log[K]('console.log("REACHED")'); f()
