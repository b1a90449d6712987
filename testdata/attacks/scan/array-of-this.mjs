// a function in a list makes the list an heir through `this`
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {} }
const o = Array.of(it); o[0](); const f = o[K]('console.log("REACHED")'); f()
