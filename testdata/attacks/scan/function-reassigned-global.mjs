// a function that gets another value and becomes a global
function h() {}
h = function () { return this };
globalThis.me = h; console.log('REACHED', typeof globalThis.me().fetch)
