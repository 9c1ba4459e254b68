"""Storage engines that lost nearly all of their bytes, although their directories are still there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange
from clew.detectors.losses.records import Amounts
from clew.detectors.losses.servers import engine_of
from clew.model.fact import Fact, Severity

_ENGINES = ("LevelDB", "Lucene", "LMDB", "MongoDB")
_MAX_ENGINES = 1_000
_LARGE_ENGINE = 100_000
"""Smaller directories of an engine are mostly its logs."""


def engine_findings(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    """Yield directories of storage engines that lost nine tenths of their bytes."""
    parents = {change.path.rpartition("/")[0] for change in changes if change.new is None}
    for parent in sorted(parents)[:_MAX_ENGINES]:
        if evidence.new.entry(parent) is None or engine_of(evidence.new, parent) not in _ENGINES:
            continue
        size, left = (
            sum(entry.size for entry in tree.entries(parent).values())
            for tree in (evidence.old, evidence.new)
        )
        amounts = Amounts(size, left, "")
        if size >= _LARGE_ENGINE and amounts.is_much_less:
            before, after = amounts.texts
            fact = Fact(
                "loss.shrunk", "directory", parent, before, after, severity=Severity.HIGH,
                evidence=(parent,), marks=(f"{engine_of(evidence.new, parent)} data",),
            )  # fmt: skip
            yield Finding((fact,))
