"""Tree edits: replaces some paths of a tree, writing only the directories above them.

An edit is an entry, or None to remove a path with everything below it.  The content of a directory's
entry is the base of its edits; `NO_ID` is an empty directory.
"""

from __future__ import annotations

from collections.abc import Mapping

from clew.model.entry import NO_ID, Entry
from clew.model.ids import ObjectId
from clew.model.path import ROOT, name_of, parent_of
from clew.model.tree import (
    Get,
    Put,
    TreeIds,
    decode_one,
    encode_entry,
    put_directory,
    put_root,
    raw_entries,
    read_root,
)

Edits = Mapping[bytes, Entry | None]
Listing = dict[bytes, bytes]
"""The encoded entries of a directory by name."""


def edited(
    root: ObjectId, edits: Edits, get: Get, put: Put, *, mtime_ns: int | None = None
) -> TreeIds:
    """Store the tree `root` with `edits` applied, and return its ids.

    An existing directory in which names are added or removed gets `mtime_ns`, if given.
    """
    edit = _Edit(edits, get, put, mtime_ns)
    return edit.make(root)


class _Edit:
    """The directories above the edits: opened from the top, closed from the bottom."""

    def __init__(self, edits: Edits, get: Get, put: Put, mtime_ns: int | None) -> None:
        self._edits = edits
        self._get = get
        self._put = put
        self._mtime_ns = mtime_ns
        self._own: dict[bytes, Entry] = {}
        self._listings: dict[bytes, Listing] = {}
        self._names: dict[bytes, set[bytes]] = {}
        """The names in each directory before the edits."""

    def make(self, root: ObjectId) -> TreeIds:
        self._open(ROOT, self._edits.get(ROOT) or read_root(root, self._get))
        self._open_directories()
        for path, entry in self._edits.items():
            if path and path not in self._own:
                self._set(path, entry)
        for path in sorted(self._own, key=_depth, reverse=True):
            if path:
                self._set(path, self._closed(path))
        return put_root(self._closed(ROOT), self._put)

    def _open_directories(self) -> None:
        """Open every existing directory that an edit is in or replaces."""
        for path in sorted(self._directories_to_open(), key=_depth):
            if parent_of(path) in self._own:
                entry = self._entry(path)
                if entry is not None and entry.is_directory:
                    self._open(path, entry)

    def _directories_to_open(self) -> set[bytes]:
        found = {path for path, entry in self._edits.items() if entry and entry.is_directory}
        for path in self._edits:
            above = parent_of(path)
            while above and above not in found:
                found.add(above)
                above = parent_of(above)
        return found - {ROOT}

    def _entry(self, path: bytes) -> Entry | None:
        if path in self._edits:
            return self._edits[path]
        encoded = self._listings[parent_of(path)].get(name_of(path))
        return decode_one(encoded) if encoded is not None else None

    def _open(self, path: bytes, own: Entry) -> None:
        self._own[path] = own
        is_new = own.content == NO_ID
        self._listings[path] = {} if is_new else raw_entries(own.content, self._get)
        self._names[path] = set(self._listings[path])

    def _set(self, path: bytes, entry: Entry | None) -> None:
        listing = self._listings.get(parent_of(path))
        name = name_of(path)
        if entry is None:
            if listing is not None:  # otherwise it was removed with its directory
                listing.pop(name, None)
        elif listing is None:
            raise ValueError(f"Not a directory: {path!r}")
        else:
            listing[name] = encode_entry(entry._replace(name=name))

    def _closed(self, path: bytes) -> Entry:
        own, listing = self._own.pop(path), self._listings.pop(path)
        ids = put_directory([listing[name] for name in sorted(listing)], self._put)
        is_new = own.content == NO_ID
        if self._mtime_ns is not None and not is_new and listing.keys() != self._names[path]:
            own = own._replace(mtime_ns=self._mtime_ns)
        return own._replace(content=ids.tree, state=ids.state)


def _depth(path: bytes) -> int:
    return path.count(b"/") + bool(path)
