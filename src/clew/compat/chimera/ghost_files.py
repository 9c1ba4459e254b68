"""Ghost snapshot: contents are read on access."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clew.compat.chimera.workspaces import opened
from clew.diff.trees import lookup, walk
from clew.model.entry import Entry
from clew.places import StrPath
from clew.workspace import Workspace


@dataclass
class GhostSnapshot:
    """One snapshot on the stack."""

    id: str
    label: str
    timestamp: float
    files: Mapping[str, str]
    """Path and text; a missing file reads as empty, but `GhostFiles.content` returns None for it."""


class GhostFiles(Mapping[str, str]):
    """The files of a snapshot; bytes that are not UTF-8 are mapped to surrogates, reversibly."""

    def __init__(
        self, directory: str, store: StrPath | None, checkpoint: str, paths: list[str] | None
    ) -> None:
        self._directory = directory
        self._store = store
        self._checkpoint = checkpoint
        self._paths = paths

    def content(self, path: str) -> bytes | None:
        """Return the bytes of a file, or None if it did not exist."""
        with opened(self._directory, self._store) as workspace:
            return self._read(workspace, path)

    def __getitem__(self, path: str) -> str:
        if path not in list(self):
            raise KeyError(path)
        return _text(self.content(path))

    def __deepcopy__(self, memo: object) -> dict[str, str]:
        """Return a plain dict, so that `dataclasses.asdict` of a snapshot contains one."""
        paths = list(self)
        with opened(self._directory, self._store) as workspace:
            return {path: _text(self._read(workspace, path)) for path in paths}

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths if self._paths is not None else self._all())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _read(self, workspace: Workspace, path: str) -> bytes | None:
        entry = entry_of(workspace, self._checkpoint, path)
        if entry is None or not entry.is_file:
            return None
        return b"".join(workspace.cat(self._checkpoint, os.path.join(self._directory, path)))

    def _all(self) -> list[str]:
        with opened(self._directory, self._store) as workspace:
            tree = workspace.resolve(self._checkpoint).record.tree
            with workspace.reading_context() as context:
                found = walk(tree, context.store.objects.get)
                return [os.fsdecode(path) for path, entry in found if entry.is_file]


def entry_of(workspace: Workspace, reference: str, path: str) -> Entry | None:
    """Return the entry of a path in a checkpoint, or None."""
    tree = workspace.resolve(reference).record.tree
    with workspace.reading_context() as context:
        return lookup(tree, os.fsencode(path), context.store.objects.get)


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "surrogateescape")


def is_covered(workspace: Workspace, reference: str, path: str, *, exists: bool = False) -> bool:
    """Return whether neither a path nor a directory above it is excluded from a checkpoint.

    With `exists`, the checkpoint must contain the path too.
    """
    parts = path.split("/")
    found = [
        entry_of(workspace, reference, "/".join(parts[:length]))
        for length in range(1, len(parts) + 1)
    ]
    if exists and found[-1] is None:
        return False
    return all(entry is None or entry.is_covered for entry in found)
