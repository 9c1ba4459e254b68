"""The parts of a moment that a restore can bring back: files, conversation, tasks."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.session import SessionInfo
from clew.model.task import Task


class RestorePart:
    """One side of a moment; the words of the JSON."""

    FILES = "files"
    CONVERSATION = "conversation"
    TASKS = "tasks"

    ALL = (FILES, CONVERSATION, TASKS)


class Resumable(NamedTuple):
    """A conversation that an agent can be told to go on with."""

    session: str
    """What the agent calls it."""
    path: bytes
    """Its transcript."""
    command: str
    """What a person types to go on with it."""


class WrittenConversation(NamedTuple):
    """A conversation that was written to a file of its own."""

    checkpoint: CheckpointId
    path: str
    length: int


class OthersWork(NamedTuple):
    """What somebody else changed since a moment, and a restore to it takes back."""

    session: bytes
    """Whose; empty where no session was at work."""
    agent: str
    paths: tuple[bytes, ...]


class BroughtBack(NamedTuple):
    """Which parts of a moment a restore brings back, or would."""

    parts: tuple[str, ...] = (RestorePart.FILES,)
    session: SessionInfo | None = None
    """Whose conversation and tasks they are."""
    moved: tuple[str, ...] = ()
    """Of conversation and tasks: those that were another when the restore began."""
    length: int = 0
    """Of the conversation that comes back, in bytes."""
    tasks: tuple[Task, ...] = ()
    """The list that comes back."""
    inconsistent: tuple[str, ...] = ()
    """Sentences about parts that are not of the same moment afterwards."""
    resumable: Resumable | None = None
    """For agents whose transcripts are never touched: the new session that holds it."""
    written: WrittenConversation | None = None
    """Where the conversation was written besides."""
