"""What the service gives back, field by field as PraisonAI has it.

These are dataclasses, where clew has tuples: callers construct them by position, change them and
hand them to `dataclasses.asdict`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

_STEP = re.compile(r"^\[step-(\d+)\]\s*")


class CheckpointEvent(str, Enum):  # noqa: UP042 - `str()` of one is as it is there
    """What a handler can be told of."""

    INITIALIZED = "initialized"
    CHECKPOINT_CREATED = "checkpoint_created"
    CHECKPOINT_RESTORED = "checkpoint_restored"
    CHECKPOINTS_PRUNED = "checkpoints_pruned"
    ERROR = "error"


class Status:
    """The words of `FileDiff.status`."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass
class Checkpoint:
    """One captured moment."""

    id: str
    short_id: str
    message: str
    timestamp: datetime
    files_changed: list[str] = field(default_factory=list)
    """What differs from the checkpoint before it; the first has none before it."""
    insertions: int = 0
    deletions: int = 0
    step: int | None = None
    metadata: dict[str, object] = field(default_factory=dict)

    @classmethod
    def from_git_commit(
        cls, commit_hash: str, message: str, timestamp: str | datetime
    ) -> Checkpoint:
        """Return a checkpoint of an id, a message and a time, which may be text in ISO format."""
        if isinstance(timestamp, str):
            timestamp = datetime.fromisoformat(timestamp)
        return cls(commit_hash, commit_hash[:8], message, timestamp)

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON can hold it."""
        return {
            "id": self.id,
            "short_id": self.short_id,
            "message": self.message,
            "timestamp": self.timestamp.isoformat(),
            "files_changed": list(self.files_changed),
            "insertions": self.insertions,
            "deletions": self.deletions,
            "step": self.step,
            "metadata": dict(self.metadata),
        }


@dataclass
class FileDiff:
    """How one file differs."""

    path: str
    absolute_path: str
    status: str
    """`added`, `modified` or `deleted`."""
    additions: int = 0
    deletions: int = 0
    # As the file is, secrets included: not to be shown by accident.
    before_content: str | None = field(default=None, repr=False)
    after_content: str | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON can hold it, without the contents."""
        return {
            "path": self.path,
            "absolute_path": self.absolute_path,
            "status": self.status,
            "additions": self.additions,
            "deletions": self.deletions,
        }


@dataclass
class CheckpointDiff:
    """How two moments differ; None as `to_checkpoint` is the workspace as it is now."""

    from_checkpoint: str
    to_checkpoint: str | None
    files: list[FileDiff] = field(default_factory=list)
    total_additions: int = 0
    total_deletions: int = 0
    from_id: str = ""
    to_id: str | None = None
    diff_content: str = field(default="", repr=False)
    """The patch, without what looks like a secret."""
    error: str | None = None
    """Why it is empty, where it could not be made."""

    def __post_init__(self) -> None:
        self.total_additions = sum(one.additions for one in self.files)
        self.total_deletions = sum(one.deletions for one in self.files)

    @property
    def added_files(self) -> list[str]:
        """The paths that only the later moment has."""
        return self._paths(Status.ADDED)

    @property
    def modified_files(self) -> list[str]:
        """The paths that both have, and that differ."""
        return self._paths(Status.MODIFIED)

    @property
    def deleted_files(self) -> list[str]:
        """The paths that only the earlier moment has."""
        return self._paths(Status.DELETED)

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON can hold it."""
        return {
            "from_checkpoint": self.from_checkpoint,
            "to_checkpoint": self.to_checkpoint,
            "files": [one.to_dict() for one in self.files],
            "total_additions": self.total_additions,
            "total_deletions": self.total_deletions,
        }

    def _paths(self, status: str) -> list[str]:
        return [one.path for one in self.files if one.status == status]


@dataclass
class CheckpointResult:
    """Whether something was done, and to which checkpoint, or why not."""

    success: bool
    checkpoint: Checkpoint | None = None
    error: str | None = None

    @classmethod
    def ok(cls, checkpoint: Checkpoint) -> CheckpointResult:
        """Return a success."""
        return cls(True, checkpoint)

    @classmethod
    def fail(cls, error: str) -> CheckpointResult:
        """Return a failure."""
        return cls(False, error=error)


def with_step(message: str, step: int | None) -> str:
    """Return a message that says which step it is; a step that is given wins over one it says."""
    return message if step is None else f"[step-{step}] {_STEP.sub('', message)}"


def step_of(message: str) -> int | None:
    """Return the step that a message says it is."""
    found = _STEP.match(message)
    return int(found[1]) if found else None
