"""The client of the Python SDK: python.py SCENARIO MODE COMMAND ARGUMENT...

Plays a scenario with the server that the command starts, and prints what it saw as one JSON
document. MODE is the SDK's own word: `legacy`, `auto` or `2026-07-28`. `FACET_DIR` is handed to
the command, because the SDK passes on few variables by itself.
"""

import json
import os
import sys
import warnings

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

# What the newer era deprecates is what the older servers of this test are about.
warnings.simplefilter("ignore")

FOLDER = os.environ.get("SCENARIO_FOLDER", "/nowhere")
# More than is held of a message before it goes on.
LARGE = "größer " * 300_000
FORM = {"name": "Ada", "check": True, "integer": 7, "number": 2.5}
DOCUMENT = "demo://resource/static/document/features.md"


def plain(value):
    """As JSON. A server need not say who it is."""
    return None if value is None else value.model_dump(mode="json", by_alias=True, exclude_none=True)


class Seen:
    """What the server told and asked, and somebody who waits for it."""

    def __init__(self):
        self.logs, self.updates, self.changes = [], [], []
        self.sampled, self.elicited, self.roots_asked = [], [], 0
        self.roots = [types.Root(uri=f"file://{FOLDER}", name="project")]

    async def until(self, condition):
        with anyio.fail_after(20):
            while not condition():
                await anyio.sleep(0.01)

    async def log(self, params):
        self.logs.append(plain(params))

    async def message(self, message):
        match message:
            case types.ResourceUpdatedNotification():
                self.updates.append(message.params.uri)
            case types.LoggingMessageNotification() | types.ProgressNotification():
                pass
            case types.ToolListChangedNotification():
                self.changes.append(message.method)
            case Exception():
                raise message

    async def sample(self, _context, params):
        self.sampled.append(plain(params))
        content = types.TextContent(type="text", text="because")
        return types.CreateMessageResult(role="assistant", content=content, model="a model")

    async def elicit(self, _context, params):
        self.elicited.append(plain(params))
        content = FORM if params.mode == "form" else None
        return types.ElicitResult(action="accept", content=content)

    async def list_roots(self, _context):
        self.roots_asked += 1
        return types.ListRootsResult(roots=self.roots)


async def outcome(awaited):
    """What a request came to; an error is part of what a client sees."""
    try:
        return plain(await awaited)
    except MCPError as error:
        return {"error": plain(error.error)}


async def every_page(ask, items):
    found, cursor = [], None
    while True:
        page = await ask(cursor=cursor)
        found += [plain(item) for item in getattr(page, items)]
        cursor = page.next_cursor
        if cursor is None:
            return sorted(found, key=lambda item: item.get("uri") or item.get("uriTemplate") or item["name"])


async def opening(client):
    return {
        "version": client.protocol_version,
        "server": plain(client.server_info),
        "capabilities": plain(client.server_capabilities),
        "instructions": client.instructions,
    }


async def lists(client):
    capabilities = client.server_capabilities
    seen = {"tools": await every_page(client.list_tools, "tools")}
    if capabilities.prompts:
        seen["prompts"] = await every_page(client.list_prompts, "prompts")
    if capabilities.resources:
        seen["resources"] = await every_page(client.list_resources, "resources")
        seen["templates"] = await every_page(client.list_resource_templates, "resource_templates")
    return seen


async def progress_of(client, tool, arguments):
    reports = []

    async def progress(*report):
        reports.append(report)

    result = await outcome(client.call_tool(tool, arguments, progress_callback=progress))
    return {"reports": reports, "result": result}


async def at_once(client, argument):
    """Something large, and many things at the same time."""
    large = await client.call_tool("echo", {argument: LARGE})
    many = {}

    async def one(number):
        many[number] = plain(await client.call_tool("echo", {argument: f"call {number}"}))

    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(one, number)
    return {"large": LARGE in large.content[0].text, "many": [many[number] for number in range(50)]}


async def cancel(client, tool, arguments):
    """Gives a call up as soon as it has shown that it runs."""
    with anyio.CancelScope() as scope:

        async def progress(*_report):
            scope.cancel()

        await client.call_tool(tool, arguments, progress_callback=progress)
    return scope.cancelled_caught


async def everything(client, seen):
    call = client.call_tool
    await client.set_logging_level("info")
    await seen.until(lambda: seen.roots_asked == 1 and len(seen.logs) == 1)
    document = await lists(client)
    document["calls"] = {
        "echo": await outcome(call("echo", {"message": "größer 🦀 \u2028 \\ \""})),
        "sum": await outcome(call("get-sum", {"a": 0.1, "b": 2e10})),
        "wrong": await outcome(call("get-sum", {"a": "one"})),
        "structured": await outcome(call("get-structured-content", {"location": "Chicago"})),
        "image": await outcome(call("get-tiny-image", {})),
        "annotated": await outcome(call("get-annotated-message", {"messageType": "error", "includeImage": True})),
        "links": await outcome(call("get-resource-links", {"count": 3})),
        "reference": await outcome(call("get-resource-reference", {"resourceType": "Blob", "resourceId": 2})),
    }
    document["prompts got"] = {
        "simple": await outcome(client.get_prompt("simple-prompt")),
        "args": await outcome(client.get_prompt("args-prompt", {"city": "Paris", "state": "Texas"})),
        "wrong": await outcome(client.get_prompt("args-prompt", {})),
        "resource": await outcome(client.get_prompt("resource-prompt", {"resourceType": "Text", "resourceId": "1"})),
    }
    document["resources read"] = {
        uri: await outcome(client.read_resource(uri))
        for uri in [DOCUMENT, *(f"demo://resource/dynamic/{rest}" for rest in ("text/1", "blob/1", "text/none"))]
    }
    prompt = types.PromptReference(type="ref/prompt", name="completable-prompt")
    template = types.ResourceTemplateReference(type="ref/resource", uri="demo://resource/dynamic/text/{resourceId}")
    context = {"department": "Sales"}
    document["completions"] = [
        await outcome(client.complete(prompt, {"name": "department", "value": "S"})),
        await outcome(client.complete(prompt, {"name": "name", "value": ""}, context)),
        await outcome(client.complete(template, {"name": "resourceId", "value": "12"})),
    ]
    document["long"] = await progress_of(client, "trigger-long-running-operation", {"duration": 0.3, "steps": 3})
    document["cancelled"] = await cancel(client, "trigger-long-running-operation", {"duration": 1, "steps": 10})
    document["at once"] = await at_once(client, "message")
    document["ping"] = await outcome(client.send_ping())
    await asked_by_everything(client, seen, document)
    return document


async def asked_by_everything(client, seen, document):
    call = client.call_tool
    link = {"url": "https://example.org/x", "elicitationId": "one"}
    document["asked"] = {
        "sampling": await outcome(call("trigger-sampling-request", {"prompt": "Why?", "maxTokens": 10})),
        "elicitation": await outcome(call("trigger-elicitation-request", {})),
        "url": await outcome(call("trigger-url-elicitation", link)),
        "url first": await outcome(call("trigger-url-elicitation", {**link, "errorPath": True})),
        "roots": await outcome(call("get-roots-list", {})),
    }
    seen.roots.append(types.Root(uri="file:///elsewhere"))
    await client.send_roots_list_changed()
    await seen.until(lambda: seen.roots_asked == 2 and len(seen.logs) == 2)
    document["asked"]["roots again"] = await outcome(call("get-roots-list", {}))
    document["subscribed"] = await outcome(client.subscribe_resource(DOCUMENT))
    document["toggled"] = await outcome(call("toggle-subscriber-updates", {}))
    await seen.until(lambda: seen.updates)
    await call("toggle-subscriber-updates", {})
    await seen.until(lambda: len(seen.logs) == 3)
    # From now on the server has nothing to say that is important enough.
    await client.set_logging_level("error")
    document["unsubscribed"] = await outcome(client.unsubscribe_resource(DOCUMENT))


async def filesystem(client, seen):
    call = client.call_tool
    await seen.until(lambda: seen.roots_asked == 1)
    document = await lists(client)
    # The server has taken the root over when it says so.
    while FOLDER not in str(document.setdefault("allowed", await outcome(call("list_allowed_directories", {})))):
        del document["allowed"]
    path = f"{FOLDER}/note.txt"
    steps = [
        ("write_file", {"path": path, "content": "one\ntwo größer\n"}),
        ("read_text_file", {"path": path, "head": 1}),
        ("edit_file", {"path": path, "edits": [{"oldText": "one", "newText": "1"}]}),
        ("read_multiple_files", {"paths": [path, f"{FOLDER}/none.txt"]}),
        ("list_directory_with_sizes", {"path": FOLDER}),
        ("directory_tree", {"path": FOLDER}),
        ("search_files", {"path": FOLDER, "pattern": "*.txt"}),
        ("get_file_info", {"path": path}),
        ("read_text_file", {"path": "/etc/passwd"}),
        ("move_file", {"source": path, "destination": f"{FOLDER}/moved.txt"}),
    ]
    document["calls"] = [await outcome(call(tool, arguments)) for tool, arguments in steps]
    return document


async def time(client, _seen):
    document = await lists(client)
    berlin = {"source_timezone": "Europe/Berlin", "time": "12:30", "target_timezone": "Asia/Tokyo"}
    document["calls"] = [
        await outcome(client.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})),
        await outcome(client.call_tool("convert_time", berlin)),
        await outcome(client.call_tool("convert_time", {**berlin, "time": "25:00"})),
    ]
    return document


async def modern(client, seen):
    call = client.call_tool
    document = await lists(client)
    document["calls"] = {
        "echo": await outcome(call("echo", {"text": "größer 🦀"})),
        "add": await outcome(call("add", {"a": 2})),
        "wrong": await outcome(call("add", {"a": "two"})),
        "ask": await outcome(call("ask", {})),
    }
    document["long"] = await progress_of(client, "count", {})
    document["prompt"] = await outcome(client.get_prompt("greet", {"name": "Ada"}))
    uris = ["note://one", "note://by-name/ada", "note://by-name/%C3%A9"]
    document["resources read"] = {uri: await outcome(client.read_resource(uri)) for uri in uris}
    reference = types.PromptReference(type="ref/prompt", name="greet")
    document["completion"] = await outcome(client.complete(reference, {"name": "name", "value": "A"}))
    async with client.listen(resource_subscriptions=["note://one"], tools_list_changed=True) as subscription:
        document["honored"] = plain(subscription.honored)
        await call("touch", {})
        document["events"] = [str(await anext(subscription)) for _ in range(2)]
    document["cancelled"] = await cancel(client, "wait", {})
    document["given up"] = await outcome(call("given_up_calls", {}))
    document["at once"] = await at_once(client, "text")
    return document


async def template(client, _seen):
    """RFC 6570, 3.2.2: an empty value stands for nothing, so this address is one of the template's."""
    return {"read": await outcome(client.read_resource("note://by-name/"))}


async def session(client, seen):
    """A tool that makes a resource for as long as the session lasts."""
    await seen.until(lambda: seen.roots_asked == 1)
    arguments = {"name": "note.gz", "data": "data:,a%20note", "outputType": "resourceLink"}
    made = plain(await client.call_tool("gzip-file-as-resource", arguments))
    uri = made["content"][0]["uri"]
    listed = [resource["uri"] for resource in await every_page(client.list_resources, "resources")]
    return {"made": uri, "is listed": uri in listed, "read": await outcome(client.read_resource(uri))}


async def drift(client, _seen):
    """A server that is not any more what was approved."""
    document = {
        "tools": [tool["name"] for tool in await every_page(client.list_tools, "tools")],
        "echo": await outcome(client.call_tool("echo", {"text": "again"})),
        "read_file": await outcome(client.call_tool("read_file", {"path": "/x"})),
        "echo again": await outcome(client.call_tool("echo", {"text": "and again"})),
    }
    await anyio.sleep(0.2)
    return document


def reasons(error):
    """The errors in a group of errors, which is how this SDK's tasks fail."""
    if isinstance(error, BaseExceptionGroup):
        return [reason for one in error.exceptions for reason in reasons(one)]
    return [str(error)]


async def main():
    scenario, mode, command, *arguments = sys.argv[1:]
    variables = {"FACET_DIR": os.environ["FACET_DIR"]} if "FACET_DIR" in os.environ else None
    seen = Seen()
    client = Client(
        StdioServerParameters(command=command, args=arguments, env=variables),
        mode=mode,
        read_timeout_seconds=30,
        log_level="info",
        sampling_callback=seen.sample,
        elicitation_callback=seen.elicit,
        list_roots_callback=seen.list_roots,
        logging_callback=seen.log,
        message_handler=seen.message,
    )
    document = {}
    try:
        async with client:
            document = {"opening": await opening(client), **await globals()[scenario](client, seen)}
        document["seen"] = {name: value for name, value in vars(seen).items() if name != "roots"}
    except (MCPError, BaseExceptionGroup) as error:
        document["failed"] = reasons(error)
    print(json.dumps(document))


anyio.run(main)
