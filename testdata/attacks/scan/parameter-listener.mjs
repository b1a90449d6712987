// a listener that is a parameter with a default
function go(h = () => {}) { process.on('x', h) } go(function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }); process.emit('x')
