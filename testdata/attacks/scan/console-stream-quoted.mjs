// the stream behind a console under a quoted name, or by a pattern
const s = console['_stdout']; if (typeof s.connect === 'function') console.log('REA'+'CHED');
