// a function that gets a `bind` of its own
function h() {} h.bind = () => function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }; process.on('x', h.bind()); process.emit('x')
