"""Retention rules, and tombstones of removed checkpoints."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple


class RetentionRule:
    """The rule that removed a checkpoint; stored in its tombstone, so values must never change."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    KEEP_LAST = "keep-last"
    MAX_BYTES = "max-bytes"
    MIN_FREE = "min-free"
    MAX_CHECKPOINTS = "max-checkpoints"
    DELETE = "delete"
    DISCARD = "discard"
    NOT_MERGED = "not-merged"
    LOST = "lost"

    ALL = (
        HOURLY, DAILY, WEEKLY, KEEP_LAST, MAX_BYTES, MIN_FREE, MAX_CHECKPOINTS, DELETE, DISCARD,
        NOT_MERGED, LOST,
    )  # fmt: skip


PRUNING = (
    RetentionRule.HOURLY, RetentionRule.DAILY, RetentionRule.WEEKLY, RetentionRule.KEEP_LAST, RetentionRule.MAX_BYTES, RetentionRule.MIN_FREE,
    RetentionRule.MAX_CHECKPOINTS,
)  # fmt: skip
"""The rules of pruning; the others delete a checkpoint."""

_SENTENCES = {
    RetentionRule.HOURLY: "one automatic checkpoint an hour is kept after a day",
    RetentionRule.DAILY: "one automatic checkpoint a day is kept after a week",
    RetentionRule.WEEKLY: "one automatic checkpoint a week is kept after a month",
    RetentionRule.KEEP_LAST: "older than the limit keep-last or keep-within allows",
    RetentionRule.MAX_BYTES: "to make the store fit into --max-bytes",
    RetentionRule.MIN_FREE: "free disk space was below min-free",
    RetentionRule.MAX_CHECKPOINTS: "more than max_checkpoints allows",
    RetentionRule.DELETE: "by a request to delete it",
    RetentionRule.DISCARD: "its fork was discarded",
    RetentionRule.NOT_MERGED: "its merge could not be carried out",
    RetentionRule.LOST: "its content was gone when the catalogue was rebuilt",
}
_UNKNOWN = "the rule was not recorded, an older clew removed it"


def rule_sentence(rule: str | None) -> str:
    """Return a description of a rule; None is a tombstone of an older clew."""
    return _SENTENCES.get(rule, f"by rule {rule!r}") if rule is not None else _UNKNOWN


class Tombstone(NamedTuple):
    """The remaining data of a removed checkpoint."""

    id: CheckpointId
    sequence: int
    time_ns: int
    """When it was taken."""
    parent: CheckpointId | None
    removed_ns: int
    rule: str | None
    """One of `RetentionRule`; None if an older clew removed it."""

    @property
    def is_pruned(self) -> bool:
        """Whether it was removed by pruning, not by an explicit request."""
        return self.rule in PRUNING

    @property
    def verb(self) -> str:
        """How it was removed; `removed` if an older clew did not record it."""
        return "pruned" if self.is_pruned else "removed" if self.rule is None else "deleted"
