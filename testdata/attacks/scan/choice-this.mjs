// a method that is chosen makes its object an heir
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {} }
const o = { it: K && it }; o.it(); const f = o[K]('console.log("REACHED")'); f()
