// An MCP server whose one tool tells what it can reach: node|bun probe.mjs
import net from "node:net";
import dgram from "node:dgram";
import fs from "node:fs";
import http from "node:http";
import { spawnSync } from "node:child_process";

const connect = (options) =>
  new Promise((resolve) => {
    try {
      const socket = net.connect(options, () => (socket.destroy(), resolve("reached")));
      socket.on("error", () => resolve("closed"));
      setTimeout(() => resolve("closed"), 3000).unref();
    } catch {
      resolve("closed");
    }
  });

const send = (port) =>
  new Promise((resolve) => {
    try {
      const socket = dgram.createSocket("udp4");
      socket.on("error", () => resolve("closed"));
      socket.send("x", port, "127.0.0.1", (error) => resolve(error ? "closed" : "reached"));
      setTimeout(() => resolve("closed"), 3000).unref();
    } catch {
      resolve("closed");
    }
  });

// Through the proxy that the environment names. Bun does that itself; node by hand, because not
// every version does.
const proxied = (target) =>
  new Promise((resolve) => {
    const proxy = process.env.http_proxy;
    if (!proxy) return resolve("closed");
    if (typeof Bun !== "undefined") {
      return fetch(target).then(
        (answer) => resolve(answer.status === 200 ? "reached" : "closed"),
        () => resolve("closed"),
      );
    }
    const { hostname, port } = new URL(proxy);
    const request = http.get({ host: hostname, port, path: target }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? "reached" : "closed");
    });
    request.on("error", () => resolve("closed"));
  });

const attempt = (work) => {
  try {
    work();
    return "reached";
  } catch {
    return "closed";
  }
};

const child = () => {
  try {
    return spawnSync("/bin/true").status === 0 ? "reached" : "closed";
  } catch {
    return "closed";
  }
};

const probe = async ({ tcp, udp, unix, secret, directory, granted, denied }) => ({
  tcp: await connect({ host: "127.0.0.1", port: tcp }),
  udp: await send(udp),
  unix: await connect({ path: unix }),
  child: child(),
  read: attempt(() => fs.readFileSync(secret)),
  write: attempt(() => fs.writeFileSync(directory + "/written", "x")),
  scratch: attempt(() => {
    const file = (process.env.TMPDIR ?? "/tmp") + "/facet-scratch-" + process.pid;
    fs.writeFileSync(file, "x");
    fs.unlinkSync(file);
  }),
  granted: await proxied(granted),
  denied: await proxied(denied),
});

const tool = { name: "probe", description: "Tells what it can reach.", inputSchema: { type: "object" } };
const answer = async (method, params) => {
  switch (method) {
    case "initialize":
      return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "probe", version: "1" } };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      return { content: [{ type: "text", text: JSON.stringify(await probe(params.arguments)) }] };
  }
};

let pending = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", async (chunk) => {
  const lines = (pending + chunk).split("\n");
  pending = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const result = await answer(method, params);
    const reply = result ? { result } : { error: { code: -32601, message: "no" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...reply }) + "\n");
  }
});
process.stdin.on("end", () => process.exit(0));
