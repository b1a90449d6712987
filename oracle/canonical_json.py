"""Strict JSON and its canonical form: docs/spec/1-digests-and-json.md.

Reads bytes, never text that somebody else decoded. Python's own `json` is not used: it
keeps the last of two equal names and lets lone surrogates through.
"""

import re

# A definition alone; a file around definitions has a few levels more.
MAX_DEPTH = 128
MAX_SAFE_INTEGER = 2**53 - 1
MAX_INTEGER_DIGITS = 1024

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
SHORT_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Refused(Exception):
    """The input is not the JSON that the specification accepts."""


class Integer:
    """An integer that keeps the digits it was written with."""

    def __init__(self, literal):
        self.literal = literal


def parse(data, captured=False):
    """bytes -> None, bool, Integer, float, str, list, or dict."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise Refused("byte-order-mark")
    try:
        text = data.decode("utf-8", "strict")
    except UnicodeDecodeError:
        raise Refused("invalid-utf8") from None
    value, at = read_value(text, skip(text, 0), 0, captured)
    if skip(text, at) != len(text):
        raise Refused("trailing-bytes")
    return value


def skip(text, at):
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at


def read_value(text, at, depth, captured):
    for word, value in (("null", None), ("true", True), ("false", False)):
        if text.startswith(word, at):
            return value, at + len(word)
    first = text[at : at + 1]
    if first == "{" or first == "[":
        if depth + 1 > MAX_DEPTH:
            raise Refused("too-deep")
        reader = read_object if first == "{" else read_array
        return reader(text, at + 1, depth + 1, captured)
    if first == '"':
        return read_string(text, at + 1)
    return read_number(text, at, captured)


def read_array(text, at, depth, captured):
    items = []
    at = skip(text, at)
    if text[at : at + 1] == "]":
        return items, at + 1
    while True:
        value, at = read_value(text, skip(text, at), depth, captured)
        items.append(value)
        at = skip(text, at)
        separator = text[at : at + 1]
        at += 1
        if separator == "]":
            return items, at
        if separator != ",":
            raise Refused("syntax")


def read_object(text, at, depth, captured):
    members = {}
    at = skip(text, at)
    if text[at : at + 1] == "}":
        return members, at + 1
    while True:
        at = skip(text, at)
        if text[at : at + 1] != '"':
            raise Refused("syntax")
        name, at = read_string(text, at + 1)
        at = skip(text, at)
        if text[at : at + 1] != ":":
            raise Refused("syntax")
        value, at = read_value(text, skip(text, at + 1), depth, captured)
        if name in members:
            raise Refused("duplicate-member")
        members[name] = value
        at = skip(text, at)
        separator = text[at : at + 1]
        at += 1
        if separator == "}":
            return members, at
        if separator != ",":
            raise Refused("syntax")


def read_string(text, at):
    units = []
    while True:
        character = text[at : at + 1]
        if character == "" or character < " ":
            raise Refused("syntax")
        if character == '"':
            break
        if character != "\\":
            units.append(character)
            at += 1
            continue
        escape = text[at + 1 : at + 2]
        if escape in SHORT_ESCAPES and escape != "":
            units.append(SHORT_ESCAPES[escape])
            at += 2
        elif escape == "u" and re.fullmatch("[0-9a-fA-F]{4}", text[at + 2 : at + 6]):
            units.append(chr(int(text[at + 2 : at + 6], 16)))
            at += 6
        else:
            raise Refused("syntax")
    # Escaped surrogates are joined into characters; one that is left over is refused.
    try:
        joined = "".join(units).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "strict")
    except UnicodeDecodeError:
        raise Refused("lone-surrogate") from None
    return joined, at + 1


def read_number(text, at, captured):
    match = NUMBER.match(text, at)
    if not match:
        raise Refused("syntax")
    literal, end = match.group(), match.end()
    if INTEGER.fullmatch(literal):
        digits = literal.lstrip("-")
        large = len(digits) > 16 or int(digits) > MAX_SAFE_INTEGER
        if large and not captured:
            raise Refused("integer-out-of-range")
        if large and len(digits) > MAX_INTEGER_DIGITS:
            raise Refused("integer-too-long")
        return Integer("0" if literal == "-0" else literal), end
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        raise Refused("number-overflow")
    return value, end


def canonical(value):
    """A value from `parse` -> the bytes that are hashed (RFC 8785)."""
    return write(value).encode("utf-8")


def write(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, Integer):
        return value.literal
    if isinstance(value, float):
        return write_double(value)
    if isinstance(value, str):
        return write_string(value)
    if isinstance(value, list):
        return "[" + ",".join(write(item) for item in value) + "]"
    names = sorted(value, key=utf16)
    return "{" + ",".join(write_string(name) + ":" + write(value[name]) for name in names) + "}"


def utf16(text):
    """Sorting key: the big-endian bytes of the UTF-16 code units."""
    return text.encode("utf-16-be")


def write_string(text):
    named = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    escaped = (named.get(c) or ("\\u%04x" % ord(c) if c < " " else c) for c in text)
    return '"' + "".join(escaped) + '"'


def write_double(value):
    """ECMAScript's Number::toString, steps 5 to 10. Python's `repr` finds the same digits."""
    if value == 0:
        return "0"
    if value < 0:
        return "-" + write_double(-value)
    mantissa, _, exponent = ("%s" % repr(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    # value = 0.DIGITS * 10^n
    digits = (whole + fraction).lstrip("0")
    n = len(whole) + int(exponent or 0)
    if whole == "0":
        n = int(exponent or 0) - (len(fraction) - len(fraction.lstrip("0")))
    digits = digits.rstrip("0")
    k = len(digits)
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    sign = "+" if n - 1 >= 0 else "-"
    tail = "e" + sign + str(abs(n - 1))
    return digits + tail if k == 1 else digits[0] + "." + digits[1:] + tail
