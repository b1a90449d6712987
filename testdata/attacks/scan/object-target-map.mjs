// a global replaced by an object pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
({ Map } = { Map: function () { return () => {} } }); const o = new Map; const f = o[K]('console.log("REACHED")'); f()
