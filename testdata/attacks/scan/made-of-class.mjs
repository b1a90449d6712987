// what a lookup made, called by a member of it without arguments
const k = ['constr','uctor'].join('');
class A { static x = 1 }
let o = new A(); o = o[k]; o = o[k];
o('console.log("REA"+"CHED")').call();
