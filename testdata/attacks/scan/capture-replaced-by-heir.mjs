// what replaces captureStackTrace under another name is shown a constructor
class E2 extends Error { m() { Error.captureStackTrace(this, this.constructor) } }
Object.getPrototypeOf(E2).captureStackTrace = (a, F) => F('console.log("REA"+"CHED")')();
E2.prototype.m.call(() => {});
