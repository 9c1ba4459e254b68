"""Results of operations; those of restores are in `restore_results.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import Change
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Coverage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.model.database_look import DatabaseLook
    from clew.model.fact import Fact
    from clew.model.failed_call import FailedCall
    from clew.model.story import Story
    from clew.model.verdict import Verdict


class CheckpointStory(NamedTuple):
    """A checkpoint and its story."""

    checkpoint: Checkpoint
    story: Story
    unmentioned: tuple[str, ...] = ()
    """Parts of the story that the intent does not mention."""
    verdicts: tuple[Verdict, ...] = ()
    """All verdicts on its state, newest first."""
    look: DatabaseLook | None = None
    """What running database servers said after it was taken."""


class Blame(NamedTuple):
    """The checkpoints in which something was added, changed or removed, newest first."""

    subject: str
    matches: tuple[Appearance, ...]


class Appearance(NamedTuple):
    """One checkpoint with the facts about a subject."""

    checkpoint: Checkpoint
    facts: tuple[Fact, ...]
    changes: tuple[Change, ...] = ()
    """Its changes as a path."""


class Difference(NamedTuple):
    """The differences of two states; `new` is None for the live workspace."""

    old: Checkpoint | None
    new: Checkpoint | None
    changes: tuple[Change, ...]
    coverage: Coverage | None = None
    """Of the live scan, if there was one."""
    story: Story | None = None
    """The story, if requested."""
    generated: tuple[bytes, ...] = ()
    """Generated directories that their name alone does not show."""
    within: tuple[bytes, ...] = ()
    """The paths that it was limited to."""
    scan: object = None
    """The scan of the live workspace, from which the story can still be derived."""


class ForkPoint(NamedTuple):
    """A fork as a timeline shows it: where it begins, and how far it is."""

    name: str
    workspace: bytes
    base: CheckpointId
    """The checkpoint of the timeline that it was created from."""
    time_ns: int
    """When it was last saved, or created."""
    saves: int
    """Number of checkpoints in it, without the first, which is the base."""
    headline: str = ""
    """Its last save: the headline, or the intent."""


class Branches(NamedTuple):
    """What a graph of a timeline needs besides the checkpoints."""

    parents: Mapping[CheckpointId, CheckpointId]
    """The nearest listed ancestor of each listed checkpoint that has one."""
    forks: tuple[ForkPoint, ...] = ()
    adopted: Mapping[CheckpointId, bytes] = {}
    """The workspace of the fork that a checkpoint adopted."""
    failures: tuple[FailedCall, ...] = ()
    """Failed tool calls before a listed checkpoint, newest first."""
    routine: frozenset[CheckpointId] = frozenset()
    """Automatic checkpoints of small edits, which may be shown together."""
    here: Checkpoint | None = None
    """The current checkpoint, if it is older than those listed."""
    unlisted_count: int = 0
    """Number of checkpoints between the last one listed and that one."""


class Log(NamedTuple):
    """A part of a timeline, newest first."""

    here: CheckpointId | None
    checkpoints: tuple[Checkpoint, ...]
    branches: Branches | None = None
    """How they are connected, if requested."""
    older: int | None = None
    """How many older ones match, beyond the limit; None if they were not counted."""
    matches: Mapping[CheckpointId, str] = {}
    """What happened to the package that was asked for, for each checkpoint."""


class Listing(NamedTuple):
    """A directory, or one file, in a checkpoint."""

    checkpoint: Checkpoint
    path: bytes
    entries: tuple[Entry, ...]


class GcResult(NamedTuple):
    """The result of a garbage collection."""

    freed_bytes: int
    removed_objects: int
    removed_packs: int
    store_bytes: int
    notes: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    """What a purge could not remove, one sentence each."""


class HoldingCheckpoint(NamedTuple):
    """A checkpoint that still holds content of a purged one."""

    checkpoint: CheckpointId
    workspace: bytes
    """The path of its workspace; empty if that has no directory."""
    fork: str = ""
    """The name of its workspace, if it is a fork."""
    is_elsewhere: bool = False
    """Whether it is in another workspace than the purged one."""


class Searched(NamedTuple):
    """How much of the store was searched after a purge."""

    files: int
    read_bytes: int


class DeleteResult(NamedTuple):
    """Deleted checkpoints."""

    deleted: tuple[Checkpoint, ...]
    freed_bytes: int
    still_held: tuple[str, ...] = ()
    """Where some of their content still is, and why, one sentence each."""
    held_by: tuple[HoldingCheckpoint, ...] = ()
    """The checkpoints that still hold some of it, ordered by sequence."""
    searched: Searched | None = None
    """How much was searched after a purge; None without one."""
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
    """The size limit of the store; 0 for none."""
    dry_run: bool
    rules: tuple[str, ...] = ()
    """The rule that removed each, one of `RetentionRule`."""
    made: int = 0
    """How many of them were saved manually, verified or named."""


class Damage(NamedTuple):
    """One damaged part of the store."""

    location: str
    description: str
    checkpoints: tuple[str, ...] = ()
    """Short ids of the checkpoints that need it."""


class CheckResult(NamedTuple):
    """The result of an integrity check."""

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


class StorePart:
    """What takes space in a store; values of the JSON."""

    PACKS = "packs"
    """The contents of files, compressed."""
    CATALOGUE = "catalogue"
    """The index of the packs, labels and stories, and their backup."""
    CACHES = "caches"
    """Stat data of the last scan of each workspace."""
    FORKS = "forks"
    """Directories of forks that are in the store."""
    COPIES = "copies"
    """Cached copies of checkpoints, for checks and sandboxes."""
    RESERVE = "reserve"
    """Released when the disk is full."""
    OTHER = "other"

    ALL = (PACKS, CATALOGUE, CACHES, FORKS, COPIES, RESERVE, OTHER)


class Stats(NamedTuple):
    """Sizes and counts of a store."""

    store: str
    store_bytes: int
    """Length of the files that hold the history: without forks, copies and the reserve."""
    max_bytes: int
    """The limit of `store_bytes`; 0 for none."""
    disk_parts: tuple[tuple[str, int], ...]
    """Each part of the store with its allocated bytes, which add up to what `du` counts."""
    packs: int
    objects: int
    checkpoints: int
    workspace_checkpoints: int
    content_bytes: int
    """Length of all objects before compression."""
    by_kind: tuple[tuple[str, int, int], ...]
    """Kind, number of objects, bytes before compression."""

    @property
    def disk_bytes(self) -> int:
        """Allocated bytes of all parts."""
        return sum(size for _, size in self.disk_parts)
