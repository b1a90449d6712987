// What the TypeScript SDK makes of messages: one a line in hex, the facts of each a line.
// Its first argument is the folder of packages.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.argv[2] + "/");
const { deserializeMessage } = require("@modelcontextprotocol/sdk/shared/stdio.js");

function scalar(value) {
  if (value === null) return "null";
  if (typeof value === "boolean") return `bool ${value}`;
  if (typeof value === "number") {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value + 0);
    return "number " + bytes.toString("hex");
  }
  if (typeof value === "string") {
    const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
    return "text " + units.map((unit) => unit.toString(16).padStart(4, "0")).join("");
  }
  return Array.isArray(value) ? "array" : "object";
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const member = (object, name) => (Object.hasOwn(object, name) ? scalar(object[name]) : "absent");

function items(result) {
  const lists = { tools: "name", prompts: "name", resources: "uri", resourceTemplates: "uriTemplate" };
  return Object.entries(lists).flatMap(([name, key]) => {
    const listed = isObject(result) ? result[name] : undefined;
    const shown = (item) => (isObject(item) ? scalar(item[key] ?? null) : scalar(item));
    return Array.isArray(listed) ? listed.map(shown) : [];
  });
}

function facts(message) {
  const params = isObject(message.params) ? message.params : {};
  return {
    error: message.error !== null && message.error !== undefined,
    id: member(message, "id"),
    items: items(message.result),
    method: member(message, "method"),
    name: member(params, "name"),
    result: Object.hasOwn(message, "result"),
    uri: member(params, "uri"),
  };
}

for (const line of readFileSync(0, "latin1").trim().split("\n")) {
  let told = null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(line, "hex"));
    told = facts(deserializeMessage(text));
  } catch {
    // It is refused.
  }
  console.log(JSON.stringify(told));
}
