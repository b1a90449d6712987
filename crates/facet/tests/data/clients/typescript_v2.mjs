// The client of the TypeScript SDK, second line: typescript_v2.mjs SCENARIO MODE COMMAND ARGUMENT...
//
// MODE is `legacy`, `auto`, or the version to insist on. CLIENTS is the folder with its package.

import { createRequire } from "node:module";
import * as scenarios from "./scenarios.mjs";

const require = createRequire(`${process.env.CLIENTS}/`);
const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const [scenario, mode, command, ...args] = process.argv.slice(2);
const { FACET_DIR } = process.env;

const versionNegotiation = { mode: ["legacy", "auto"].includes(mode) ? mode : { pin: mode } };
const client = new Client(
  { name: "typescript-v2", version: "1" },
  { capabilities: scenarios.CAPABILITIES, versionNegotiation },
);
for (const [method, answer] of Object.entries(scenarios.answers)) {
  client.setRequestHandler(method, answer);
}
for (const [method, ear] of Object.entries(scenarios.ears)) {
  client.setNotificationHandler(method, ear);
}

const call = (name, parameters, options, meta) =>
  client.callTool({ name, arguments: parameters, ...(meta && { _meta: meta }) }, options);

const transport = new StdioClientTransport({ command, args, env: FACET_DIR && { FACET_DIR } });
await scenarios.play(client, transport, () => scenarios[scenario](client, call));
