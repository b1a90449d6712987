// a division by await in a script is a regular expression in a module
var a=1,g=1;
typeof await /a; eval("process").getBuiltinModule("fs").writeFileSync("HIT","") /g;
