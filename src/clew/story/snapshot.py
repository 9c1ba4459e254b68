"""Snapshot tree: the detectors' view of a tree, by path, with directories decoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from clew.detectors.detector import READ_LIMIT, ContentReader, PathChange, TooLarge
from clew.diff.trees import diff_trees
from clew.model.content_reader import StoredReader
from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId
from clew.model.small_objects import decode_xattrs
from clew.model.tree import Get, read_directory, read_root

Content = Callable[[bytes, Entry], Iterator[bytes]]
"""Returns the bytes of the regular file at a path, in pieces."""

Opener = Callable[[bytes], "ContentReader | None"]
"""Opens the regular file at a path of the disk; None if it is gone."""

_NOTHING: Mapping[str, Entry] = {}


class SnapshotTree:
    """One tree, read from the objects of a store or, for the live one, from the disk."""

    def __init__(
        self, root: ObjectId | None, get: Get, content: Content, open_live: Opener | None = None
    ) -> None:
        """`root` is None for an empty tree; `open_live` is for a tree whose files are not stored."""
        self._get = get
        self._content = content
        self._open_live = open_live
        self._root = read_root(root, get) if root is not None else None
        self._directories: dict[str, Mapping[str, Entry]] = {}

    def entry(self, path: str) -> Entry | None:
        if not path:
            return self._root
        parent, _, name = path.rpartition("/")
        return self.entries(parent).get(name)

    def entries(self, directory: str) -> Mapping[str, Entry]:
        missing: list[str] = []
        while directory and directory not in self._directories:
            missing.append(directory)
            directory = directory.rpartition("/")[0]
        found = self._directories[directory] if directory else self._top()
        for path in reversed(missing):
            entry = found.get(path.rpartition("/")[2])
            found = self._directories[path] = self._read(entry)
        return found

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        entry = self.entry(path)
        if entry is None or entry.kind != EntryKind.FILE:
            return None
        if entry.size > limit:
            raise TooLarge(path, entry.size)
        return b"".join(self._content(as_bytes(path), entry))

    def pieces(self, path: str) -> Iterator[bytes]:
        entry = self.entry(path)
        if entry is not None and entry.kind == EntryKind.FILE:
            yield from self._content(as_bytes(path), entry)

    def reader(self, path: str) -> ContentReader | None:
        entry = self.entry(path)
        if entry is None or entry.kind != EntryKind.FILE:
            return None
        if self._open_live is not None:
            return self._open_live(as_bytes(path))
        return StoredReader(self._get, entry.content, entry.size)

    def xattrs(self, path: str) -> Mapping[bytes, bytes]:
        entry = self.entry(path)
        if entry is None or entry.xattrs is None:
            return {}
        return decode_xattrs(self._get(entry.xattrs))

    def _top(self) -> Mapping[str, Entry]:
        found = self._directories.get("")
        if found is None:
            found = self._directories[""] = self._read(self._root)
        return found

    def _read(self, entry: Entry | None) -> Mapping[str, Entry]:
        if entry is None or not entry.is_directory:
            return _NOTHING
        return {as_text(child.name): child for child in read_directory(entry.content, self._get)}


def path_changes(old: ObjectId, new: ObjectId, get: Get) -> dict[str, PathChange]:
    """Return every path that differs by more than its mtime, in depth-first order."""
    found: dict[str, PathChange] = {}
    for change in diff_trees(old, new, get, mtimes=False):
        path = as_text(change.path)
        found[path] = PathChange(path, change.old, change.new)
    return found


def as_text(path: bytes) -> str:
    """Return a path as reversible text, as detectors use it."""
    return path.decode("utf-8", "surrogateescape")


def as_bytes(path: str) -> bytes:
    """Return the original bytes of such a path."""
    return path.encode("utf-8", "surrogateescape")
