// a listener that is declared as another function
function h() {}
h = function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) };
process.on('x', h); process.emit('x')
