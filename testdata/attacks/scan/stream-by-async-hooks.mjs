// the hooks of asynchronous work are shown the socket behind a console
import { createHook } from "node:async_hooks";
let socket;
createHook({
  init(id, type, trigger, resource) {
    if (type !== "TickObject") return;
    for (const argument of resource.args ?? []) {
      const stream = argument?.stream ?? argument;
      if (stream?.connect) socket = stream;
    }
  },
}).enable();
console.log("x");
setTimeout(() => { socket._handle = null; socket.connect(9, "127.0.0.1"); }, 50);
