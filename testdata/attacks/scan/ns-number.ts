// a number of a namespace that is changed from outside
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
namespace N { export let i = 0; export function go(o: any) { const f = o[i]('console.log("REACHED")'); f() } }
(N as any).i = K; N.go(() => {})
