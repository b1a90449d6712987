// a global that gives texts, replaced by an array pattern
var K = ['constr', 'uctor'].join(''), P = ['__pro', 'to__'].join('');
[String] = [() => () => {}]; const f = String('')[K]('console.log("REACHED")'); f()
