"""What a server promises beyond its declaration: docs/spec/6-behaviour.md.

Works on the members of a surface file, read by `canonical_json.parse(..., captured=True)`.
"""

import hashlib

from canonical_json import Integer, canonical, utf16
from surface import LISTS, MAPS, SINGLES, normalise

META = "facets.dev/contract"
UNKNOWN = {name: "unknown" for name in ("filesystem", "network", "subprocess", "crypto", "codeEvaluation")}


def tagged(what, data):
    return hashlib.sha256(b"facets:" + what.encode() + b":v1\n" + data).hexdigest()


def is_texts(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def as_set(value):
    return sorted(set(value), key=utf16) if is_texts(value) else value


def as_actions(value):
    """6.1: sorted by key, if every action has one of its own."""
    if isinstance(value, list) and all(isinstance(a, dict) and isinstance(a.get("key"), str) for a in value):
        keys = [action["key"] for action in value]
        if len(set(keys)) == len(keys):
            return sorted(value, key=lambda action: utf16(action["key"]))
    return value


def fingerprint(rules, instructions):
    """6.4"""
    fixed = [] if instructions is None else [instructions]
    parts = []
    if rules is not None:
        known = isinstance(rules, dict) and all(
            value is None
            or (name == "static" and is_texts(value))
            or (name == "dynamic" and isinstance(value, str))
            for name, value in rules.items()
        )
        known = known and set(rules) <= {"static", "dynamic"}
        if not known:
            parts.append("unverifiable:" + tagged("unverifiable-rules", canonical(rules)))
        else:
            fixed += rules.get("static") or []
            if rules.get("dynamic") is not None:
                parts.append("dynamic:" + tagged("dynamic-rules", rules["dynamic"].encode()))
    if fixed:
        parts.append("static:" + tagged("static-rules", canonical(sorted(set(fixed), key=utf16))))
    return "+".join(parts) or "none"


def schema_hash(tool, member):
    return tagged("schema", canonical(normalise(tool[member]))) if tool.get(member) is not None else None


def schemas(schema):
    """Every object at a schema position."""
    if not isinstance(schema, dict):
        return
    yield schema
    for name, value in schema.items():
        if name in MAPS and isinstance(value, dict):
            inner = list(value.values())
        elif (name in LISTS or name == "items") and isinstance(value, list):
            inner = value
        elif name in SINGLES or name == "items":
            inner = [value]
        else:
            continue
        for item in inner:
            yield from schemas(item)


def is_array(schema):
    kind = schema.get("type")
    if "type" not in schema:
        return "items" in schema or "prefixItems" in schema
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def economics(tool):
    """6.1"""
    tokens = Integer(str(-(-len(canonical(tool)) // 4)))
    if tool.get("outputSchema") is None:
        return {
            "declarationTokens": tokens, "outputFields": None, "unboundedCollection": None, "inflationRisk": "unknown",
        }  # fmt: skip
    fields, unbounded = 0, False
    for schema in schemas(tool["outputSchema"]):
        if isinstance(schema.get("properties"), dict):
            fields += len(schema["properties"])
        limit = schema.get("maxItems")
        bounded = not isinstance(limit, (bool, str, list, dict, type(None)))
        unbounded = unbounded or (is_array(schema) and not bounded)
    if unbounded:
        risk = "critical" if fields > 10 else "high"
    else:
        risk = "medium" if fields > 20 else "low"
    return {
        "declarationTokens": tokens, "outputFields": Integer(str(fields)), "unboundedCollection": unbounded, "inflationRisk": risk,
    }  # fmt: skip


def contract(tool, parts):
    source = parts.get("source", {})
    general = source.get("contract", {})
    meta = tool.get("_meta")
    own = meta.get(META) if isinstance(meta, dict) else None
    named = general.get("tools")
    named = named.get(tool["name"]) if isinstance(named, dict) else None

    def declared(name, default=None):
        for layer in (own, named, general):
            if isinstance(layer, dict) and name in layer:
                return layer[name]
        return default

    entitlements = dict(source.get("entitlements") or {**UNKNOWN, "raw": []})
    entitlements["raw"] = as_set(entitlements["raw"])
    return {
        "surface": {
            "name": tool["name"],
            "title": tool.get("title"),
            "description": tool.get("description"),
            "tags": as_set(declared("tags")),
            "inputSchema": schema_hash(tool, "inputSchema"),
            "actions": as_actions(declared("actions", [])),
        },
        "behavior": {
            "outputSchema": schema_hash(tool, "outputSchema"),
            "annotations": tool.get("annotations"),
            "execution": tool.get("execution"),
            "systemRules": fingerprint(declared("systemRules"), parts.get("instructions")),
            "guardrails": declared("guardrails"),
            "middleware": declared("middleware"),
            "stateSync": declared("stateSync"),
            "concurrency": declared("concurrency"),
            "affordances": as_set(declared("affordances")),
            "presenters": as_set(declared("presenters")),
        },
        "tokenEconomics": economics(tool),
        "entitlements": entitlements,
    }


PARTS = ("surface", "behavior", "tokenEconomics", "entitlements")


def tool_digest(of):
    """6.2"""
    parts = {part: tagged("contract-" + part, canonical(of[part])) for part in PARTS}
    return {"digest": tagged("tool-contract", ":".join(parts[part] for part in PARTS).encode()), **parts}


def server_digest(tools):
    """6.2: `tools` maps names to what `tool_digest` gives."""
    pairs = [[name, tools[name]["digest"]] for name in sorted(tools, key=utf16)]
    return tagged("server-contract", canonical(pairs))


def hashes(parts):
    tools = parts.get("tools")
    tools = tools if isinstance(tools, list) else []
    digests = {tool["name"]: tool_digest(contract(tool, parts)) for tool in tools}
    return {"digest": server_digest(digests), "tools": digests}
