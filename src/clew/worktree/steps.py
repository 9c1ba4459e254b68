"""The steps of a restore: what is to happen to each path, in an order that works."""

from __future__ import annotations

from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple


class RestoreStep(NamedTuple):
    """One path to be touched; `old` is what the rescue holds there, `new` what the target does."""

    path: bytes
    old: Entry | None
    new: Entry | None


class Steps(NamedTuple):
    """A whole plan."""

    delete: tuple[RestoreStep, ...]
    """Files and links that go, or make way for a directory."""
    remove_directories: tuple[RestoreStep, ...]
    """Deepest first."""
    make_directories: tuple[RestoreStep, ...]
    """Top down."""
    put: tuple[RestoreStep, ...]
    """New content: created where `old` is None, else exchanged."""
    metadata: tuple[RestoreStep, ...]
    """Files whose metadata alone differs."""
    directories: tuple[RestoreStep, ...]
    """Directories to be given their metadata at the end, deepest first."""
    groups: tuple[tuple[bytes, ...], ...]
    """Of the paths in `put`: those that must be one inode."""

    @property
    def is_empty(self) -> bool:
        return not any(
            (self.delete, self.remove_directories, self.make_directories, self.put, self.metadata,
             self.directories)
        )  # fmt: skip

    @property
    def staged_paths(self) -> list[bytes]:
        """Every path that has a place in the stage, in the order of its number."""
        return [step.path for step in (*self.put, *self.delete)]
