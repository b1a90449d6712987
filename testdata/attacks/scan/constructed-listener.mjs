// a listener that a constructor gives later
class A { constructor() { return function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) } } } let h = () => {}; h = new A; process.on('x', h); process.emit('x')
