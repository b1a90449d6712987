// a listener that is an arrow only by a default of a pattern
const { h = () => {} } = { h: function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) } }; process.on('x', h); process.emit('x')
