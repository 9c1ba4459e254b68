"""Headline: the three most important lines in at most 100 characters, warnings first.

The order is what a person needs to know: `Tier` of `model/vocabulary.py`, and in it the score.
A line has two forms here, `short` and `shortest`.  The first part of a headline is short unless a
second warning would not fit beside it; the other parts are as long as there is room.
What is left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2

from clew.model.amount import counted
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.model.named_tuple import NamedTuple
from clew.model.shorten import shorten
from clew.model.story import CUT_SHORT, HEADLINE_LIMIT, NOTHING
from clew.model.vocabulary import Tier, family_of

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
    shortest: str = ""
    """The form for a headline with little room; empty if `short` is."""
    tier: int = Tier.REST

    @property
    def forms(self) -> tuple[str, ...]:
        """Its texts, the longest first."""
        mark = "! " if self.severity == Severity.HIGH else ""
        texts = (self.short, self.shortest) if self.shortest else (self.short,)
        return tuple(mark + text for text in texts)


def score(facts: Sequence[Fact]) -> float:
    """Return the importance of a line with these facts."""
    direct = sum(fact.direct for fact in facts)
    weight = max(family_of(fact.kind).weight for fact in facts)
    loud = max(_SEVERITY_FACTORS[fact.severity] for fact in facts)
    return weight * loud * (1 + log2(1 + direct) / 4) * (1.0 if direct else _INDIRECT_FACTOR)


def headline(candidates: Sequence[HeadlineCandidate], *, is_cut: bool = False) -> str:
    """Return the headline of a story; `is_cut` if detectors ran out of time."""
    if not is_cut:
        return _headline(candidates, HEADLINE_LIMIT)
    found = _headline(candidates, HEADLINE_LIMIT - len(CUT_SHORT) - len("; "))
    return f"{found}; {CUT_SHORT}"


def _headline(candidates: Sequence[HeadlineCandidate], limit: int) -> str:
    if not candidates:
        return NOTHING
    ranked = sorted(candidates, key=_rank)
    worth = [one for one in ranked if one.score >= _MIN_SCORE] or [
        one for one in ranked if not one.is_noise and not one.is_bookkeeping
    ]
    if not worth:
        return shorten(_minor_headline(ranked), limit)
    chosen = worth[:1]
    for one in worth[1:_MAX_TRIED]:
        if len(chosen) < _MOST and _fitted([*chosen, one], worth, limit) is not None:
            chosen.append(one)
    found = _fitted(chosen, worth, limit)
    if found is None:  # one line that is too long
        rest = _counted_rest(worth, chosen)
        room = limit - len("; ".join(["", *rest]))
        found = "; ".join([shorten(chosen[0].forms[-1], room), *rest])
    return found


def _rank(one: HeadlineCandidate) -> tuple[int, int, float, str]:
    return -(SEVERITY_RANK[one.severity] // 2), one.tier, -one.score, one.short


def _fitted(
    chosen: Sequence[HeadlineCandidate], worth: Sequence[HeadlineCandidate], limit: int
) -> str | None:
    """Return the chosen lines, as long as there is room for them; None if there is none."""
    rest = _counted_rest(worth, chosen)
    for texts in _forms(chosen):
        found = "; ".join([*texts, *rest])
        if len(found) <= limit:
            return found
    return None


def _forms(chosen: Sequence[HeadlineCandidate]) -> Iterator[tuple[str, ...]]:
    """Yield the texts of the chosen lines, the longest first."""
    forms = [one.forms for one in chosen]
    for kept in range(len(chosen), 0, -1):  # the last parts are shortened first
        yield tuple(form[0] if at < kept else form[-1] for at, form in enumerate(forms))
    if len(chosen) == 1 or chosen[-1].severity == Severity.HIGH:
        yield tuple(form[-1] for form in forms)


def _counted_rest(
    worth: Sequence[HeadlineCandidate], chosen: Sequence[HeadlineCandidate]
) -> list[str]:
    """Return the number of lines that the headline does not name, warnings separately."""
    warnings = sum(one.severity == Severity.HIGH for one in worth)
    warnings -= sum(one.severity == Severity.HIGH for one in chosen)
    others = len(worth) - len(chosen) - warnings
    found = [f"! {counted(warnings, 'more warning')}"] if warnings else []
    return [*found, f"+{others:,} more"] if others else found


def _minor_headline(candidates: Sequence[HeadlineCandidate]) -> str:
    """Return the headline of a story without an important line."""
    if all(one.is_bookkeeping for one in candidates):
        return "; ".join(one.short for one in candidates[:_MOST])
    if len(candidates) == 1 and candidates[0].short.startswith("."):  # `.DS_Store added (4 files)`
        return f"only {candidates[0].short}"
    number = sum(one.file_count for one in candidates)
    are_gone = all(one.short.partition(" (")[0].endswith("deleted") for one in candidates)
    verb = "deleted" if are_gone else "changed"
    return f"only logs and caches {verb} ({counted(number, 'file')})"
