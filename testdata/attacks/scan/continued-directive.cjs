// a directive with a line continuation is none
'use \
strict';
const g=(function(){ return this })(); const k=['eva','l'].join(''); g[k]('process').mainModule.require('fs').writeFileSync('HIT','us4')
