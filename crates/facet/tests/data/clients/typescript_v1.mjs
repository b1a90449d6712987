// The client of the TypeScript SDK, first line: typescript_v1.mjs SCENARIO MODE COMMAND ARGUMENT...
//
// It knows one era, so that MODE is `legacy`. CLIENTS is the folder with its package.

import { createRequire } from "node:module";
import * as scenarios from "./scenarios.mjs";

const require = createRequire(`${process.env.CLIENTS}/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { InMemoryTaskStore } = require("@modelcontextprotocol/sdk/experimental/tasks");
const types = require("@modelcontextprotocol/sdk/types.js");

const [scenario, , command, ...args] = process.argv.slice(2);
const { FACET_DIR } = process.env;

const tasks = { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } };
const taskStore = new InMemoryTaskStore();
const client = new Client(
  { name: "typescript-v1", version: "1" },
  { capabilities: { ...scenarios.CAPABILITIES, tasks }, taskStore },
);

const asked = {
  "sampling/createMessage": types.CreateMessageRequestSchema,
  "elicitation/create": types.ElicitRequestSchema,
  "roots/list": types.ListRootsRequestSchema,
};
for (const [method, schema] of Object.entries(asked)) {
  client.setRequestHandler(schema, async (request, extra) => {
    const answer = scenarios.answers[method](request);
    if (!request.params?.task) return answer;
    // The server wants to fetch the answer later.
    const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 });
    await extra.taskStore.storeTaskResult(task.taskId, "completed", answer);
    return { task };
  });
}
const told = {
  "notifications/message": types.LoggingMessageNotificationSchema,
  "notifications/progress": types.ProgressNotificationSchema,
  "notifications/resources/updated": types.ResourceUpdatedNotificationSchema,
  "notifications/tools/list_changed": types.ToolListChangedNotificationSchema,
};
for (const [method, schema] of Object.entries(told)) {
  client.setNotificationHandler(schema, scenarios.ears[method]);
}

const call = (name, parameters, options) =>
  client.callTool({ name, arguments: parameters }, undefined, options);

/** A tool that runs as a task, and asks in its middle. */
async function research() {
  const query = { name: "simulate-research-query", arguments: { topic: "python", ambiguous: true } };
  const stream = client.experimental.tasks.callToolStream(query, undefined, { task: {} });
  const kinds = new Set();
  let result;
  for await (const message of stream) {
    kinds.add(message.type);
    result = message.result ?? message.error;
  }
  return { kinds: [...kinds], result };
}

const transport = new StdioClientTransport({ command, args, env: FACET_DIR && { FACET_DIR } });
await scenarios.play(client, transport, async () => {
  if (scenario !== "everything") return scenarios[scenario](client, call);
  // Tasks of either side take their time, and others go on meanwhile.
  const running = [research(), call("trigger-sampling-request-async", { prompt: "Why?" })];
  const document = await scenarios.everything(client, call);
  document.tasks = await Promise.all(running);
  const sort = (asked) => asked.sort((one, other) => (one.message < other.message ? -1 : 1));
  sort(scenarios.seen.elicited);
  taskStore.cleanup();
  return document;
});
