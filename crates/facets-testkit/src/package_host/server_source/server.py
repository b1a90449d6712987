import json
import os
import sys

TOOLS = json.loads("TOOLS")


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def initialize(_params):
    information = {"name": "test-server", "version": "1.0.0"}
    return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": information}


def call(params):
    name = params.get("name")
    if not any(tool["name"] == name for tool in TOOLS):
        raise Refused(-32602, f"unknown tool: {name}")
    if name == "env":
        text = json.dumps(dict(os.environ))
    elif name == "echo":
        text = json.dumps(params.get("arguments") or {})
    else:
        text = f"called {name}"
    return {"content": [{"type": "text", "text": text}]}


METHODS = {
    "initialize": initialize,
    "ping": lambda _params: {},
    "tools/list": lambda _params: {"tools": TOOLS},
    "tools/call": call,
}


def answer(message):
    method = METHODS.get(message["method"])
    if method is None:
        error = {"code": -32601, "message": f"method not found: {message['method']}"}
        return {"error": error}
    try:
        return {"result": method(message.get("params") or {})}
    except Refused as refused:
        return {"error": {"code": refused.code, "message": str(refused)}}


def main():
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        message = json.loads(line)
        if "id" in message and "method" in message:
            reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message)}
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
