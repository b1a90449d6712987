// one lookup on a function of a harmless module
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
import { join } from 'path'; const f = join[K]('console.log("REACHED")'); f()
