"""Recordings: everything detectors read for a story, so that it can be derived again.

A frozen scenario is small: the paths that changed, and only the bytes that were read.
`make test` derives the frozen stories again, without a network and without root.
"""

from __future__ import annotations

import json
import lzma
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from clew.detectors.detector import (
    READ_LIMIT,
    ContentReader,
    Evidence,
    PathChange,
    TooLarge,
    Tree,
)
from clew.detectors.registry import DETECTORS, SORTERS
from clew.model.checkpoint import Checkpoint
from clew.model.content_reader import BytesReader
from clew.model.entry import Entry
from clew.model.ids import ObjectId, StateId
from clew.model.signals import Signals
from clew.model.story import Story
from clew.story.analyse import analyse
from clew.story.compose import compose
from clew.story.observed import observed_facts
from clew.story.snapshot import SnapshotTree, path_changes
from clew.workspace import Workspace


class Recording(NamedTuple):
    """One story, and its input."""

    story: Story
    changes: tuple[PathChange, ...]
    old: RecordingTree
    new: RecordingTree
    claimed: int
    machine: bool
    """Whether the trees are those of a whole machine."""

    @property
    def coverage(self) -> tuple[int, int]:
        """How many changed paths are misplaced, and how many a detector explains."""
        told = [path for line in self.story.lines for path in line.paths]
        misplaced = len({change.path for change in self.changes} ^ set(told))
        return misplaced + len(told) - len(set(told)), self.claimed


class RecordingTree:
    """A tree that records every answer."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.answers: dict[str, Any] = {}

    def entry(self, path: str) -> Entry | None:
        found = self._tree.entry(path)
        self.answers[f"entry {path}"] = found and _plain(found)
        return found

    def entries(self, directory: str) -> Mapping[str, Entry]:
        found = self._tree.entries(directory)
        self.answers[f"entries {directory}"] = {name: _plain(one) for name, one in found.items()}
        return found

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        try:
            found = self._tree.read(path, limit)
        except TooLarge:
            self.entry(path)
            raise
        self.answers[f"read {path}"] = None if found is None else b64encode(found).decode()
        return found

    def pieces(self, path: str) -> Iterator[bytes]:
        kept = []
        for piece in self._tree.pieces(path):
            kept.append(piece)
            self.answers[f"pieces {path}"] = b64encode(b"".join(kept)).decode()
            yield piece

    def reader(self, path: str) -> ContentReader | None:
        found = self._tree.reader(path)
        if found is None:
            return None
        parts = self.answers.setdefault(f"reader {path}", {"size": found.size})
        return _RecordingReader(found, parts)

    def xattrs(self, path: str) -> Mapping[bytes, bytes]:
        found = self._tree.xattrs(path)
        self.answers[f"xattrs {path}"] = [
            [b64encode(one).decode() for one in pair] for pair in found.items()
        ]
        return found


class _RecordingReader:
    """A reader that records every answer."""

    def __init__(self, reader: ContentReader, parts: dict[str, Any]) -> None:
        self._reader = reader
        self._parts = parts
        self.size = reader.size

    def read(self, at: int, length: int) -> bytes:
        found = self._reader.read(at, length)
        self._parts[f"{at} {length}"] = b64encode(found).decode()
        return found

    def runs(self, at: int, length: int) -> tuple[object, ...]:
        found = self._reader.runs(at, length)
        self._parts[f"runs {at} {length}"] = repr(found) if found else ""
        return found


class _ReplayedReader:
    """A reader that has only the answers of a recording."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self._parts = parts
        self.size: int = parts["size"]

    def read(self, at: int, length: int) -> bytes:
        return b64decode(self._parts[f"{at} {length}"])

    def runs(self, at: int, length: int) -> tuple[object, ...]:
        found = self._parts[f"runs {at} {length}"]
        return (found,) if found else ()


class ReplayedTree:
    """A tree that has only the answers of a recording."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._answers = answers

    def entry(self, path: str) -> Entry | None:
        found = self._answers[f"entry {path}"]
        return found and _entry(found)

    def entries(self, directory: str) -> Mapping[str, Entry]:
        return {name: _entry(one) for name, one in self._answers[f"entries {directory}"].items()}

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        key = f"read {path}"
        if key not in self._answers:
            entry = self.entry(path)
            raise TooLarge(path, entry.size if entry else 0)
        found = self._answers[key]
        return None if found is None else b64decode(found)

    def pieces(self, path: str) -> Iterator[bytes]:
        found = self._answers.get(f"pieces {path}")
        if found is not None:
            yield b64decode(found)

    def reader(self, path: str) -> ContentReader | None:
        parts = self._answers.get(f"reader {path}")
        if parts is not None:
            return _ReplayedReader(parts)
        whole = self._answers.get(f"pieces {path}")  # as before there were readers
        return None if whole is None else BytesReader(b64decode(whole))

    def xattrs(self, path: str) -> Mapping[bytes, bytes]:
        pairs = self._answers[f"xattrs {path}"]
        return {b64decode(name): b64decode(value) for name, value in pairs}


def record(
    workspace: Workspace, first: Checkpoint, second: Checkpoint, *, live: bool = False
) -> tuple[Recording, float]:
    """Derive the story between two checkpoints in this process, and time it.

    `live` also tells what started, stopped and listens, which comes from the whole host.
    """
    objects = workspace._access.store.objects  # an evaluation looks behind the library's door
    started = time.perf_counter()

    def tree(checkpoint: Checkpoint) -> RecordingTree:
        return RecordingTree(
            SnapshotTree(
                checkpoint.record.tree,
                objects.get,
                lambda _, entry: objects.content(entry.content, entry.size),
            )
        )

    old, new = tree(first), tree(second)
    changes = path_changes(first.record.tree, second.record.tree, objects.get)
    scratch = Path(workspace.store.path) / "tmp" / "evaluation"
    scratch.mkdir(exist_ok=True)
    evidence = Evidence(old, new, changes, machine=workspace.info.machine, scratch=str(scratch))
    results = list(analyse(evidence, DETECTORS, SORTERS))
    signals = [_signals(objects.get, checkpoint) for checkpoint in (first, second)]
    root = os.fsdecode(workspace.info.path)
    observed = observed_facts(signals[0], signals[1], root) if live else ()
    story = compose(evidence, results, observed)
    seconds = time.perf_counter() - started
    found = Recording(
        story, tuple(changes.values()), old, new, len(evidence.claimed), evidence.machine
    )
    return found, seconds


def _signals(get: Callable[[ObjectId], bytes], checkpoint: Checkpoint) -> Signals | None:
    found = checkpoint.record.signals
    return None if found is None else Signals.decode(get(found))


def freeze(recording: Recording, path: Path) -> None:
    """Write a recording to a file."""
    value = {
        "changes": [
            [change.path, change.old and _plain(change.old), change.new and _plain(change.new)]
            for change in recording.changes
        ],
        "old": recording.old.answers,
        "new": recording.new.answers,
        "machine": recording.machine,
        "headline": recording.story.headline,
        "facts": [list(fact) for fact in recording.story.facts],
    }
    path.write_bytes(lzma.compress(json.dumps(value).encode()))


def thaw(path: Path, scratch: Path) -> tuple[Evidence, dict[str, Any]]:
    """Return the evidence of a frozen recording, and its story."""
    value = json.loads(lzma.decompress(path.read_bytes()))
    changes = {
        name: PathChange(name, old and _entry(old), new and _entry(new))
        for name, old, new in value["changes"]
    }
    trees = (ReplayedTree(value["old"]), ReplayedTree(value["new"]))
    return Evidence(
        *trees, changes, machine=value.get("machine", True), scratch=str(scratch)
    ), value


def _plain(entry: Entry) -> list[Any]:
    return [
        entry.name.hex(), entry.kind, entry.mode, entry.uid, entry.gid, entry.mtime_ns, entry.size,
        entry.content.hex(), entry.state.hex(), entry.target.hex(), list(entry.device),
        entry.xattrs and entry.xattrs.hex(), entry.flags, entry.reason,
    ]  # fmt: skip


def _entry(plain: list[Any]) -> Entry:
    (
        name,
        kind,
        mode,
        uid,
        gid,
        mtime,
        size,
        content,
        state,
        target,
        device,
        xattrs,
        flags,
        reason,
    ) = plain
    return Entry(
        bytes.fromhex(name), kind, mode, uid, gid, mtime, size, ObjectId(bytes.fromhex(content)),
        StateId(bytes.fromhex(state)), bytes.fromhex(target), (device[0], device[1]),
        ObjectId(bytes.fromhex(xattrs)) if xattrs else None, flags, reason,
    )  # fmt: skip
