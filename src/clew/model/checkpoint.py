"""A checkpoint as people see it: the record, and what was said of it."""

from __future__ import annotations

from clew.model.change import ChangeCounts
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Origin, Record
from clew.model.task import Task
from clew.model.verdict import Verdict


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
    """The latest that tells something of its state, of the workspace's own check if that ever ran."""
    is_here: bool = False
    headline: str | None = None
    """What happened since its parent; None where nobody has told yet."""
    tasks: tuple[Task, ...] | None = None
    """Its session's list as it stood; None where there was none, or nobody has looked."""

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


class ForkInfo(NamedTuple):
    """A workspace that grew from a checkpoint of another."""

    workspace: bytes
    """The uuid of the fork."""
    source: bytes
    """The uuid of the workspace it grew from."""
    base: CheckpointId
    """The checkpoint it grew from."""
    name: str
    """What it is called, unique among the forks of its source."""
    managed: bool
    """Whether its directory is in the store, and goes with it."""
    created_ns: int = 0
