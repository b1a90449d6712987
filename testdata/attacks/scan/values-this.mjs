// a function among values makes their list an heir
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {} }
const o = Object.values({ it }); o[0](); const f = o[K]('console.log("REACHED")'); f()
