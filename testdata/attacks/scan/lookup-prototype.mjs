// from a lookup by prototype to the constructor
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const o = own(); const F = o[K]; F.prototype.constructor('console.log("REACHED")')(); function own() { return own }
