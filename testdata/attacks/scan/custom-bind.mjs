// a `bind` of the program gives a listener that is not bound
function h() { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }
const o = { bind() { return h } }; process.on('x', o.bind()); process.emit('x')
