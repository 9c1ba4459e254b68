"""Results of a merge: changes applied, and conflicts."""

from __future__ import annotations

from clew.model.change import Change
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple

OURS, THEIRS = "ours", "theirs"
"""The sides of a merge, also used to select which side wins conflicts."""


class ConflictReason:
    """The reason of a conflict; *here* is the live workspace, *there* the other side."""

    LINES = "both changed the same lines"
    BINARY = "both changed it, and it is not text"
    LARGE = "both changed it, and it is too large to merge"
    TARGET = "both changed where the link leads"
    DEVICE = "both changed the device"
    MODE = "both changed its mode"
    OWNER = "both changed its owner"
    GROUP = "both changed its group"
    XATTRS = "both changed its extended attributes"
    FLAGS = "both changed its flags"
    MADE = "made on both sides, and differs"
    TYPE = "changed on one side, and of another type on the other"
    DELETED_HERE = "deleted here and changed there"
    DELETED_THERE = "changed here and deleted there"
    RENAMED = "renamed on both sides, and not alike"
    OCCUPIED = "one side moved something to where the other made something else"
    DIRECTORY = "a directory with changes in it on one side, and none on the other"
    DATABASE = "a SQLite database that both changed"


class Conflict(NamedTuple):
    """One path with incompatible changes on both sides."""

    path: bytes
    reason: str
    """One of `ConflictReason`."""
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


class Merge(NamedTuple):
    """The result of applying the changes between two checkpoints to the live workspace."""

    base: Checkpoint
    theirs: Checkpoint
    name: str = ""
    """The name of the other side; empty for a checkpoint of the same workspace."""
    favour: str | None = None
    """The side that wins conflicts, if one was selected."""
    taken: tuple[Change, ...] = ()
    """The changes applied here, merged files included."""
    merged: tuple[bytes, ...] = ()
    """Files that both sides changed, in different places."""
    conflicts: tuple[Conflict, ...] = ()
    links: int = 0
    """Number of hard link groups that are added, changed or removed."""

    @property
    def is_blocked(self) -> bool:
        """Whether there are unresolved conflicts."""
        return bool(self.conflicts) and self.favour is None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to apply, and no unresolved conflict."""
        return not (self.taken or self.links or self.is_blocked)
