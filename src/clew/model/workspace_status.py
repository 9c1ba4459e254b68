"""The status of a workspace, as a list of all of them shows it."""

from __future__ import annotations

from clew.model.checkpoint import WorkspaceInfo
from clew.model.named_tuple import NamedTuple


class Place:
    """Whether the directory of a workspace is there; values of the JSON."""

    PRESENT = "present"
    MISSING = "missing"
    """It was deleted or moved, or its disk is not mounted."""
    REPLACED = "replaced"
    """Another directory is at its path."""
    NONE = "none"
    """It has no path: a fork that was never written, or another workspace took its path."""


class WorkspaceStatus(NamedTuple):
    """A workspace of a store, without a look at its files."""

    info: WorkspaceInfo
    store: str
    name: str
    """The shortest text that `--workspace` accepts: a name, else the beginning of the id."""
    place: str
    """One of `Place`."""
    last_ns: int
    """The time of its newest checkpoint; 0 if it has none."""
    checkpoints: int
    files: int
    """Entries of its newest checkpoint that is not a rescue."""
    total_bytes: int
    """Bytes of the files of that checkpoint, before deduplication and compression."""
    fork: str = ""
    """Its name, if it is a fork."""
    source: WorkspaceInfo | None = None
    """The workspace that it was forked from, if that still exists."""
