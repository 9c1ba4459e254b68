"""Facts: what really changed between two moments, read from the trees themselves.

The vocabulary is closed: `vocabulary.py` lists every kind, and docs/facts.md is made from it.
Values of secrets never enter a fact; whoever makes one sees to that.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Severity:
    """How loud a fact is."""

    NONE = "none"
    NOTE = "note"
    HIGH = "high"

    ALL = (NONE, NOTE, HIGH)


class FactBasis:
    """Where a fact comes from."""

    DISK = "disk"
    """Two trees."""
    LIVE = "live"
    """What was observed on the machine while the checkpoints were taken."""


class Fact(NamedTuple):
    """One thing that is different now.

    Texts come from a snapshot and are hostile: they are made harmless when they are shown.
    """

    kind: str
    """One of the vocabulary."""
    scope: str
    """Where the subject lives: `apt`, `pip:web/.venv`, `sqlite:app.db`."""
    subject: str
    """What it is about: a package, a service, a table, a key."""
    before: str | None = None
    """What it was: a version, a number of rows; None where it was absent or cannot be told."""
    after: str | None = None
    direct: bool = True
    """False for what only came along, as a dependency does."""
    severity: str = Severity.NONE
    basis: str = FactBasis.DISK
    evidence: tuple[str, ...] = ()
    """The paths that show it."""
    marks: tuple[str, ...] = ()
    """What else is worth saying: `downgrade`, `editable`, `+column email`."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """What two facts about the same thing share."""
        return self.kind, self.scope, self.subject


SEVERITY_RANK = {Severity.NONE: 0, Severity.NOTE: 1, Severity.HIGH: 2}
