// a function among entries makes their object an heir through `this`
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
function it() { this[P] = () => {} }
const o = Object.fromEntries([['it', it]]); o.it(); const f = o[K]('console.log("REACHED")'); f()
