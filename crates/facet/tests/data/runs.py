"""An MCP server that runs what it is told: python3 runs.py

One tool, `run`, runs Python text and answers with what that leaves in `out`, or with its error as a text.
"""

import ctypes
import json
import os
import sys

LIBC = ctypes.CDLL(None, use_errno=True)


def end_first_thread():
    """The process goes on without it; `/proc` then shows it as dead."""
    LIBC.syscall(ctypes.c_long(60), ctypes.c_long(0))


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as line:
        return int(line.read().rsplit(") ", 1)[1].split(" ")[1])


def run(text):
    space = {**globals(), "out": None}
    try:
        exec(text, space)
        return space["out"]
    except Exception as error:
        return repr(error)


def answer(method, params):
    if method == "initialize":
        info = {"name": "runs", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": "run", "description": "Runs.", "inputSchema": {"type": "object"}}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": json.dumps(run(params["arguments"]["text"]))}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params"))
    reply = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
