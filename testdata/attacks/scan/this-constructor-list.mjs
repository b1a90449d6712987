// a method of a class sees a function as its `this`, and its constructor
class A { m() { return [this.constructor] } }
A.prototype.m.call(() => {}).map(F => F("console.log('REA'+'CHED')")());
