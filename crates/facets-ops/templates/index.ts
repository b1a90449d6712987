// An MCP server without dependencies: JSON-RPC, one message a line, on standard input and output.
// Replace the tool below with your own; everything else can stay.

const tool = {
  name: "greet",
  description: "Greets a person by name.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", description: "Whom to greet" } },
    required: ["name"],
    additionalProperties: false,
  },
};

function call(name: string, args: { name?: unknown }) {
  if (name !== tool.name) throw { code: -32602, message: `unknown tool: ${name}` };
  if (typeof args?.name !== "string") throw { code: -32602, message: "name must be a string" };
  return { content: [{ type: "text", text: `Hello, ${args.name}!` }] };
}

function answer(method: string, params: any) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion ?? "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "{{name}}", version: "0.1.0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      return call(params?.name, params?.arguments);
    default:
      throw { code: -32601, message: `unknown method: ${method}` };
  }
}

function respond(line: string) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return; // a notification wants no answer
  let reply: object;
  try {
    reply = { result: answer(method, params) };
  } catch (error: any) {
    reply = { error: { code: error.code ?? -32603, message: String(error.message) } };
  }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...reply }) + "\n");
}

let pending = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (pending + chunk).split("\n");
  pending = lines.pop() ?? "";
  for (const line of lines) if (line.trim() !== "") respond(line);
});
