// the cause of an error makes the error an heir
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {} }
const o = new Error('', { cause: it }); o.cause(); const f = o[K]('console.log("REACHED")'); f()
