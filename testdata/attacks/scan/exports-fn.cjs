// `exports` becomes a function, then one lookup
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
'use strict'; exports = () => {}; const f = exports[K]('console.log("REACHED")'); f()
