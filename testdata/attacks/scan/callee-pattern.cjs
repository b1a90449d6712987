// the caller of a function under a quoted name, or by a pattern
function leak() { const { callee: { caller: { arguments: [, r] } } } = arguments; return r }
console.log('REA'+'CHED', leak()('fs').readFileSync('/etc/hostname', 'utf8'));
