// a proxy lists a name, and the runtime looks it up
const k = ['constr','uctor'].join('');
const p = new Proxy(() => {}, { ownKeys: () => [k], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) });
const [F] = Object.values(p);
F('console.log("REA"+"CHED")')();
