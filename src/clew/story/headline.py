"""Headline: the three most important lines in at most 100 characters, warnings first."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from clew.model.amount import counted
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.model.named_tuple import NamedTuple
from clew.model.shorten import shorten
from clew.model.story import HEADLINE_LIMIT, NOTHING
from clew.model.vocabulary import family_of

_MOST = 3
_MAX_TRIED = 50
"""Number of candidates that are tried, best first."""
_MIN_SCORE = 1.0
_SEVERITY_FACTORS = {Severity.NONE: 1.0, Severity.NOTE: 1.3, Severity.HIGH: 3.0}
_INDIRECT_FACTOR = 0.15
"""Factor for a line with indirect facts only."""


class HeadlineCandidate(NamedTuple):
    """A line that may become part of the headline."""

    short: str
    score: float
    severity: str
    file_count: int
    """Number of its changed paths, without directories."""
    is_bookkeeping: bool = False
    """It has no facts."""
    is_noise: bool = False
    """It is about logs and caches only."""


def score(facts: Sequence[Fact]) -> float:
    """Return the importance of a line with these facts."""
    direct = sum(fact.direct for fact in facts)
    weight = max(family_of(fact.kind).weight for fact in facts)
    loud = max(_SEVERITY_FACTORS[fact.severity] for fact in facts)
    return weight * loud * (1 + log2(1 + direct) / 4) * (1.0 if direct else _INDIRECT_FACTOR)


def headline(candidates: Sequence[HeadlineCandidate]) -> str:
    """Return the headline of a story."""
    if not candidates:
        return NOTHING
    ranked = sorted(
        candidates, key=lambda one: (-(SEVERITY_RANK[one.severity] // 2), -one.score, one.short)
    )
    worth = [one for one in ranked if one.score >= _MIN_SCORE] or [
        one for one in ranked if not one.is_noise and not one.is_bookkeeping
    ]
    if not worth:
        return shorten(_minor_headline(ranked), HEADLINE_LIMIT)
    warnings = sum(one.severity == Severity.HIGH for one in worth)
    chosen: list[str] = []
    for one in worth[:_MAX_TRIED]:
        text = f"! {one.short}" if one.severity == Severity.HIGH else one.short
        said = [*chosen, text]
        if not chosen or len(_joined(said, warnings)) <= HEADLINE_LIMIT:
            chosen = said
        if len(chosen) == _MOST:
            break
    return _joined([shorten(chosen[0], _room(chosen[1:], warnings)), *chosen[1:]], warnings)


def _joined(chosen: Sequence[str], warnings: int) -> str:
    """Return the chosen texts joined, with the number of warnings not among them."""
    missing = warnings - sum(text.startswith("! ") for text in chosen)
    return "; ".join([*chosen, *([f"! {counted(missing, 'more warning')}"] if missing > 0 else [])])


def _room(others: Sequence[str], warnings: int) -> int:
    """Return the maximum length of the first text, given the others."""
    first = "! " if warnings else ""
    return HEADLINE_LIMIT - len(_joined([first, *others], warnings)) + len(first)


def _minor_headline(candidates: Sequence[HeadlineCandidate]) -> str:
    """Return the headline of a story without an important line."""
    if all(one.is_bookkeeping for one in candidates):
        return "; ".join(one.short for one in candidates[:_MOST])
    number = sum(one.file_count for one in candidates)
    return f"only logs and caches changed ({counted(number, 'file')})"
