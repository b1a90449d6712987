const tools = "TOOLS";

const call = ({ name, arguments: values }) => {
  if (name === 'env') return JSON.stringify(process.env);
  if (name === 'echo') return JSON.stringify(values ?? {});
  return `called ${name}`;
};

const serverInfo = { name: 'test-server', version: '1.0.0' };
const methods = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': (params) => {
    if (!tools.some(({ name }) => name === params.name)) {
      throw { code: -32602, message: `unknown tool: ${params.name}` };
    }
    return { content: [{ type: 'text', text: call(params) }] };
  },
};

const answer = ({ method, params }) => {
  if (!Object.hasOwn(methods, method)) {
    return { error: { code: -32601, message: `method not found: ${method}` } };
  }
  try {
    return { result: methods[method](params ?? {}) };
  } catch ({ code, message }) {
    return { error: { code: code ?? -32603, message } };
  }
};

const receive = (line) => {
  const message = JSON.parse(line);
  const isRequest = message.id !== undefined && message.method !== undefined;
  if (!isRequest) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) }) + '\n');
};

let pending = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (pending + text).split('\n');
  pending = lines.pop();
  lines.filter((line) => line.trim() !== '').forEach(receive);
});
// Not before everything is written.
process.stdin.on('end', () => process.stdout.write('', () => process.exit(0)));
