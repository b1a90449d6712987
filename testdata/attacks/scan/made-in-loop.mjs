// what a lookup made, called by a member of it without arguments
const k = ['constr','uctor'].join('');
let o = 1;
for (let i = 0; i < 2; i++) o = o[k];
o('console.log("REA"+"CHED")').call();
