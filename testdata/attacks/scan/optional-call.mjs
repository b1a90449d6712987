// a lookup called by optional call
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
const o = own(); const f = o?.[K]?.call?.(0, 'console.log("REACHED")'); f?.(); function own() { return own }
