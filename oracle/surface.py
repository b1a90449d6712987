"""What an MCP server gives to the model: docs/spec/5-surface.md.

Works on values from `canonical_json.parse(..., captured=True)`.
"""

import hashlib

from canonical_json import canonical, utf16

MAPS = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
LISTS = {"prefixItems", "allOf", "anyOf", "oneOf"}
SINGLES = {
    "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains",
    "propertyNames", "not", "if", "then", "else", "contentSchema",
}  # fmt: skip


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def ours(what, value):
    """5: a hash of our own, with its domain line."""
    return digest(b"facets:" + what.encode() + b":v1\n" + canonical(value))


def normalise(schema):
    """5.3: at every schema position `required` is a set."""
    if not isinstance(schema, dict):
        return schema
    result = {}
    for name, value in schema.items():
        if name == "required" and isinstance(value, list) and all(isinstance(v, str) for v in value):
            value = sorted(set(value), key=utf16)
            if not value:
                continue
        elif name in MAPS and isinstance(value, dict):
            value = {key: normalise(inner) for key, inner in value.items()}
        elif (name in LISTS or name == "items") and isinstance(value, list):
            value = [normalise(inner) for inner in value]
        elif name in SINGLES or name == "items":
            value = normalise(value)
        result[name] = value
    return result


def api_surface(tools):
    """5.3"""
    kept = []
    for tool in sorted(tools, key=lambda tool: utf16(tool["name"])):
        entry = {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}
        if "inputSchema" in entry:
            entry["inputSchema"] = normalise(entry["inputSchema"])
        kept.append(entry)
    return ours("api-surface", {"tools": kept})


def identity(tool):
    """5.4"""
    description = tool.get("description")
    return {
        "digest": digest(canonical(tool)),
        "description": digest(description.encode()) if isinstance(description, str) else None,
        "schema": digest(canonical(tool["inputSchema"])) if "inputSchema" in tool else None,
    }


def listing(answer, key):
    """A list of definitions sorted by name, or `{"error": code}` as it stands."""
    return sorted(answer, key=lambda item: utf16(item[key])) if isinstance(answer, list) else answer


def surface(parts):
    """5.5: `parts` has capabilities, and whichever of the others there are."""
    form = {"capabilities": parts["capabilities"]}
    if parts.get("instructions") is not None:
        form["instructions"] = parts["instructions"]
    for name, key in (("tools", "name"), ("prompts", "name"), ("resourceTemplates", "uriTemplate")):
        if name in parts:
            form[name] = listing(parts[name], key)
    return ours("surface", form)


def resources(parts):
    """5.5"""
    if "resources" not in parts:
        return None
    if parts.get("resourcesVolatile"):
        return "volatile"
    return ours("resources", {"resources": listing(parts["resources"], "uri")})


def hashes(parts):
    """Everything about a surface file, or about parts of the same names."""
    tools = parts.get("tools")
    tools = tools if isinstance(tools, list) else []
    return {
        "api_surface": api_surface(tools),
        "surface": surface(parts),
        "resources": resources(parts),
        "tools": {tool["name"]: identity(tool) for tool in tools},
    }
