// a method of a class sees a function as its `this`, and its constructor
class A { get c() { return this.constructor } }
class B extends A { constructor() { super(); } }
class R { constructor() { return () => {} } }
class S extends R { c = this.constructor }
const { c: F } = new S();
F("console.log('REA'+'CHED')")();
