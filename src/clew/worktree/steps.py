"""Restore steps: the actions on each path, in a safe order."""

from __future__ import annotations

from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple


class RestoreStep(NamedTuple):
    """One path to change; `old` is its entry in the rescue, `new` its entry in the target."""

    path: bytes
    old: Entry | None
    new: Entry | None


class Steps(NamedTuple):
    """The steps of a whole plan."""

    delete: tuple[RestoreStep, ...]
    """Files and links to delete, or to replace with a directory."""
    remove_directories: tuple[RestoreStep, ...]
    """Deepest first."""
    make_directories: tuple[RestoreStep, ...]
    """Top down."""
    put: tuple[RestoreStep, ...]
    """New content: created where `old` is None, else exchanged."""
    metadata: tuple[RestoreStep, ...]
    """Files of which only the metadata differs."""
    directories: tuple[RestoreStep, ...]
    """Directories whose metadata is applied at the end, deepest first."""
    groups: tuple[tuple[bytes, ...], ...]
    """Hard links among the paths in `put`: names of one inode."""

    @property
    def is_empty(self) -> bool:
        return not any(
            (self.delete, self.remove_directories, self.make_directories, self.put, self.metadata,
             self.directories)
        )  # fmt: skip

    @property
    def staged_paths(self) -> list[bytes]:
        """Every path that has an item in the stage, ordered by item number."""
        return [step.path for step in (*self.put, *self.delete)]
