// an iterator from outside makes its object an heir through `this`
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {}; return [][Symbol.iterator]() }
const o = { [Symbol.iterator]: it }; [...o]; const f = o[K]('console.log("REACHED")'); f()
