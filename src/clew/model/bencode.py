"""Bencode: a canonical encoding of integers, bytes, lists and dictionaries.

Used for the small objects (docs/format.md, 3.5).  The decoder is safe for hostile input: it accepts
only the canonical form and raises ``ValueError`` for anything else.
"""

from __future__ import annotations

Value = int | bytes | list["Value"] | dict[bytes, "Value"]

_MAX_DEPTH = 32


def encode(value: Value) -> bytes:
    """Return the canonical encoding of `value`."""
    out: list[bytes] = []
    _encode(value, out)
    return b"".join(out)


def decode(content: bytes) -> Value:
    """Return the value that `content` encodes."""
    try:
        value, end = _decode(content, 0, 0)
    except (IndexError, ValueError) as error:
        raise ValueError("Not canonical bencode") from error
    if end != len(content):
        raise ValueError("Bytes after the end of bencode")
    return value


def decode_dict(content: bytes) -> dict[bytes, Value]:
    """Return the dictionary that `content` encodes."""
    value = decode(content)
    if not isinstance(value, dict):
        raise ValueError("Not a dictionary")
    return value


def bytes_of(value: Value, length: int | None = None) -> bytes:
    """Return `value` if it is bytes, of `length` if given; raise TypeError otherwise."""
    if not isinstance(value, bytes) or length not in (None, len(value)):
        raise TypeError(value)
    return value


def number_of(value: Value) -> int:
    """Return `value` if it is a number; raise TypeError otherwise."""
    if not isinstance(value, int):
        raise TypeError(value)
    return value


def list_of(value: Value) -> list[Value]:
    """Return `value` if it is a list; raise TypeError otherwise."""
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _encode(value: Value, out: list[bytes]) -> None:
    if isinstance(value, bytes):
        out.append(b"%d:" % len(value))
        out.append(value)
    elif isinstance(value, int):
        out.append(b"i%de" % value)
    elif isinstance(value, list):
        out.append(b"l")
        for item in value:
            _encode(item, out)
        out.append(b"e")
    else:
        out.append(b"d")
        for key in sorted(value):
            _encode(key, out)
            _encode(value[key], out)
        out.append(b"e")


def _decode(data: bytes, at: int, depth: int) -> tuple[Value, int]:
    if depth > _MAX_DEPTH:
        raise ValueError("Nested too deeply")
    head = data[at : at + 1]
    if head == b"i":
        end = data.index(b"e", at)
        return _number(data[at + 1 : end]), end + 1
    if head == b"l":
        items: list[Value] = []
        at += 1
        while data[at] != ord("e"):
            item, at = _decode(data, at, depth + 1)
            items.append(item)
        return items, at + 1
    if head == b"d":
        return _decode_dict(data, at + 1, depth)
    return _decode_bytes(data, at)


def _decode_dict(data: bytes, at: int, depth: int) -> tuple[Value, int]:
    found: dict[bytes, Value] = {}
    last: bytes | None = None
    while data[at] != ord("e"):
        key, at = _decode_bytes(data, at)
        if last is not None and key <= last:
            raise ValueError("Keys out of order")
        found[key], at = _decode(data, at, depth + 1)
        last = key
    return found, at + 1


def _decode_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    colon = data.index(b":", at)
    length = _number(data[at:colon])
    end = colon + 1 + length
    if length < 0 or end > len(data):
        raise ValueError("Length beyond the end")
    return data[colon + 1 : end], end


def _number(digits: bytes) -> int:
    if len(digits) > 40:
        raise ValueError("Number too long")
    number = int(digits)
    if b"%d" % number != digits:
        raise ValueError("Number not canonical")
    return number
