"""An MCP server whose one tool tells what it can reach: python3 probe.py"""

import ctypes
import errno
import json
import os
import socket
import subprocess
import sys
import urllib.request


def attempt(work):
    try:
        work()
        return "reached"
    except Exception:
        return "closed"


def write_scratch():
    path = os.environ.get("TMPDIR", "/tmp") + f"/facet-scratch-{os.getpid()}"
    write(path)
    os.unlink(path)


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as stream:
        stream.settimeout(3)
        stream.connect(address)


def send_from_pair(path):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendto(b"x", path)


def reach_by_file(stream, datagram):
    try:
        connect(socket.AF_UNIX, stream)
    except OSError:
        send_from_pair(datagram)


def find_hatch():
    """Another namespace, or a capability beyond files, users and ports."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc.capget(header, sets)
    libc.setns(-1, 0)
    kept = 0x4DB
    if ctypes.get_errno() == errno.EPERM and sets[0] & ~kept == 0 and sets[3] == 0:
        raise OSError("closed")


def send(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram:
        datagram.sendto(b"x", ("127.0.0.1", port))


def proxied(target):
    if "http_proxy" not in os.environ:
        raise OSError("no proxy")
    urllib.request.urlopen(target, timeout=3).read()


def write(path):
    with open(path, "w") as file:
        file.write("x")


def probe(asked):
    return {
        "tcp": attempt(lambda: connect(socket.AF_INET, ("127.0.0.1", asked["tcp"]))),
        "udp": attempt(lambda: send(asked["udp"])),
        "unix": attempt(lambda: reach_by_file(asked["unix"], asked["datagram"])),
        "child": attempt(lambda: subprocess.run(["/bin/true"], check=True)),
        "read": attempt(lambda: open(asked["secret"]).read()),
        "write": attempt(lambda: write(asked["directory"] + "/written")),
        "scratch": attempt(write_scratch),
        "hatch": attempt(find_hatch),
        "granted": attempt(lambda: proxied(asked["granted"])),
        "denied": attempt(lambda: proxied(asked["denied"])),
    }


def answer(method, params):
    if method == "initialize":
        info = {"name": "probe", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        schema = {"type": "object"}
        return {"tools": [{"name": "probe", "description": "Tells what it can reach.", "inputSchema": schema}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": json.dumps(probe(params["arguments"]))}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params"))
    reply = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
