// a name of bundlers gets a function at the end of a sequence
define = (0, function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }); process.on('x', define); process.emit('x')
