// a function that gets a `bind` of its own under a computed name
function h() {} h[['bi', 'nd'].join('')] = () => function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }; process.on('x', h.bind()); process.emit('x')
