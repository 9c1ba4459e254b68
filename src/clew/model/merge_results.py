"""Bringing two lines of work together: what was taken, and what both changed."""

from __future__ import annotations

from clew.model.change import Change
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.named_tuple import NamedTuple

OURS, THEIRS = "ours", "theirs"
"""The sides of a merge, also as what decides its conflicts."""


class Clash:
    """Why a path is a conflict; here is the live workspace, there is the other line of work."""

    LINES = "both changed the same lines"
    BINARY = "both changed it, and it is no text"
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
    """One path that both sides changed in ways that cannot both be had."""

    path: bytes
    reason: str
    """One of `Clash`."""
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


class Merge(NamedTuple):
    """What came of taking the changes from one moment to another into the live workspace."""

    base: Checkpoint
    theirs: Checkpoint
    name: str = ""
    """What the other line of work is called; empty for an older moment of the same one."""
    favour: str | None = None
    """The side that decided the conflicts, if one was to."""
    taken: tuple[Change, ...] = ()
    """What changes here by it, merged files included."""
    merged: tuple[bytes, ...] = ()
    """Files that both sides changed, in different places."""
    conflicts: tuple[Conflict, ...] = ()
    links: int = 0
    """How many groups of hard links come, change or go."""

    @property
    def is_blocked(self) -> bool:
        """Tell whether there are conflicts that nobody has decided."""
        return bool(self.conflicts) and self.favour is None

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to take, and nothing in the way of it."""
        return not (self.taken or self.links or self.is_blocked)
