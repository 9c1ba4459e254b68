"""A checkpoint as people see it: the record, and what was said of it."""

from __future__ import annotations

from typing import NamedTuple

from clew.model.change import ChangeCounts
from clew.model.ids import CheckpointId, StateId
from clew.model.record import Origin, Record


class Verdict(NamedTuple):
    """What a verification command said about one state."""

    command: str
    exit_code: int | None
    """None when it never ended by itself."""
    duration_ns: int
    output: str
    """The tail of what it printed, secrets redacted."""
    time_ns: int
    where: str
    """Where it ran: `workspace`."""
    state: StateId

    @property
    def status(self) -> str:
        """`passing`, `failing`, or `unknown` for a check that was cut short."""
        if self.exit_code is None:
            return "unknown"
        return "passing" if self.exit_code == 0 else "failing"


class Labels(NamedTuple):
    """What the author said a checkpoint is; mended at will, never trusted as fact."""

    intent: str = ""
    name: str = ""
    named: bool = False
    """False for a name that clew made up, like `checkpoint-7`."""
    description: str = ""
    pinned: bool = False
    meta: tuple[tuple[str, str], ...] = ()


class Checkpoint(NamedTuple):
    """One captured moment with its labels, its changes and its verdict."""

    id: CheckpointId
    record: Record
    labels: Labels
    changes: ChangeCounts | None
    """Against its parent; None where nobody has counted yet."""
    verdict: Verdict | None
    """The latest for its state."""
    is_here: bool = False
    headline: str | None = None
    """What happened since its parent; None where nobody has told yet."""

    @property
    def is_rescue(self) -> bool:
        return self.record.origin == Origin.RESCUE


class WorkspaceInfo(NamedTuple):
    """A directory tree that clew watches over."""

    uuid: bytes
    path: bytes
    """Absolute, resolved."""
    inode: int
    machine: bool
    here: CheckpointId | None

    @property
    def text_id(self) -> str:
        return self.uuid.hex()
