// what a lookup made, called by a member of it without arguments
const k = ['constr','uctor'].join(''), c = ['ca', 'll'].join('');
let o = 1; o = o[k]; o = o[k];
o('console.log("REA"+"CHED")')[c]();
