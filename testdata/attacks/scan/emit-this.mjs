// a listener put on process by a method of EventEmitter
import { EventEmitter } from 'events'; function h() { console.log('REACHED', typeof this.getBuiltinModule('child_process').exec) }
EventEmitter.prototype.on.call(process, 'x', h); process.emit('x')
