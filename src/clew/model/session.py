"""A session: one run of an agent in a workspace."""

from __future__ import annotations

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple


class Format:
    """How a session's conversation comes to us."""

    MESSAGES = "messages"
    """Handed over one by one, as JSON values."""
    JSONL = "jsonl"
    """A file that grows, one JSON value a line."""
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"

    ALL = (MESSAGES, JSONL, CLAUDE_CODE, CODEX)


class Touch:
    """What an agent did with a file."""

    READ = "read"
    CHANGED = "changed"

    ALL = (READ, CHANGED)


class SessionInfo(NamedTuple):
    """What is known of a session."""

    id: bytes
    """16 bytes."""
    workspace: bytes
    agent: str = ""
    version: str = ""
    native: str = ""
    """What the agent itself calls it."""
    format: str = Format.MESSAGES
    transcript: bytes | None = None
    """Where its transcript grows; None where messages are handed over."""
    conversation: ObjectId | None = None
    """As the last checkpoint of it took it, or a restore brought it back."""
    length: int = 0
    state: bytes | None = None
    """What the agent handed over of its own, as JSON."""
    attached: bool = False
    """Whether checkpoints of the workspace carry it by themselves."""
    began_ns: int = 0
    seen_ns: int = 0
    """When it was last heard of."""
    origin: bytes | None = None
    """The session that it goes on from, after a restore, a fork or a migration."""

    @property
    def text_id(self) -> str:
        return self.id.hex()
