"""An in-memory store that counts objects, and scans into it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from clew.diff.trees import walk
from clew.model.content import BLOB_LIMIT, Chunk, decode_chunklist
from clew.model.entry import Entry
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.small_objects import Rules
from clew.monitor import Monitor
from clew.worktree.boundaries import Boundaries
from clew.worktree.cache import WorktreeCache
from clew.worktree.processes import SharedMaps
from clew.worktree.root import Root
from clew.worktree.scan import ScanResult, Share, scan, walk_alone

Hook = Callable[[int, bytes], object]

NO_MAPS = SharedMaps(frozenset(), 0)


class Sink:
    """Stores and returns objects; `hook` is called before each is stored."""

    def __init__(
        self, hook: Hook | None = None, objects: dict[ObjectId, bytes] | None = None
    ) -> None:
        self.objects = {} if objects is None else objects
        self.put_kinds: list[int] = []
        self.hook = hook

    def put(self, kind: int, content: bytes) -> ObjectId:
        if self.hook is not None:
            self.hook(kind, content)
        self.put_kinds.append(kind)
        identifier = object_id(kind, content)
        self.objects[identifier] = content
        return identifier

    def get(self, identifier: ObjectId) -> bytes:
        return self.objects[identifier]

    def reads(self) -> int:
        """Return how many files were read since the last call."""
        found = self.put_kinds.count(ObjectType.BLOB)
        self.put_kinds = [kind for kind in self.put_kinds if kind != ObjectType.BLOB]
        return found

    def trees(self) -> int:
        """Return how many trees were stored since the last call."""
        found = self.put_kinds.count(ObjectType.TREE)
        self.put_kinds = [kind for kind in self.put_kinds if kind != ObjectType.TREE]
        return found

    def content(self, entry: Entry) -> bytes:
        """Return the content of a file."""
        stored = self.objects[entry.content]
        if entry.size <= BLOB_LIMIT:
            return stored
        parts = []
        for token in decode_chunklist(stored):
            if isinstance(token, Chunk):
                parts.append(self.objects[token.blob])
            else:
                parts.append(bytes(token.length))
        return b"".join(parts)

    def entries(self, found: ScanResult) -> dict[bytes, Entry]:
        """Return every path of a scanned tree with its entry."""
        return dict(walk(found.tree, self.get))


def scan_into(
    root: Path,
    sink: Sink,
    cache: WorktreeCache | None = None,
    *,
    rules: Rules = Rules(),
    maps: SharedMaps = NO_MAPS,
    share: Share = walk_alone,
    started_ns: int | None = None,
) -> ScanResult:
    """Scan `root`; a given cache is updated with the result, as after a commit."""
    own = cache or WorktreeCache(os.devnull + ".none", "nobody")
    path = os.fsencode(root)
    with Root(path) as opened:
        boundaries = Boundaries(path, rules, None)
        found = scan(
            opened, boundaries, own, maps, sink.put, sink.get, Monitor(), share,
            started_ns=started_ns,
        )  # fmt: skip
    if cache is not None:
        cache.update(found.updates, found.gone)
    return found


def settle() -> None:
    """Wait until everything written so far is old enough for its stat key to be trusted."""
    time.sleep(0.03)
