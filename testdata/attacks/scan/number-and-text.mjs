// a number that becomes a text by &&=
const k=['constr','uctor'].join('');
let i=1; i &&= k; const m=parseInt[i]('process.getBuiltinModule("fs").writeFileSync("HIT","andassign")'); m()
