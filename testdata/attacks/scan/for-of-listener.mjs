// a listener replaced by the head of a loop
let h = () => {}; for (h of [function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }]); process.on('x', h); process.emit('x')
