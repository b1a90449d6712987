// a comment of HTML in a script hides the beginning of another
var y=1; y<!--y /*
eval("process").getBuiltinModule("fs").writeFileSync("HIT","");
// */
