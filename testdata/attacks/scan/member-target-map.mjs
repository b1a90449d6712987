// a member of the global object replaced by an array pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
[globalThis.Map] = [function () { return () => {} }]; const o = new Map; const f = o[K]('console.log("REACHED")'); f()
