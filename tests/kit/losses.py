"""What all detectors together say about two moments, for tests of lost data."""

from __future__ import annotations

from clew.detectors.registry import DETECTORS, SORTERS
from clew.model.fact import Fact, Severity
from clew.model.story import Story
from clew.story.analyse import analyse, ask
from clew.story.compose import compose
from tests.kit.moments import Moment, evidence


def tell(old: Moment, new: Moment, *, machine: bool = False) -> Story:
    """Return the whole story."""
    found = evidence(old, new, machine=machine)
    return compose(found, list(analyse(found, DETECTORS, SORTERS, ask)))


def alarms(old: Moment, new: Moment, *, machine: bool = False) -> list[tuple[str, str, str]]:
    """Return kind, scope and subject of every warning."""
    return [
        (fact.kind, fact.scope, fact.subject)
        for fact in tell(old, new, machine=machine).facts
        if fact.severity == Severity.HIGH
    ]


def losses(old: Moment, new: Moment, *, machine: bool = False) -> list[Fact]:
    """Return the facts about losses, of any severity."""
    facts = tell(old, new, machine=machine).facts
    return [fact for fact in facts if fact.kind.startswith("loss.")]


def files(pattern: str, number: int, size: int = 300) -> dict[str, bytes]:
    """Return files of different content; `{}` in the pattern is the number of each."""
    return {pattern.format(n): f"{pattern} {n} ".encode() * (size // 10) for n in range(number)}
