// What both clients of TypeScript play: each scenario returns what it saw. The clients differ in
// how they are made and how handlers are set, not in how they ask.

import { setTimeout as sleep } from "node:timers/promises";

const FOLDER = process.env.SCENARIO_FOLDER ?? "/nowhere";
// More than is held of a message before it goes on.
const LARGE = "größer ".repeat(300_000);
const FORM = { name: "Ada", check: true, integer: 7, number: 2.5 };
const DOCUMENT = "demo://resource/static/document/features.md";

export const CAPABILITIES = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
};

/** What the server told and asked. */
export const seen = {
  logs: [],
  updates: [],
  changes: 0,
  progress: [],
  sampled: [],
  elicited: [],
  rootsAsked: 0,
};
const roots = [{ uri: `file://${FOLDER}`, name: "project" }];

/** The client's side of what a server asks, by method. */
export const answers = {
  "sampling/createMessage": ({ params }) => {
    seen.sampled.push(params);
    return { role: "assistant", content: { type: "text", text: "because" }, model: "a model" };
  },
  "elicitation/create": ({ params }) => {
    seen.elicited.push(params);
    return params.mode === "url" ? { action: "accept" } : { action: "accept", content: FORM };
  },
  "roots/list": () => {
    seen.rootsAsked += 1;
    return { roots };
  },
};

/**
 * The client's side of what a server tells, by method. The SDK's own ear for progress forgets
 * whom a report is for as soon as the answer is there, and both may arrive in one piece.
 */
export const ears = {
  "notifications/message": ({ params }) => void seen.logs.push(params),
  "notifications/resources/updated": ({ params }) => void seen.updates.push(params.uri),
  "notifications/tools/list_changed": () => void (seen.changes += 1),
  "notifications/progress": ({ params: { progress, total, message } }) =>
    void seen.progress.push({ progress, total, message }),
};

async function until(condition) {
  for (let turn = 0; !condition(); turn += 1) {
    if (turn > 2000) throw new Error(`waited in vain: ${condition}`);
    await sleep(10);
  }
}

/** What a request came to; an error is part of what a client sees. */
async function outcome(promise) {
  try {
    return await promise;
  } catch ({ name, code, message, data }) {
    return { error: { name, code, message, data } };
  }
}

async function inOrder(steps) {
  const results = {};
  for (const [name, step] of Object.entries(steps)) results[name] = await outcome(step());
  return results;
}

function opening(client) {
  return {
    version: client.getNegotiatedProtocolVersion?.(),
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
  };
}

async function everyPage(ask, items) {
  const found = [];
  let cursor;
  do {
    const page = await ask(cursor && { cursor });
    found.push(...page[items]);
    cursor = page.nextCursor;
  } while (cursor);
  const key = (item) => item.uri ?? item.uriTemplate ?? item.name;
  return found.sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

async function lists(client) {
  const capabilities = client.getServerCapabilities();
  const lists = { tools: await everyPage((page) => client.listTools(page), "tools") };
  if (capabilities.prompts) {
    lists.prompts = await everyPage((page) => client.listPrompts(page), "prompts");
  }
  if (capabilities.resources) {
    lists.resources = await everyPage((page) => client.listResources(page), "resources");
    const templates = (page) => client.listResourceTemplates(page);
    lists.templates = await everyPage(templates, "resourceTemplates");
  }
  return lists;
}

/** Asks for reports; they are heard by the ear, see there. */
const REPORTED = { onprogress: () => {} };

/** A call that reports how far it is. */
async function progressOf(call, tool, parameters, meta) {
  seen.progress.length = 0;
  const result = await outcome(call(tool, parameters, REPORTED, meta));
  return { reports: [...seen.progress], result };
}

/** Something large, and many things at the same time. */
async function atOnce(call, argument) {
  const large = await call("echo", { [argument]: LARGE });
  const one = (_, number) => call("echo", { [argument]: `call ${number}` });
  const many = await Promise.all(Array.from({ length: 50 }, one));
  return { large: large.content[0].text.includes(LARGE), many };
}

/** Gives a call up as soon as it has shown that it runs. */
async function cancel(call, tool, parameters) {
  seen.progress.length = 0;
  const given = new AbortController();
  const result = outcome(call(tool, parameters, { ...REPORTED, signal: given.signal }));
  await until(() => seen.progress.length > 0);
  given.abort("enough");
  return result;
}

export async function everything(client, call) {
  await client.setLoggingLevel("info");
  await until(() => seen.rootsAsked === 1 && seen.logs.length === 1);
  const document = await lists(client);
  document.calls = await inOrder({
    echo: () => call("echo", { message: 'größer 🦀 \u2028 \\ "' }),
    sum: () => call("get-sum", { a: 0.1, b: 2e10 }),
    wrong: () => call("get-sum", { a: "one" }),
    structured: () => call("get-structured-content", { location: "Chicago" }),
    image: () => call("get-tiny-image", {}),
    annotated: () => call("get-annotated-message", { messageType: "error", includeImage: true }),
    links: () => call("get-resource-links", { count: 3 }),
    reference: () => call("get-resource-reference", { resourceType: "Blob", resourceId: 2 }),
  });
  const prompt = (name, values) => client.getPrompt({ name, arguments: values });
  document["prompts got"] = await inOrder({
    simple: () => prompt("simple-prompt"),
    args: () => prompt("args-prompt", { city: "Paris", state: "Texas" }),
    wrong: () => prompt("args-prompt", {}),
    resource: () => prompt("resource-prompt", { resourceType: "Text", resourceId: "1" }),
  });
  const dynamic = ["text/1", "blob/1", "text/none"].map((rest) => `demo://resource/dynamic/${rest}`);
  const reads = [DOCUMENT, ...dynamic].map((uri) => [uri, () => client.readResource({ uri })]);
  document["resources read"] = await inOrder(Object.fromEntries(reads));
  const team = { type: "ref/prompt", name: "completable-prompt" };
  const template = { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" };
  const complete = (ref, name, value, context) =>
    client.complete({ ref, argument: { name, value }, ...context });
  document.completions = await inOrder({
    department: () => complete(team, "department", "S"),
    name: () => complete(team, "name", "", { context: { arguments: { department: "Sales" } } }),
    template: () => complete(template, "resourceId", "12"),
  });
  const long = "trigger-long-running-operation";
  document.long = await progressOf(call, long, { duration: 0.3, steps: 3 });
  document.cancelled = await cancel(call, long, { duration: 1, steps: 10 });
  document["at once"] = await atOnce(call, "message");
  document.ping = await outcome(client.ping());
  return { ...document, ...(await askedByEverything(client, call)) };
}

async function askedByEverything(client, call) {
  const link = { url: "https://example.org/x", elicitationId: "one" };
  const asked = await inOrder({
    sampling: () => call("trigger-sampling-request", { prompt: "Why?", maxTokens: 10 }),
    elicitation: () => call("trigger-elicitation-request", {}),
    url: () => call("trigger-url-elicitation", link),
    "url first": () => call("trigger-url-elicitation", { ...link, errorPath: true }),
    roots: () => call("get-roots-list", {}),
  });
  roots.push({ uri: "file:///elsewhere" });
  await client.sendRootsListChanged();
  await until(() => seen.rootsAsked === 2 && seen.logs.length === 2);
  const subscribed = await inOrder({
    "roots again": () => call("get-roots-list", {}),
    subscribed: () => client.subscribeResource({ uri: DOCUMENT }),
    toggled: () => call("toggle-subscriber-updates", {}),
  });
  await until(() => seen.updates.length > 0 && seen.logs.length === 3);
  const unsubscribed = await inOrder({
    toggled: () => call("toggle-subscriber-updates", {}),
    // From now on the server has nothing to say that is important enough.
    level: () => client.setLoggingLevel("error"),
    unsubscribed: () => client.unsubscribeResource({ uri: DOCUMENT }),
  });
  return { asked, subscribed, unsubscribed };
}

export async function filesystem(client, call) {
  await until(() => seen.rootsAsked === 1);
  const document = await lists(client);
  // The server has taken the root over when it says so.
  do {
    document.allowed = await call("list_allowed_directories", {});
  } while (!JSON.stringify(document.allowed).includes(FOLDER));
  const path = `${FOLDER}/note.txt`;
  document.calls = await inOrder({
    write: () => call("write_file", { path, content: "one\ntwo größer\n" }),
    read: () => call("read_text_file", { path, head: 1 }),
    edit: () => call("edit_file", { path, edits: [{ oldText: "one", newText: "1" }] }),
    several: () => call("read_multiple_files", { paths: [path, `${FOLDER}/none.txt`] }),
    list: () => call("list_directory_with_sizes", { path: FOLDER }),
    tree: () => call("directory_tree", { path: FOLDER }),
    search: () => call("search_files", { path: FOLDER, pattern: "*.txt" }),
    info: () => call("get_file_info", { path }),
    elsewhere: () => call("read_text_file", { path: "/etc/passwd" }),
    move: () => call("move_file", { source: path, destination: `${FOLDER}/moved.txt` }),
  });
  return document;
}

export async function time(client, call) {
  const document = await lists(client);
  const berlin = {
    source_timezone: "Europe/Berlin",
    time: "12:30",
    target_timezone: "Asia/Tokyo",
  };
  document.calls = await inOrder({
    now: () => call("get_current_time", { timezone: "Asia/Tokyo" }),
    convert: () => call("convert_time", berlin),
    wrong: () => call("convert_time", { ...berlin, time: "25:00" }),
  });
  return document;
}

export async function modern(client, call) {
  const document = await lists(client);
  document.calls = await inOrder({
    echo: () => call("echo", { text: "größer 🦀" }),
    add: () => call("add", { a: 2 }),
    wrong: () => call("add", { a: "two" }),
    ask: () => call("ask", {}),
    prompt: () => client.getPrompt({ name: "greet", arguments: { name: "Ada" } }),
    note: () => client.readResource({ uri: "note://one" }),
    named: () => client.readResource({ uri: "note://by-name/%C3%A9" }),
    completion: () =>
      client.complete({
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "name", value: "A" },
      }),
  });
  // In this era a request says for itself what of the log it wants.
  const meta = { "io.modelcontextprotocol/logLevel": "info" };
  document.long = await progressOf(call, "count", {}, meta);
  const filter = { resourceSubscriptions: ["note://one"], toolsListChanged: true };
  const subscription = await client.listen(filter);
  document.honored = subscription.honoredFilter;
  await call("touch", {});
  await until(() => seen.updates.length === 1 && seen.changes === 1);
  await subscription.close();
  document.closed = await subscription.closed;
  document.cancelled = await cancel(call, "wait", {});
  document["given up"] = await outcome(call("given_up_calls", {}));
  document["at once"] = await atOnce(call, "text");
  return document;
}

/** A server that is not any more what was approved. */
export async function drift(client, call) {
  const tools = await everyPage((page) => client.listTools(page), "tools");
  const document = { tools: tools.map((tool) => tool.name) };
  Object.assign(
    document,
    await inOrder({
      echo: () => call("echo", { text: "again" }),
      read_file: () => call("read_file", { path: "/x" }),
      "echo again": () => call("echo", { text: "and again" }),
    }),
  );
  // Nothing waits for the log, so it may come last.
  await sleep(200);
  return document;
}

/** Connects, plays, and prints what came of it. */
export async function play(client, transport, scene) {
  const document = {};
  try {
    await client.connect(transport);
    document.opening = opening(client);
    Object.assign(document, await scene());
    await client.close();
    // What was given up may still report for a while.
    document.seen = { ...seen, progress: undefined };
  } catch (error) {
    document.failed = [String(error)];
  }
  console.log(JSON.stringify(document));
}
