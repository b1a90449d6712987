// an object made an heir by an array pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const o = {}; [o[P]] = [() => {}]; const f = o[K]('console.log("REACHED")'); f()
