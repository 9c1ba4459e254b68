"""Trees in memory, and a naive comparison of two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Union

from clew.model.change import Change, ChangeKind
from clew.model.entry import Entry, EntryKind, Reason
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.tree import encode_entry, put_directory, put_root

Node = Union[Entry, "Directory"]
Flat = dict[bytes, Entry]


class Directory:
    """A directory that is not stored yet: its own metadata and its entries."""

    def __init__(self, nodes: Mapping[bytes, Node], own: Entry | None = None) -> None:
        self.nodes = dict(nodes)
        self.own = own or Entry(b"", EntryKind.DIRECTORY, 0o755)


class Forest:
    """An object store that counts its reads."""

    def __init__(self) -> None:
        self.objects: dict[ObjectId, bytes] = {}
        self.reads: list[ObjectId] = []

    def get(self, identifier: ObjectId) -> bytes:
        self.reads.append(identifier)
        return self.objects[identifier]

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        self.objects[identifier] = content
        return identifier

    def plant(self, directory: Directory) -> ObjectId:
        """Store a whole tree and return the id of its root."""
        return put_root(self._entry(b"", directory), self.put).tree

    def _entry(self, name: bytes, node: Node) -> Entry:
        if isinstance(node, Entry):
            return node._replace(name=name)
        children = [self._entry(child, node.nodes[child]) for child in sorted(node.nodes)]
        return self.directory(name, children, node.own)

    def directory(self, name: bytes, children: Sequence[Entry], own: Entry) -> Entry:
        """Store one directory and return its entry."""
        ids = put_directory([encode_entry(child) for child in children], self.put)
        return own._replace(name=name, content=ids.tree, state=ids.state)


def file(content: bytes = b"", *, mode: int = 0o644, mtime: int = 0) -> Entry:
    identifier = object_id(ObjectType.BLOB, content)
    return Entry(b"", EntryKind.FILE, mode, mtime_ns=mtime, size=len(content), content=identifier)


def symlink(target: bytes) -> Entry:
    return Entry(b"", EntryKind.SYMLINK, 0o777, target=target)


def device(minor: int) -> Entry:
    return Entry(b"", EntryKind.CHARACTER, 0o600, device=(1, minor))


def uncovered(reason: int = Reason.MOUNT) -> Entry:
    return Entry(b"", EntryKind.UNCOVERED, reason=reason)


def flat(directory: Directory) -> Flat:
    """Return every path of a tree, without the code under test."""
    found: Flat = {b"": directory.own}
    waiting = [(b"", directory)]
    while waiting:
        path, node = waiting.pop()
        for name, child in node.nodes.items():
            below = path + b"/" + name if path else name
            if isinstance(child, Entry):
                found[below] = child
            else:
                found[below] = child.own
                waiting.append((below, child))
    return found


def walk_order(path: bytes) -> list[bytes]:
    """Sort key of a depth-first walk."""
    return path.split(b"/") if path else []


def naive_diff(old: Flat, new: Flat, *, mtimes: bool, uncovered: bool) -> list[tuple[bytes, str]]:
    """Return the differences, path by path."""
    blind = {path for tree in (old, new) for path, entry in tree.items() if not entry.is_covered}
    found = []
    for path in sorted({*old, *new}, key=walk_order):
        before, after = old.get(path), new.get(path)
        names = path.split(b"/")
        if any(b"/".join(names[:length]) in blind for length in range(1, len(names))):
            continue
        if path in blind:
            both = before and after and not before.is_covered and not after.is_covered
            if uncovered and not both:
                found.append((path, ChangeKind.TYPE))
        elif kind := _kind(before, after, mtimes=mtimes):
            found.append((path, kind))
    return found


def _kind(old: Entry | None, new: Entry | None, *, mtimes: bool) -> str | None:
    if old is None:
        return ChangeKind.ADDED
    if new is None:
        return ChangeKind.DELETED
    if old.kind != new.kind:
        return ChangeKind.TYPE
    if (old.content, old.size, old.target, old.device) != (
        new.content,
        new.size,
        new.target,
        new.device,
    ):
        return ChangeKind.MODIFIED
    if not mtimes:
        old, new = old._replace(mtime_ns=0), new._replace(mtime_ns=0)
    return None if old == new else ChangeKind.METADATA


def kinds(changes: Sequence[Change]) -> list[tuple[bytes, str]]:
    return [(change.path, change.kind) for change in changes]
