// an object made an heir through a default parameter
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const o = {}; const g = (x = o) => { x[P] = () => {} }; g(); const f = o[K]('console.log("REACHED")'); f()
