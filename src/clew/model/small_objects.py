"""Small objects: xattrs, links and rules; see docs/format.md, 3.2 to 3.5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from struct import Struct

from clew.model import bencode
from clew.model.named_tuple import NamedTuple

_U16 = Struct("<H")
_U32 = Struct("<I")


def encode_xattrs(xattrs: Mapping[bytes, bytes]) -> bytes:
    """Return the canonical encoding of a set of extended attributes."""
    parts = []
    for name in sorted(xattrs):
        value = xattrs[name]
        parts.append(_U16.pack(len(name)) + name + _U32.pack(len(value)) + value)
    return b"".join(parts)


def decode_xattrs(content: bytes) -> dict[bytes, bytes]:
    """Decode the result of `encode_xattrs`."""
    found: dict[bytes, bytes] = {}
    at, last = 0, b""
    while at < len(content):
        name, at = _sized(content, at, _U16)
        value, at = _sized(content, at, _U32)
        if name <= last or b"\x00" in name:
            raise ValueError("Xattrs out of order")
        found[name] = value
        last = name
    return found


Group = tuple[bytes, ...]
"""The paths of one inode, sorted."""


def encode_links(groups: Iterable[Group]) -> bytes:
    """Return the canonical encoding of the hard links of a checkpoint."""
    parts = []
    for group in sorted(tuple(sorted(group)) for group in groups):
        parts.append(_U32.pack(len(group)))
        parts.extend(_U32.pack(len(path)) + path for path in group)
    return b"".join(parts)


def decode_links(content: bytes) -> list[Group]:
    """Decode the result of `encode_links`."""
    groups: list[Group] = []
    seen: set[bytes] = set()
    at = 0
    while at < len(content):
        if at + 4 > len(content):
            raise ValueError("Links end early")
        (count,) = _U32.unpack_from(content, at)
        at += 4
        paths = []
        for _ in range(count):
            path, at = _sized(content, at, _U32)
            paths.append(path)
        group = tuple(paths)
        if count < 2 or sorted(set(paths)) != paths or (groups and group <= groups[-1]):
            raise ValueError("Links out of order")
        if not seen.isdisjoint(paths) or not all(map(_is_path, paths)):
            raise ValueError("Links name a path twice, or no path")
        seen.update(paths)
        groups.append(group)
    return groups


class Rules(NamedTuple):
    """What the user excluded, and whether the root is that of a whole machine."""

    patterns: tuple[bytes, ...] = ()
    machine: bool = False
    larger_than: int | None = None
    """Regular files with more bytes are excluded."""

    def encode(self) -> bytes:
        fields: dict[bytes, bencode.Value] = {
            b"machine": int(self.machine),
            b"patterns": list(self.patterns),
        }
        if self.larger_than is not None:  # otherwise as older versions encode it
            fields[b"larger_than"] = self.larger_than
        return bencode.encode(fields)

    @classmethod
    def decode(cls, content: bytes) -> Rules:
        found = bencode.decode_dict(content)
        patterns = found.get(b"patterns")
        if not isinstance(patterns, list) or not all(isinstance(item, bytes) for item in patterns):
            raise ValueError("Rules without patterns")
        texts = tuple(item for item in patterns if isinstance(item, bytes))
        limit = found.get(b"larger_than")
        largest = limit if isinstance(limit, int) and limit >= 0 else None
        rules = cls(texts, found.get(b"machine") == 1, largest)
        # With an unknown rule, the absence of a path would prove nothing.
        if rules.encode() != content:
            raise ValueError("Rules of a newer clew")
        return rules


def _is_path(path: bytes) -> bool:
    framed = b"/" + path + b"/"
    return not any(bad in framed for bad in (b"//", b"/./", b"/../", b"\x00"))


def _sized(content: bytes, at: int, length: Struct) -> tuple[bytes, int]:
    if at + length.size > len(content):
        raise ValueError("An object ends early")
    (size,) = length.unpack_from(content, at)
    start = at + length.size
    if start + size > len(content):
        raise ValueError("An object ends early")
    return content[start : start + size], start + size
