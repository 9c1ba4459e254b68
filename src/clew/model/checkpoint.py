"""Checkpoint: the record with its labels, verdict and headline."""

from __future__ import annotations

from clew.model.change import ChangeCounts
from clew.model.drill import Drill
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Origin, Record
from clew.model.task import Task
from clew.model.verdict import Verdict


class Labels(NamedTuple):
    """The author's description of a checkpoint; editable, never trusted as fact."""

    intent: str = ""
    name: str = ""
    named: bool = False
    """False for a generated name, like `checkpoint-7`."""
    description: str = ""
    pinned: bool = False
    meta: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    """Texts added later, oldest first."""
    is_intent_from_git: bool = False
    """Whether the intent is the subject of the last commit, because none was given."""
    prompt: str = ""
    """The prompt that an agent worked on; its intent begins with it."""


class Checkpoint(NamedTuple):
    """One captured state with its labels, changes and verdict."""

    id: CheckpointId
    record: Record
    labels: Labels
    changes: ChangeCounts | None
    """Since its parent; None if not counted yet."""
    verdict: Verdict | None
    """The latest conclusive one of its state, of the workspace's own check if that ever ran."""
    is_here: bool = False
    headline: str | None = None
    """The changes since its parent; None if not derived yet."""
    tasks: tuple[Task, ...] | None = None
    """The task list of its session; None if there was none, or it was not read."""
    drill: Drill | None = None
    """Its last restore drill."""

    @property
    def is_rescue(self) -> bool:
        return self.record.origin == Origin.RESCUE


class WorkspaceInfo(NamedTuple):
    """A directory tree registered in the store."""

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
    """A workspace created from a checkpoint of another."""

    workspace: bytes
    """The uuid of the fork."""
    source: bytes
    """The uuid of the workspace it was forked from."""
    base: CheckpointId
    """The checkpoint it was forked from."""
    name: str
    """Its name, unique among the forks of its source."""
    managed: bool
    """Whether its directory is in the store, and is removed with it."""
    created_ns: int = 0
