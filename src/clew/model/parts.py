"""Restorable parts of a checkpoint: files, conversation, tasks."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.session import SessionInfo
from clew.model.task import Task


class RestorePart:
    """One part of a checkpoint; values of the JSON."""

    FILES = "files"
    CONVERSATION = "conversation"
    TASKS = "tasks"

    ALL = (FILES, CONVERSATION, TASKS)


class Resumable(NamedTuple):
    """A conversation that an agent can resume."""

    session: str
    """The agent's own session id."""
    path: bytes
    """Its transcript."""
    command: str
    """The command line that resumes it."""


class WrittenConversation(NamedTuple):
    """A conversation written to a separate file."""

    checkpoint: CheckpointId
    path: str
    length: int


class ConcurrentWork(NamedTuple):
    """Changes by another session or user since a checkpoint, which a restore reverts."""

    session: bytes
    """The id of the session; empty if there was none."""
    agent: str
    paths: tuple[bytes, ...]


class RestoredParts(NamedTuple):
    """The parts of a checkpoint that a restore restores, or would restore."""

    parts: tuple[str, ...] = (RestorePart.FILES,)
    session: SessionInfo | None = None
    """The session of the conversation and tasks."""
    moved: tuple[str, ...] = ()
    """Of conversation and tasks: those that differ from the current ones."""
    length: int = 0
    """Length of the restored conversation, in bytes."""
    tasks: tuple[Task, ...] = ()
    """The restored list."""
    warnings: tuple[str, ...] = ()
    """Sentences about parts that are from different checkpoints afterwards."""
    resumable: Resumable | None = None
    """For agents whose transcripts are never modified: the new session that holds it."""
    written: WrittenConversation | None = None
    """The separate file that the conversation was written to."""
