"""Tree encoding: directories as bytes; see docs/format.md, 3.3.

The decoder is safe for hostile input.  It accepts only the canonical form, so a name with a slash, a
duplicate name, or entries out of order can never reach a restore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from struct import Struct
from struct import error as StructError
from zlib import crc32

from clew.model.entry import KEPT_FLAGS, NO_ID, NO_STATE, Entry, EntryKind, Reason
from clew.model.ids import ObjectId, ObjectType, StateId, state_id
from clew.model.named_tuple import NamedTuple

WIDE = 512
"""A directory with more entries than this is split into leaves."""

LEAF, BRANCH = 0, 1

_HAS_XATTRS, _HAS_FLAGS, _ALL_FLAGS = 1, 2, 3
_ALL_MODES = 0o7777
_BILLION = 1_000_000_000

_HEAD = Struct("<BBHIIqI")
_FILE_TAIL = Struct("<Q32s")
_PLAIN_FILE = Struct("<BBHIIqIQ32s")
_DIRECTORY_TAIL = Struct("<32s32s")
_DEVICE_TAIL = Struct("<II")
_U16 = Struct("<H")
_U32 = Struct("<I")
_MTIME_AT = 12  # bytes from the type byte to the mtime
_MTIME_BYTES = 12

Put = Callable[[int, bytes], ObjectId]
Get = Callable[[ObjectId], bytes]


class TreeIds(NamedTuple):
    """Both ids of one directory."""

    tree: ObjectId
    state: StateId


class Leaf(NamedTuple):
    """One line of a branch."""

    last_name: bytes
    entries: int
    tree: ObjectId


def encode_entry(entry: Entry) -> bytes:
    """Return the bytes of `entry` inside a leaf."""
    head = bytes([len(entry.name)]) + entry.name
    kind = entry.kind
    if kind == EntryKind.UNCOVERED:
        return head + bytes([kind, 0, entry.reason])
    flags = (_HAS_XATTRS if entry.xattrs is not None else 0) | (_HAS_FLAGS if entry.flags else 0)
    seconds, nanoseconds = divmod(entry.mtime_ns, _BILLION)
    body = _HEAD.pack(kind, flags, entry.mode, entry.uid, entry.gid, seconds, nanoseconds)
    if kind == EntryKind.FILE:
        tail = _FILE_TAIL.pack(entry.size, entry.content)
    elif kind == EntryKind.DIRECTORY:
        tail = _DIRECTORY_TAIL.pack(entry.content, entry.state)
    elif kind == EntryKind.SYMLINK:
        tail = _U16.pack(len(entry.target)) + entry.target
    elif kind in (EntryKind.CHARACTER, EntryKind.BLOCK):
        tail = _DEVICE_TAIL.pack(*entry.device)
    else:
        tail = b""
    if entry.xattrs is not None:
        tail += entry.xattrs
    if entry.flags:
        tail += _U32.pack(entry.flags)
    return head + body + tail


def encode_plain_file(
    name: bytes, mode: int, uid: int, gid: int, mtime_ns: int, size: int, content: bytes
) -> bytes:
    """Encode a file without xattrs and flags: a fast path for nine of ten entries."""
    return b"%c%b%b" % (
        len(name),
        name,
        _PLAIN_FILE.pack(
            1, 0, mode, uid, gid, mtime_ns // _BILLION, mtime_ns % _BILLION, size, content
        ),
    )


def state_bytes(encoded: bytes) -> bytes:
    """Return the part of an encoded entry that is hashed into its directory's state id."""
    at = 1 + encoded[0]
    kind = encoded[at]
    if kind == EntryKind.UNCOVERED:
        return b"" if encoded[at + 2] in Reason.BY_RULE else encoded
    mtime = at + _MTIME_AT
    after = mtime + _MTIME_BYTES
    if kind == EntryKind.DIRECTORY:
        return encoded[:mtime] + bytes(_MTIME_BYTES + 32) + encoded[after + 32 :]
    return encoded[:mtime] + bytes(_MTIME_BYTES) + encoded[after:]


def put_directory(encoded: list[bytes], put: Put) -> TreeIds:
    """Store a directory given its encoded entries, sorted by name, and return both its ids."""
    state = state_id(b"".join(map(state_bytes, encoded)))
    if len(encoded) <= WIDE:
        return TreeIds(put(ObjectType.TREE, b"\x00" + b"".join(encoded)), state)
    lines = [b"\x01"]
    for leaf in _split_leaves(encoded):
        last = leaf[-1]
        tree = put(ObjectType.TREE, b"\x00" + b"".join(leaf))
        lines.append(last[: 1 + last[0]] + _U32.pack(len(leaf)) + tree)
    return TreeIds(put(ObjectType.TREE, b"".join(lines)), state)


def put_root(root: Entry, put: Put) -> TreeIds:
    """Store the tree that holds only the root's own entry."""
    encoded = encode_entry(root._replace(name=b""))
    tree = put(ObjectType.TREE, b"\x00" + encoded)
    return TreeIds(tree, state_id(state_bytes(encoded)))


def checkpoint_state(root: StateId, links: ObjectId) -> StateId:
    """Return the state id of a checkpoint, from its root and its hard links."""
    return state_id(root + links)


def read_root(tree: ObjectId, get: Get) -> Entry:
    """Return the root's own entry."""
    content = get(tree)
    if content[:1] != b"\x00":
        raise ValueError("A root tree must be a leaf")
    entry, end = _decode_entry(content, 1)
    if end != len(content) or entry.name or entry.kind != EntryKind.DIRECTORY:
        raise ValueError("A root tree holds one directory without a name")
    return entry


def read_directory(tree: ObjectId, get: Get) -> Iterator[Entry]:
    """Yield the entries of a directory in order, from a leaf or a branch."""
    content = get(tree)
    if content[:1] == b"\x01":
        last = b""
        for line in decode_branch(content):
            yield from read_leaf(line, last, get)
            last = line.last_name
    else:
        yield from decode_leaf(content)


def read_leaf(line: Leaf, after: bytes, get: Get) -> list[Entry]:
    """Return the entries of one leaf of a branch, whose previous leaf ended with `after`.

    Each leaf is canonical by itself; only this check keeps a name from being in two of them.
    """
    entries = decode_leaf(get(line.tree))
    if (
        len(entries) != line.entries
        or not entries
        or entries[0].name <= after
        or entries[-1].name != line.last_name
    ):
        raise ValueError("A leaf is not what its branch says")
    return entries


def raw_entries(tree: ObjectId, get: Get) -> dict[bytes, bytes]:
    """Return the encoded entries of a directory by name, for a scan that reuses most of them."""
    content = get(tree)
    found: dict[bytes, bytes] = {}
    parts = [content]
    if content[:1] == b"\x01":
        parts = [get(leaf.tree) for leaf in decode_branch(content)]
    try:
        for part in parts:
            at = 1
            while at < len(part):
                end = _entry_end(part, at)
                found[part[at + 1 : at + 1 + part[at]]] = part[at:end]
                at = end
            if at != len(part) or part[:1] != b"\x00":
                raise ValueError("A tree ends early")
    except (IndexError, StructError, KeyError) as error:
        raise ValueError("A tree ends early or holds an unknown type") from error
    return found


def count_files(root: ObjectId, get: Get) -> int:
    """Return the number of entries of a tree that are not directories."""
    number = 0
    pending = [root]
    while pending:
        for encoded in raw_entries(pending.pop(), get).values():
            if encoded[1 + encoded[0]] == EntryKind.DIRECTORY:
                pending.append(decode_one(encoded).content)
            else:
                number += 1
    return number


def decode_leaf(content: bytes) -> list[Entry]:
    """Return the entries of one leaf; raise ValueError if it is not canonical."""
    if content[:1] != b"\x00":
        raise ValueError("Not a leaf")
    entries: list[Entry] = []
    at, last = 1, b""
    while at < len(content):
        entry, at = _decode_entry(content, at)
        _check_name(entry.name, last)
        last = entry.name
        entries.append(entry)
    return entries


def decode_branch(content: bytes) -> list[Leaf]:
    """Return the lines of one branch."""
    if content[:1] != b"\x01":
        raise ValueError("Not a branch")
    lines: list[Leaf] = []
    at, last = 1, b""
    while at < len(content):
        length = content[at]
        name = content[at + 1 : at + 1 + length]
        at += 1 + length
        if at + 36 > len(content):
            raise ValueError("A branch ends early")
        _check_name(name, last)
        (count,) = _U32.unpack_from(content, at)
        lines.append(Leaf(name, count, ObjectId(content[at + 4 : at + 36])))
        last = name
        at += 36
    return lines


def references(content: bytes) -> Iterator[tuple[int, ObjectId, int]]:
    """Yield the references of a tree, as (kind of object, id, size of a file), for gc."""
    if content[:1] == b"\x01":
        for leaf in decode_branch(content):
            yield ObjectType.TREE, leaf.tree, 0
        return
    if content[:1] != b"\x00":
        raise ValueError("Not a tree")
    at = 1
    while at < len(content):
        entry, at = _decode_entry(content, at)
        if entry.xattrs is not None:
            yield ObjectType.XATTRS, entry.xattrs, 0
        if entry.kind == EntryKind.DIRECTORY:
            yield ObjectType.TREE, entry.content, 0
        elif entry.kind == EntryKind.FILE:
            yield ObjectType.BLOB, entry.content, entry.size


def decode_one(encoded: bytes) -> Entry:
    """Decode the result of `encode_entry`."""
    entry, end = _decode_entry(encoded, 0)
    if end != len(encoded):
        raise ValueError("Bytes after an entry")
    return entry


def _split_leaves(encoded: list[bytes]) -> Iterable[list[bytes]]:
    leaf: list[bytes] = []
    for entry in encoded:
        leaf.append(entry)
        if not crc32(entry[1 : 1 + entry[0]]) & 0xFF:
            yield leaf
            leaf = []
    if leaf:
        yield leaf


def _check_name(name: bytes, last: bytes) -> None:
    if not name or name in (b".", b"..") or b"/" in name or b"\x00" in name:
        raise ValueError(f"Not a file name: {name!r}")
    if name <= last:
        raise ValueError(f"Names out of order: {name!r}")


_TAILS = {
    EntryKind.FILE: _FILE_TAIL.size,
    EntryKind.DIRECTORY: _DIRECTORY_TAIL.size,
    EntryKind.FIFO: 0,
    EntryKind.SOCKET: 0,
    EntryKind.CHARACTER: _DEVICE_TAIL.size,
    EntryKind.BLOCK: _DEVICE_TAIL.size,
}


def _entry_end(data: bytes, at: int) -> int:
    at += 1 + data[at]
    kind, flags = data[at], data[at + 1]
    if kind == EntryKind.UNCOVERED:
        return at + 3
    at += _HEAD.size
    if kind == EntryKind.SYMLINK:
        at += 2 + _U16.unpack_from(data, at)[0]
    else:
        at += _TAILS[kind]
    return at + (32 if flags & _HAS_XATTRS else 0) + (4 if flags & _HAS_FLAGS else 0)


def _decode_entry(data: bytes, at: int) -> tuple[Entry, int]:
    try:
        return _decode_fields(data, at)
    except (IndexError, StructError, KeyError) as error:
        raise ValueError("A tree ends early or holds an unknown type") from error


def _decode_fields(data: bytes, at: int) -> tuple[Entry, int]:
    end = _entry_end(data, at)
    if end > len(data):
        raise ValueError("A tree ends early")
    length = data[at]
    name = data[at + 1 : at + 1 + length]
    at += 1 + length
    if data[at] == EntryKind.UNCOVERED:
        if data[at + 1]:
            raise ValueError("An uncovered entry has no flags")
        return Entry(name, EntryKind.UNCOVERED, reason=data[at + 2]), end
    kind, flags, mode, uid, gid, seconds, nanoseconds = _HEAD.unpack_from(data, at)
    if flags > _ALL_FLAGS or mode > _ALL_MODES or nanoseconds >= _BILLION:
        raise ValueError("An entry's fields are out of range")
    at += _HEAD.size
    size, content, state, target, device = 0, NO_ID, NO_STATE, b"", (0, 0)
    if kind == EntryKind.FILE:
        size, raw = _FILE_TAIL.unpack_from(data, at)
        content = ObjectId(raw)
        at += _FILE_TAIL.size
    elif kind == EntryKind.DIRECTORY:
        raw, raw_state = _DIRECTORY_TAIL.unpack_from(data, at)
        content, state = ObjectId(raw), StateId(raw_state)
        at += _DIRECTORY_TAIL.size
    elif kind == EntryKind.SYMLINK:
        (length,) = _U16.unpack_from(data, at)
        target = data[at + 2 : at + 2 + length]
        at += 2 + length
    elif kind in (EntryKind.CHARACTER, EntryKind.BLOCK):
        major, minor = _DEVICE_TAIL.unpack_from(data, at)
        device = (major, minor)
        at += _DEVICE_TAIL.size
    xattrs: ObjectId | None = None
    if flags & _HAS_XATTRS:
        xattrs = ObjectId(data[at : at + 32])
        at += 32
    inode_flags = 0
    if flags & _HAS_FLAGS:
        (inode_flags,) = _U32.unpack_from(data, at)
        if not inode_flags or inode_flags & ~KEPT_FLAGS:
            raise ValueError("An entry's inode flags are none or unknown")
    mtime_ns = seconds * _BILLION + nanoseconds
    return (
        Entry(
            name, kind, mode, uid, gid, mtime_ns, size, content, state, target, device,
            xattrs, inode_flags,
        ),
        end,
    )  # fmt: skip
