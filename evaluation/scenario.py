"""Scenarios: what is done in a place, and who tells the truth about it.

A scenario is a generator: what comes before its `yield` prepares the place, what comes after is the
change that clew must tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from evaluation.place import Place

Told = tuple[str, str, str, str | None, str | None]
"""Kind, scope, subject, before and after of a fact."""

Act = Callable[[Place], Iterator[None]]


class Truth(Protocol):
    """Knows one sort of thing from a tool that is not ours."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of fact that it can judge."""

    def look(self, place: Place) -> object:
        """Return what the tool says now."""

    def facts(self, before: object, after: object) -> set[Told]:
        """Return what must be told of the difference."""


class Scenario(NamedTuple):
    """One thing that people and agents do."""

    number: int
    name: str
    act: Act
    truths: tuple[Truth, ...]
    expected: frozenset[Told]
    """Facts that the scenario itself can vouch for, because it wrote the bytes."""
    machine: bool
    benign: bool
    """Nothing here deserves a warning."""
    warnings: frozenset[str]
    """Subjects that must be warned of."""
    headline: tuple[str, ...]
    """Words that the headline must hold."""
    ignored: tuple[str, ...]
    """Kinds that are right and not counted, with their reason beside the scenario."""
    stands_in: str
    """What stands in for a source that cannot be reached."""


SCENARIOS: list[Scenario] = []


def scenario(
    number: int,
    name: str,
    *truths: Truth,
    expected: set[Told] | None = None,
    machine: bool = False,
    benign: bool = False,
    warnings: set[str] | None = None,
    headline: tuple[str, ...] = (),
    ignored: tuple[str, ...] = (),
    stands_in: str = "",
) -> Callable[[Act], Act]:
    """Register a scenario."""

    def register(act: Act) -> Act:
        SCENARIOS.append(
            Scenario(
                number, name, act, truths, frozenset(expected or ()), machine, benign,
                frozenset(warnings or ()), headline, ignored, stands_in,
            )
        )  # fmt: skip
        return act

    return register
