// a listener replaced by an array pattern
let h = () => {}; [h] = [function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }]; process.on('x', h); process.emit('x')
