// a static `bind` that gives a listener that is not bound
const o = { f: function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) } }; class B { static bind() { return o.f } }
process.on('x', B.bind()); process.emit('x')
