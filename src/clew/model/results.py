"""What the verbs give back; restores have a page of their own, `restoring.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import Change
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Coverage

if TYPE_CHECKING:
    from clew.model.fact import Fact
    from clew.model.story import Story
    from clew.model.verdict import Verdict


class Told(NamedTuple):
    """A checkpoint and its story."""

    checkpoint: Checkpoint
    story: Story
    unmentioned: tuple[str, ...] = ()
    """What the story says and the intent does not."""
    verdicts: tuple[Verdict, ...] = ()
    """Every run of every check on its state, newest first."""


class Blame(NamedTuple):
    """Every checkpoint in which something came, changed or went, newest first."""

    thing: str
    appearances: tuple[Appearance, ...]


class Appearance(NamedTuple):
    """One checkpoint that says something about a thing."""

    checkpoint: Checkpoint
    facts: tuple[Fact, ...]
    changes: tuple[Change, ...] = ()
    """What happened to it as a path."""


class Difference(NamedTuple):
    """How two moments differ; None as `new` stands for the live workspace."""

    old: Checkpoint | None
    new: Checkpoint | None
    changes: tuple[Change, ...]
    coverage: Coverage | None = None
    """Of the live scan, where there was one."""
    story: Story | None = None
    """What happened, where that was asked for."""


class Log(NamedTuple):
    """Some of a timeline, newest first."""

    here: CheckpointId | None
    checkpoints: tuple[Checkpoint, ...]


class Listing(NamedTuple):
    """A directory, or one file, as a checkpoint holds it."""

    checkpoint: Checkpoint
    path: bytes
    entries: tuple[Entry, ...]


class GcResult(NamedTuple):
    """What a collection freed."""

    freed_bytes: int
    removed_objects: int
    removed_packs: int
    store_bytes: int
    notes: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    """What a purge could not remove, one sentence each."""


class HoldingCheckpoint(NamedTuple):
    """A checkpoint that still holds some of what was in a purged one."""

    checkpoint: CheckpointId
    workspace: bytes
    """The path of its workspace; empty where that has no directory."""
    fork: str = ""
    """What its workspace is called, if it is a fork."""
    is_elsewhere: bool = False
    """Whether that is another workspace than the one that was purged."""


class Searched(NamedTuple):
    """How much of a store was looked through after a purge."""

    files: int
    read_bytes: int


class DeleteResult(NamedTuple):
    """Checkpoints that are gone."""

    deleted: tuple[Checkpoint, ...]
    freed_bytes: int
    still_held: tuple[str, ...] = ()
    """Where some of what they held still is, and why, one sentence each."""
    holders: tuple[HoldingCheckpoint, ...] = ()
    """The checkpoints that still hold some of it, in the order of their history."""
    searched: Searched | None = None
    """How much was looked through after a purge; None without one."""
    remaining: tuple[str, ...] = ()
    """What a purge could not remove, one sentence each."""
    notes: tuple[str, ...] = ()


class PruneResult(NamedTuple):
    """What a retention policy removed, or would remove."""

    removed: tuple[Checkpoint, ...]
    kept: tuple[tuple[str, int], ...]
    """Reason and number."""
    freed_bytes: int
    store_bytes: int
    max_bytes: int
    """The budget that the store has; 0 for none."""
    dry_run: bool
    rules: tuple[str, ...] = ()
    """By which rule each of those removed goes, one of `Rule`."""
    made: int = 0
    """How many of them somebody made, verified or names."""


class Damage(NamedTuple):
    """Something in the store that is not what it was."""

    where: str
    what: str
    checkpoints: tuple[str, ...] = ()
    """Short ids of those that need it."""


class CheckResult(NamedTuple):
    """Whether the store is whole."""

    damages: tuple[Damage, ...]
    notes: tuple[str, ...]
    packs: int
    objects: int
    checkpoints: int
    read_bytes: int
    rebuilt: bool = False

    @property
    def whole(self) -> bool:
        return not self.damages


class Stats(NamedTuple):
    """What history costs."""

    store: str
    store_bytes: int
    max_bytes: int
    packs: int
    objects: int
    checkpoints: int
    workspace_checkpoints: int
    content_bytes: int
    """Length of all objects before compression."""
    by_kind: tuple[tuple[str, int, int], ...]
    """Kind, number of objects, bytes before compression."""
