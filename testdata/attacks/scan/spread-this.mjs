// a method that is spread into an object makes it an heir
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {} }
const from = { it }; const o = { ...from }; o.it(); const f = o[K]('console.log("REACHED")'); f()
