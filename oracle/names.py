"""Names, versions, floors and image references: docs/spec/2-names.md.

Written as regular expressions, where the Rust side walks characters.
"""

import re

SLUG = r"(?=.{2,64}(?:/|\Z))[a-z](?:-?[a-z0-9])+"
ARTIFACT_NAME = re.compile(r"(?:@%s/)?%s" % (SLUG, SLUG))

NUMERIC = r"(?:0|[1-9][0-9]*)"
IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = re.compile(r"(%s)\.(%s)\.(%s)(?:-(%s(?:\.%s)*))?" % (NUMERIC, NUMERIC, NUMERIC, IDENTIFIER, IDENTIFIER))

# The grammar of the distribution project (its package `reference`).
COMPONENT = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
HOST = r"(?:%s(?:\.%s)*|\[[a-fA-F0-9:]+\])" % (COMPONENT, COMPONENT)
DOMAIN = r"%s(?::[0-9]+)?" % HOST
SEGMENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
PATH = r"%s(?:/%s)*" % (SEGMENT, SEGMENT)
TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
DIGEST = r"sha256:[0-9a-f]{64}"
REFERENCE = re.compile(r"(?:(%s)/)?(%s)(?::(%s))?(?:@(%s))?" % (DOMAIN, PATH, TAG, DIGEST))


def artifact_name(text):
    return "ok" if ARTIFACT_NAME.fullmatch(text) else "refused"


def version(text):
    match = VERSION.fullmatch(text)
    if not match or any(int(part) >= 2**53 for part in match.groups()[:3]):
        return "refused"
    return "ok"


def precedence(text):
    """SemVer 2.0, 11: a sorting key."""
    major, minor, patch, pre = VERSION.fullmatch(text).groups()
    core = (int(major), int(minor), int(patch))
    if pre is None:
        return (core, 1, ())
    parts = ((0, int(part), "") if part.isdigit() else (1, 0, part) for part in pre.split("."))
    return (core, 0, tuple(parts))


def resolve_floor(floor, published):
    """[[version, yanked], ...] -> the highest that a floor admits."""
    at_least = precedence(floor)
    allowed = []
    for candidate, yanked in published:
        key = precedence(candidate)
        prerelease_of_floor = at_least[1] == 0 and key[0] == at_least[0]
        if not yanked and key >= at_least and (key[1] == 1 or prerelease_of_floor):
            allowed.append((key, candidate))
    return "ok " + max(allowed)[1] if allowed else "none"


def image_reference(text):
    """A reference -> `ok host path tag digest`, Docker's defaults filled in."""
    first, slash, rest = text.partition("/")
    has_host = slash and ("." in first or ":" in first or first == "localhost" or first != first.lower())
    host, remote = (first, rest) if has_host else ("docker.io", text)
    if host == "index.docker.io":
        host = "docker.io"
    if host == "docker.io" and "/" not in remote:
        remote = "library/" + remote
    if re.fullmatch("[a-f0-9]{64}", text):
        return "refused"
    match = REFERENCE.fullmatch(host + "/" + remote)
    if not match or len(match.group(2)) > 255 or match.group(1) != host:
        return "refused"
    _, path, tag, digest = match.groups()
    if tag is None and digest is None:
        tag = "latest"
    return " ".join(["ok", host, path, tag or "-", digest or "-"])
