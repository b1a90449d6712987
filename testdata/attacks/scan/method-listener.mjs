// a listener that a method gives later
const o = { get: () => function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) } }; let h = () => {}; h = o.get(); process.on('x', h); process.emit('x')
