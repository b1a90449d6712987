// one lookup on a class behind a private name
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
class A { static #x = class {}; static get() { return A.#x } } const f = A.get()[K]('console.log("REACHED")'); f()
