// the arguments of a module, seen by an arrow
(() => { for (const r of arguments) if (typeof r === 'function') r('fs').writeFileSync('HIT','arrowargs3') })()
