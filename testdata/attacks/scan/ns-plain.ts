// an object of a namespace that is changed from outside
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
namespace N { export const o: any = {}; export function go() { const f = o[K]('console.log("REACHED")'); f() } }
(N as any).o = () => {}; N.go()
