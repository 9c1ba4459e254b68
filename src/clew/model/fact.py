"""Facts: actual changes between two states, read from the trees.

The vocabulary is closed: `vocabulary.py` lists every kind, and docs/facts.md is generated from it.
Secret values never enter a fact; the detector ensures that.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Severity:
    """The severity of a fact."""

    NONE = "none"
    NOTE = "note"
    HIGH = "high"

    ALL = (NONE, NOTE, HIGH)


class FactBasis:
    """The source of a fact."""

    DISK = "disk"
    """Two trees."""
    LIVE = "live"
    """Observations of the machine while the checkpoints were taken."""


class Fact(NamedTuple):
    """One difference.

    Texts come from a snapshot and may be hostile: they are escaped when shown.
    """

    kind: str
    """A kind of the vocabulary."""
    scope: str
    """The scope of the subject: `apt`, `pip:web/.venv`, `sqlite:app.db`."""
    subject: str
    """A package, a service, a table, a key."""
    before: str | None = None
    """The previous value: a version, a number of rows; None if absent or unknown."""
    after: str | None = None
    direct: bool = True
    """False for an indirect change, such as a dependency."""
    severity: str = Severity.NONE
    basis: str = FactBasis.DISK
    evidence: tuple[str, ...] = ()
    """The paths that prove it."""
    marks: tuple[str, ...] = ()
    """Additional remarks: `downgrade`, `editable`, `+column email`."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """The key that facts about the same thing share."""
        return self.kind, self.scope, self.subject


SEVERITY_RANK = {Severity.NONE: 0, Severity.NOTE: 1, Severity.HIGH: 2}
