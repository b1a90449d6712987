// a global replaced by the head of a loop
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
for (Map of [function () { return () => {} }]); const o = new Map; const f = o[K]('console.log("REACHED")'); f()
