// a listener that is an arrow only by default
const go = (h = () => {}) => process.on('x', h); go(function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }); process.emit('x')
