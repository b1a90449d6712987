// a global replaced by the default of a pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
[Map = function () { return () => {} }] = []; const o = new Map; const f = o[K]('console.log("REACHED")'); f()
