// a listener bound to process by Function.prototype.bind
process.on('x', Function.prototype.bind.call(function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }, process)); process.emit('x')
