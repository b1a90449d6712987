// an object made an heir by the head of a loop
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const o = {}; for (o[P] of [() => {}]); const f = o[K]('console.log("REACHED")'); f()
