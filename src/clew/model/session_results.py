"""Results of operations on sessions, tasks and effects."""

from __future__ import annotations

from collections.abc import Callable

from clew.model.checkpoint import Checkpoint
from clew.model.effect import Effect
from clew.model.named_tuple import NamedTuple
from clew.model.session import SessionInfo
from clew.model.task import Task


class TaskList(NamedTuple):
    """The task list of a session."""

    session: SessionInfo
    tasks: tuple[Task, ...]


class TaskChange(NamedTuple):
    """A task after a change."""

    session: SessionInfo
    task: Task
    is_new_session: bool = False
    """Whether a session was started for it, because none was attached."""


class Resume(NamedTuple):
    """Where an agent would resume."""

    session: SessionInfo
    task: Task | None
    """The first that has not ended; None if all have."""
    checkpoint: Checkpoint | None
    """The newest of the session, from which to resume."""
    tasks: tuple[Task, ...]


class SessionSummary(NamedTuple):
    """A session in a listing."""

    info: SessionInfo
    tasks: tuple[Task, ...]
    checkpoints: int
    """Number of checkpoints with its position."""


class Said(NamedTuple):
    """One message of a conversation, shortened and redacted."""

    role: str
    """The role of its author, if known."""
    text: str


class SessionShown(NamedTuple):
    """The details of a session."""

    info: SessionInfo
    tasks: tuple[Task, ...]
    effects: tuple[Effect, ...]
    checkpoints: tuple[Checkpoint, ...]
    """The newest ones, newest first."""
    checkpoint_count: int
    said: tuple[Said, ...]
    """The last few messages, oldest first."""
    pending: int
    """Number of messages that are in no checkpoint yet."""


class TouchedFile(NamedTuple):
    """A file that an agent read or changed."""

    path: bytes
    """Relative to the workspace's root; absolute if outside."""
    read: bool
    """Whether the agent reported that it read it."""
    changed: bool
    basis: tuple[str, ...]
    """The sources: one or both of `TouchBasis`."""
    sequence: int
    """Of the last checkpoint that recorded it."""


class TouchBasis:
    """The source of the information that an agent accessed a file."""

    REPORTED = "reported"
    """Reported by the agent or its transcript."""
    SNAPSHOTS = "snapshots"
    """It differs between two consecutive checkpoints of the session."""


class SessionFiles(NamedTuple):
    """The files that an agent read and changed."""

    info: SessionInfo
    checkpoint: Checkpoint | None
    """If only one checkpoint was requested: the files since the previous one."""
    files: tuple[TouchedFile, ...]
    omitted_count: int = 0
    """Number of files not listed."""


Convert = Callable[[object], object]
"""Converts a state of the old version, a JSON value or None, to one of the new version."""


class Migrated(NamedTuple):
    """A session continued with another version of its agent."""

    old: SessionInfo
    new: SessionInfo
    tasks: tuple[Task, ...]
    converted: bool
    """Whether the agent's own data was converted."""


class EffectList(NamedTuple):
    """A list of effects."""

    effects: tuple[Effect, ...]
    forgotten: tuple[int, ...]
    """Numbers of those that are not part of the current line of history."""


class Brief(NamedTuple):
    """What an agent's model must know about the current state of the workspace."""

    checkpoint: Checkpoint
    left: Checkpoint | None
    """The checkpoint before the restore; None if there was no restore."""
    undone: str | None
    """The changes between the two, which are no longer on disk."""
    effects: tuple[Effect, ...]
    """Effects that are not part of its history but remain in effect."""
    open_tasks: tuple[Task, ...]
