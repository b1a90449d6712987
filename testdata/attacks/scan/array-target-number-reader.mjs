// a global that only reads, replaced by an array pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
[Number] = [F => F('console.log("REACHED")')()]; const o = own(); Number(o[K]); function own() { return own }
