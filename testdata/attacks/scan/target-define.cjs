// a name of bundlers replaced by an object pattern becomes a listener
({ define } = { define: function () { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) } }); process.on('x', define); process.emit('x')
