"""Result types of the service, with PraisonAI's fields.

These are dataclasses, where clew has tuples: callers construct them by position, modify them and
pass them to `dataclasses.asdict`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

_STEP = re.compile(r"^\[step-(\d+)\]\s*")
_SHORT_DIGITS = 8


class CheckpointEvent(str, Enum):  # noqa: UP042 - `str()` must be as in PraisonAI
    """The events of a service."""

    INITIALIZED = "initialized"
    CHECKPOINT_CREATED = "checkpoint_created"
    CHECKPOINT_RESTORED = "checkpoint_restored"
    CHECKPOINT_DELETED = "checkpoint_deleted"
    CHECKPOINTS_PRUNED = "checkpoints_pruned"
    ERROR = "error"

    # The names of the documentation.
    CREATED = CHECKPOINT_CREATED
    RESTORED = CHECKPOINT_RESTORED
    DELETED = CHECKPOINT_DELETED


class Status:
    """The values of `FileDiff.status`."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass
class Checkpoint:
    """One checkpoint."""

    id: str
    short_id: str = ""
    """The first eight digits of the id by default."""
    message: str = ""
    timestamp: datetime = field(default_factory=lambda: datetime.now().astimezone())
    files_changed: list[str] = field(default_factory=list)
    """What differs from the previous checkpoint; empty for the first."""
    insertions: int = 0
    deletions: int = 0
    step: int | None = None
    metadata: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.short_id = self.short_id or self.id[:_SHORT_DIGITS]

    @classmethod
    def from_git_commit(
        cls, commit_hash: str, message: str, timestamp: str | datetime
    ) -> Checkpoint:
        """Return a checkpoint from an id, a message and a time (or an ISO 8601 string)."""
        if isinstance(timestamp, str):
            timestamp = datetime.fromisoformat(timestamp)
        return cls(commit_hash, message=message, timestamp=timestamp)

    def to_dict(self) -> dict[str, object]:
        """Return it as a JSON-compatible dict."""
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
    """The diff of one file."""

    path: str
    absolute_path: str
    status: str
    """`added`, `modified` or `deleted`."""
    additions: int = 0
    deletions: int = 0
    # Unredacted, so `repr` must not show them.
    before_content: str | None = field(default=None, repr=False)
    after_content: str | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return it as a JSON-compatible dict, without the contents."""
        return {
            "path": self.path,
            "absolute_path": self.absolute_path,
            "status": self.status,
            "additions": self.additions,
            "deletions": self.deletions,
        }


@dataclass
class CheckpointDiff:
    """The diff of two states; `to_checkpoint` is None for the live workspace."""

    from_checkpoint: str
    to_checkpoint: str | None
    files: list[FileDiff] = field(default_factory=list)
    total_additions: int = 0
    total_deletions: int = 0
    from_id: str = ""
    to_id: str | None = None
    diff_content: str = field(default="", repr=False)
    """The patch, with secrets redacted."""
    error: str | None = None
    """The reason if the diff failed."""

    def __post_init__(self) -> None:
        self.total_additions = sum(one.additions for one in self.files)
        self.total_deletions = sum(one.deletions for one in self.files)

    @property
    def added_files(self) -> list[str]:
        """Paths that exist only in the later state."""
        return self._paths(Status.ADDED)

    @property
    def modified_files(self) -> list[str]:
        """Paths that exist in both states and differ."""
        return self._paths(Status.MODIFIED)

    @property
    def deleted_files(self) -> list[str]:
        """Paths that exist only in the earlier state."""
        return self._paths(Status.DELETED)

    def to_dict(self) -> dict[str, object]:
        """Return it as a JSON-compatible dict."""
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
    """The result of an operation: success with a checkpoint, or an error."""

    success: bool
    checkpoint: Checkpoint | None = None
    error: str | None = None
    existing_id: str | None = field(default=None, repr=False, compare=False)
    """If nothing had changed: the checkpoint that already has this state."""

    @classmethod
    def ok(cls, checkpoint: Checkpoint) -> CheckpointResult:
        """Return a success."""
        return cls(True, checkpoint)

    @classmethod
    def fail(cls, error: str) -> CheckpointResult:
        """Return a failure."""
        return cls(False, error=error)


Reference = str | Checkpoint | CheckpointResult
"""What methods take as a checkpoint's id: the documentation passes on what `save` returned."""


def id_of(reference: Reference) -> str:
    """Return the id that a reference stands for, or raise ValueError."""
    if isinstance(reference, CheckpointResult):
        found = reference.checkpoint.id if reference.checkpoint else reference.existing_id
        if found is None:
            raise ValueError(f"No checkpoint was saved: {reference.error}")
        return found
    if isinstance(reference, Checkpoint):
        return reference.id
    if not isinstance(reference, str):
        raise ValueError(f"Not a checkpoint id: {reference!r}")
    return reference


def with_step(message: str, step: int | None) -> str:
    """Return a message with a step prefix; `step` replaces a prefix in the message."""
    return message if step is None else f"[step-{step}] {_STEP.sub('', message)}"


def step_of(message: str) -> int | None:
    """Return the step in the prefix of a message, or None."""
    found = _STEP.match(message)
    return int(found[1]) if found else None
