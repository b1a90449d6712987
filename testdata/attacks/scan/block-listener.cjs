// a listener that a function of a block replaces
var h = () => {}; { function h() { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) } } process.on('x', h); process.emit('x')
