"""Retention: by which rule a checkpoint was removed, and what is left of it."""

from __future__ import annotations

from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple


class RetentionRule:
    """What removed a checkpoint; kept with its tombstone, so a word here is never changed."""

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
"""The rules that prune; by the others a checkpoint is deleted."""

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
    """Return a rule in words; None is a tombstone of an older clew."""
    return _SENTENCES.get(rule, f"by rule {rule!r}") if rule is not None else _UNKNOWN


class Tombstone(NamedTuple):
    """What is left of a checkpoint that was removed."""

    id: CheckpointId
    sequence: int
    time_ns: int
    """When it was taken."""
    parent: CheckpointId | None
    removed_ns: int
    rule: str | None
    """One of `Rule`; None where an older clew removed it."""

    @property
    def is_pruned(self) -> bool:
        """Tell whether a rule removed it, and not somebody who named it."""
        return self.rule in PRUNING

    @property
    def verb(self) -> str:
        """What happened to it, in a word; of an older clew's nobody knows which it was."""
        return "pruned" if self.is_pruned else "removed" if self.rule is None else "deleted"
