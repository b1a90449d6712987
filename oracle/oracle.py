#!/usr/bin/env python3
"""Usage:
  oracle.py file FILE...                       SHA-256 of raw bytes
  oracle.py json [--captured] [--print] FILE   digest of the canonical form, or the form
  oracle.py surface FILE                       hashes of a surface file, as JSON
  oracle.py contracts FILE                     behaviour digests of a surface file, as JSON
  oracle.py batch WHAT                         for tests: one case a line on stdin, one answer a line

Batch cases: `json` and `json-captured` take a document in hex and answer `ok HEX` or
`refused REASON`; `image`, `name`, `version` take a text in hex; `floor` takes a JSON array
`[floor, [[version, yanked], ...]]` in hex; `surface` takes a surface file, or an object with
the same members, and answers its hashes as JSON; `contracts` likewise, with the behaviour digests.
"""

import hashlib
import json
import sys

import canonical_json
import contracts
import names
import surface


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def read(path):
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()


def answer_json(data, captured):
    try:
        return "ok " + canonical_json.canonical(canonical_json.parse(data, captured)).hex()
    except canonical_json.Refused as refused:
        return "refused " + str(refused)


def answer_surface(data):
    return json.dumps(surface.hashes(canonical_json.parse(data, True)), sort_keys=True)


def answer_contracts(data):
    return json.dumps(contracts.hashes(canonical_json.parse(data, True)), sort_keys=True)


BATCH = {
    "contracts": answer_contracts,
    "surface": answer_surface,
    "json": lambda data: answer_json(data, False),
    "json-captured": lambda data: answer_json(data, True),
    "image": lambda data: names.image_reference(data.decode()),
    "name": lambda data: names.artifact_name(data.decode()),
    "version": lambda data: names.version(data.decode()),
    "floor": lambda data: names.resolve_floor(*json.loads(data)),
}


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    command, rest = arguments[0], arguments[1:]
    if command == "file":
        for path in rest:
            print(digest(read(path)) + "  " + path)
    elif command == "json":
        form = canonical_json.canonical(canonical_json.parse(read(rest[-1]), "--captured" in rest))
        if "--print" in rest:
            sys.stdout.buffer.write(form)
        else:
            print(digest(form))
    elif command == "surface":
        print(answer_surface(read(rest[0])))
    elif command == "contracts":
        print(answer_contracts(read(rest[0])))
    elif command == "batch":
        for line in sys.stdin:
            print(BATCH[rest[0]](bytes.fromhex(line.strip())))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    try:
        main(sys.argv[1:])
    except canonical_json.Refused as refused:
        sys.exit("refused: " + str(refused))
