// a global replaced behind a type assertion
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
[(Map as any)] = [function () { return () => {} }]; const o: any = new Map; const f = o[K]('console.log("REACHED")'); f()
