// a method from outside, called by a template, makes its object an heir
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {}; return 'x' }
const o = { toString: it }; `${o}`; const f = o[K]('console.log("REACHED")'); f()
