"""Scenarios: the changes made in a place, and the tools that report the truth.

A scenario is a generator: what comes before its `yield` prepares the place, what comes after is the
change that clew must report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from evaluation.place import Place

Told = tuple[str, str, str, str | None, str | None]
"""Kind, scope, subject, before and after of a fact."""

Act = Callable[[Place], Iterator[None]]


class Truth(Protocol):
    """A truth source: reads one kind of thing from an independent tool."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of fact that it can judge."""

    def look(self, place: Place) -> object:
        """Return the current output of the tool."""

    def facts(self, before: object, after: object) -> set[Told]:
        """Return the facts that the difference must yield."""


class Scenario(NamedTuple):
    """One thing that people and agents do."""

    number: int
    name: str
    act: Act
    truths: tuple[Truth, ...]
    expected: frozenset[Told]
    """Facts that the scenario itself knows, because it wrote the bytes."""
    machine: bool
    benign: bool
    """Whether no warning is expected."""
    warnings: frozenset[str]
    """Subjects that must have a warning."""
    headline: tuple[str, ...]
    """Words that the headline must contain."""
    ignored: tuple[str, ...]
    """Kinds that are correct but not counted; the scenario gives the reason."""
    stands_in: str
    """What replaces a source that is unreachable."""


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
