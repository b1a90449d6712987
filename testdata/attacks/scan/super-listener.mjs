// a listener that sees `process` through super
const b = { go() { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) } };
const o = { __proto__: b, go() { super.go() } }; process.on('x', o.go)
process.emit('x')
