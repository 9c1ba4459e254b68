"""What the verbs about sessions and tasks give back."""

from __future__ import annotations

from collections.abc import Callable

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Effect
from clew.model.named_tuple import NamedTuple
from clew.model.session import SessionInfo
from clew.model.task import Task


class TaskList(NamedTuple):
    """What a session has set out to do."""

    session: SessionInfo
    tasks: tuple[Task, ...]


class TaskChange(NamedTuple):
    """A task as it is now, after something was said of it."""

    session: SessionInfo
    task: Task
    began: bool = False
    """Whether a session was begun for it, because none was attached."""


class Resume(NamedTuple):
    """Where an agent would go on."""

    session: SessionInfo
    task: Task | None
    """The first that is not ended; None when all are."""
    checkpoint: Checkpoint | None
    """The newest of the session, which is where to go on from."""
    tasks: tuple[Task, ...]


class SessionSummary(NamedTuple):
    """A session in one line."""

    info: SessionInfo
    tasks: tuple[Task, ...]
    checkpoints: int
    """How many carry it."""


class Said(NamedTuple):
    """One message of a conversation, shortened and without secrets."""

    role: str
    """Who said it, as far as can be told."""
    text: str


class SessionShown(NamedTuple):
    """All of a session that fits on a page."""

    info: SessionInfo
    tasks: tuple[Task, ...]
    effects: tuple[Effect, ...]
    checkpoints: tuple[Checkpoint, ...]
    """The newest of them, newest first."""
    checkpoint_count: int
    said: tuple[Said, ...]
    """The last few messages, oldest first."""
    pending: int
    """Messages that no checkpoint holds yet."""


class TouchedFile(NamedTuple):
    """A file that an agent read or changed."""

    path: bytes
    """Relative to the workspace's root; absolute for one outside."""
    read: bool
    """Whether it said that it read it."""
    changed: bool
    basis: tuple[str, ...]
    """How we know: one or both of `Basis`."""
    sequence: int
    """Of the checkpoint that knew of it last."""


class TouchBasis:
    """How we know that an agent touched a file."""

    SAID = "said"
    """The agent, or its transcript, says so."""
    SNAPSHOTS = "snapshots"
    """It differs between two checkpoints of the session in a row."""


class SessionFiles(NamedTuple):
    """The files that an agent read and changed."""

    info: SessionInfo
    checkpoint: Checkpoint | None
    """Where only one checkpoint was asked about: what happened since the one before."""
    files: tuple[TouchedFile, ...]
    left_out: int = 0
    """How many more there are than are listed."""


Convert = Callable[[object], object]
"""Gets a state of the old version, a JSON value or None, and gives one of the new version."""


class Migrated(NamedTuple):
    """A session that goes on under another version of its agent."""

    old: SessionInfo
    new: SessionInfo
    tasks: tuple[Task, ...]
    converted: bool
    """Whether the agent's own state went through a converter."""


class EffectList(NamedTuple):
    """Acts on the outside world."""

    effects: tuple[Effect, ...]
    forgotten: tuple[int, ...]
    """Numbers of those that the present line of history does not know of."""


class Brief(NamedTuple):
    """What an agent's model must know where the workspace is now."""

    checkpoint: Checkpoint
    left: Checkpoint | None
    """The moment that was left for it by a restore; None where nothing was."""
    undone: str | None
    """What happened between the two, and is no longer on disk."""
    effects: tuple[Effect, ...]
    """Acts outside that it knows nothing of and that stand all the same."""
    open_tasks: tuple[Task, ...]
