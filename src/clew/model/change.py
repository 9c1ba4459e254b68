"""Changes: how one path differs between two states."""

from __future__ import annotations

from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple


class ChangeKind:
    """The values of the JSON field `kind`."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    METADATA = "metadata"
    TYPE = "type"

    ALL = (ADDED, MODIFIED, DELETED, RENAMED, METADATA, TYPE)
    LETTERS = {ADDED: "A", MODIFIED: "M", DELETED: "D", RENAMED: "R", METADATA: "m", TYPE: "T"}


class Change(NamedTuple):
    """One path that differs; `old` and `new` are None where it was or is absent."""

    path: bytes
    kind: str
    old: Entry | None
    new: Entry | None
    old_path: bytes | None = None
    """The previous path of a rename."""


class ChangeCounts(NamedTuple):
    """How many paths differ, by kind; a change of type counts as modified."""

    added: int = 0
    modified: int = 0
    deleted: int = 0
    renamed: int = 0
    metadata: int = 0

    @property
    def total(self) -> int:
        return sum(self)
