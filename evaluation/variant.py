"""Variants: changes described in words, by people who have not read the detectors.

A scenario (`scenario.py`) lists facts in clew's own vocabulary.  A variant says what a person must be
able to read, whatever the vocabulary: groups of words that one line must contain, words that the
headline must contain, warnings that are due, and words that would be false.  So it can be written, and
its first result recorded, before any detector knows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from evaluation.place import Place

Words = tuple[str, ...]
"""Words that one line must contain, all of them, in any order and case; `a|b` is either."""

VariantAct = Callable[[Place, "Claims"], Iterator[None]]


class Claims:
    """What must be told about a change; a variant adds to it what only the tools know."""

    def __init__(self) -> None:
        self.says: list[Words] = []
        self.warns: list[Words] = []
        self.headline: list[str] = []
        self.never: list[str] = []

    def say(self, *words: str) -> None:
        """One line of the story has all these words."""
        self.says.append(words)

    def warn(self, *words: str) -> None:
        """One warning has all these words."""
        self.warns.append(words)

    def lead(self, *words: str) -> None:
        """The headline has all these words."""
        self.headline.extend(words)

    def deny(self, *words: str) -> None:
        """No line has any of these words: they would be false."""
        self.never.extend(words)


class Variant(NamedTuple):
    """One change, and its group in the table of results."""

    group: str
    name: str
    act: VariantAct
    machine: bool
    benign: bool
    """Whether a warning would be a false alarm."""
    stands_in: str
    """What replaces a tool that cannot run here."""


VARIANTS: list[Variant] = []


def variant(
    group: str, name: str, *, machine: bool = False, benign: bool = False, stands_in: str = ""
) -> Callable[[VariantAct], VariantAct]:
    """Register a variant: a generator that prepares the place, yields once, and then makes the change."""

    def register(act: VariantAct) -> VariantAct:
        VARIANTS.append(Variant(group, name, act, machine, benign, stands_in))
        return act

    return register
