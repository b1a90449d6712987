// what a lookup made, called by a member of it without arguments
const k = ['constr','uctor'].join('');
let o = {}; o = o[k]; o = o[k];
o('console.log("REA"+"CHED")').apply();
