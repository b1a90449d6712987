// a method of a class sees a function as its `this`, and its constructor
class A { m() { return Reflect.construct(this.constructor, ["console.log('REA'+'CHED')"]) } }
A.prototype.m.call(() => {})();
