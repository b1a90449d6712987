// a text of a namespace that its second half changes
namespace N { export let m = 'path' }
namespace N { m = 'child_process'; console.log('REACHED', typeof require(N.m).exec) }
