// the end of a comment of HTML hides the beginning of another
var y=1
--> y /*
eval("process").getBuiltinModule("fs").writeFileSync("HIT","");
// */
