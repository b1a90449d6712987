// a function in a constructed list makes it an heir
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {} }
const o = new Array(it); o[0](); const f = o[K]('console.log("REACHED")'); f()
