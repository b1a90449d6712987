// a global replaced by the rest of a pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
[...Map] = [1]; [{ Map = 1 }] = [{ Map: function () { return () => {} } }]; const o = new Map; const f = o[K]('console.log("REACHED")'); f()
