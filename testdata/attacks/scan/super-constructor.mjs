// a method of a class sees a function as its `this`, and its constructor
function P() {}
P.prototype = () => {};
class A extends P { m() { return new super.constructor("console.log('REA'+'CHED')") } }
new A().m()();
