// one lookup on import.meta.resolve
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const f = import.meta.resolve[K]('console.log("REACHED")'); f()
