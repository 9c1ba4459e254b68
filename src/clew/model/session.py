"""Session: one run of an agent in a workspace."""

from __future__ import annotations

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple


class Format:
    """The format in which a session's conversation is received."""

    MESSAGES = "messages"
    """Passed one by one, as JSON values."""
    JSONL = "jsonl"
    """A file that is appended to, one JSON value per line."""
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"

    ALL = (MESSAGES, JSONL, CLAUDE_CODE, CODEX)


class Touch:
    """An agent's access to a file."""

    READ = "read"
    CHANGED = "changed"

    ALL = (READ, CHANGED)


UNKNOWN_PROCESS = "-"
"""The process of an agent that sends events and cannot be identified."""
NOT_RESUMED = "not resumed"
"""The process of a session that a restore has written and no agent has resumed yet."""


class SessionInfo(NamedTuple):
    """The data of a session."""

    id: bytes
    """16 bytes."""
    workspace: bytes
    agent: str = ""
    version: str = ""
    native: str = ""
    """The agent's own session id."""
    format: str = Format.MESSAGES
    transcript: bytes | None = None
    """The path of its transcript; None if messages are passed."""
    conversation: ObjectId | None = None
    """As stored by the last checkpoint, or restored."""
    length: int = 0
    state: bytes | None = None
    """The agent's own data, as JSON."""
    attached: bool = False
    """Whether checkpoints of the workspace record its position automatically."""
    started_ns: int = 0
    seen_ns: int = 0
    """The time of its last event."""
    origin: bytes | None = None
    """The session that it continues, after a restore, a fork or a migration."""
    ended_ns: int = 0
    """When its agent ended; 0 while it may run."""
    process: str = ""
    """The agent's process (see `worktree/agent_process.py`), or one of the constants above.

    Empty for a session that a person or a program attached: it stays so until it is detached."""

    @property
    def text_id(self) -> str:
        return self.id.hex()
