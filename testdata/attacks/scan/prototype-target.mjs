// what every object has, changed by a pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
[Object.prototype.x] = [function () { this[P] = () => {} }]; const o = {}; o.x(); const f = o[K]('console.log("REACHED")'); f()
