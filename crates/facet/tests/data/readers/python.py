"""What Python's own reader makes of messages: one a line in hex, the facts of each a line."""

import json
import struct
import sys


def number(value):
    try:
        return struct.pack(">d", float(value) + 0.0).hex()
    except OverflowError:
        return "beyond"


def scalar(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"bool {value}".lower()
    if isinstance(value, (int, float)):
        return "number " + number(value)
    if isinstance(value, str):
        return "text " + value.encode("utf-16-be", "surrogatepass").hex()
    return type(value).__name__


def items(result):
    found = []
    for name, key in (("tools", "name"), ("prompts", "name"), ("resources", "uri"), ("resourceTemplates", "uriTemplate")):
        listed = result.get(name) if isinstance(result, dict) else None
        for item in listed if isinstance(listed, list) else []:
            found.append(scalar(item.get(key)) if isinstance(item, dict) else scalar(item))
    return found


def facts(message):
    if isinstance(message, list):
        return [facts(item) for item in message]
    if not isinstance(message, dict):
        return scalar(message)
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    return {
        "error": message.get("error") is not None,
        "id": scalar(message["id"]) if "id" in message else "absent",
        "items": items(message.get("result")),
        "method": scalar(message["method"]) if "method" in message else "absent",
        "name": scalar(params["name"]) if "name" in params else "absent",
        "result": "result" in message,
        "uri": scalar(params["uri"]) if "uri" in params else "absent",
    }


for line in sys.stdin:
    try:
        told = facts(json.loads(bytes.fromhex(line.strip()).decode("utf-8")))
    except (ValueError, RecursionError):
        told = None
    print(json.dumps(told, sort_keys=True, separators=(",", ":")).replace('"dict"', '"object"').replace('"list"', '"array"'))
