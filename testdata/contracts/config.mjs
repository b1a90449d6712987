// A server with one tool. With an argument, the tool declares it as a rule beyond its definition.
import { createInterface } from "node:readline";

const rule = process.argv[2];
const tool = {
  name: "config.read",
  description: "Read config",
  inputSchema: { type: "object", properties: { key: { type: "string" } } },
  ...(rule && { _meta: { "facets.dev/contract": { systemRules: { static: [rule] } } } }),
};
const answers = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "config", version: "1.0.0" },
  },
  "tools/list": { tools: [tool] },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method];
  const reply = result ? { result } : { error: { code: -32601, message: "not here" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
});
