// the stream behind a console under a quoted name, or by a pattern
const { _stdout: s } = console; if (typeof s.connect === 'function') console.log('REA'+'CHED');
