"""Secrets of every kind, no two alike, and a search for any piece of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from tests.policy.redaction.labelled import Template, templates
from tests.policy.redaction.test_kinds import KNOWN_MISSES, SETS

_PIECE = 12
"""Characters of a random secret that must not be shown; a shorter piece tells little."""
_TOKENS = 64
"""Kinds of tokens in each kind of name: each costs several files."""
_CHOSEN = re.compile(r"(?:Hafen331|Passw0rd|Winter24|Sommer25|Morgen77|geheim)")
_WEAK = re.compile(r"Hafen\d{5}")
"""Passwords as people choose them, numbered."""


class Place(NamedTuple):
    """Where a secret was planted, and of what kind it is."""

    kind: str
    where: str


class Plants:
    """Makes secrets and remembers where each was planted."""

    def __init__(self) -> None:
        self._pieces: dict[str, Place] = {}
        self._weak: dict[str, Place] = {}

    @property
    def places(self) -> set[Place]:
        return {*self._pieces.values(), *self._weak.values()}

    def text(self, kind: Template, where: str) -> str:
        """Return the text of a kind with a secret in it that is nowhere else."""
        found: list[str] = []
        place = Place(kind.name, where)
        text = kind.expanded(random.Random(f"{where} {kind.name}"), found.append)
        text = _CHOSEN.sub(lambda _: self._chosen(place), text)
        for made in found:
            for at in range(len(made) - _PIECE + 1):
                self._pieces[made[at : at + _PIECE]] = place
        return text

    def every_text(self, where: str, kinds: Iterable[Template]) -> Iterator[tuple[Template, str]]:
        """Yield a text of each kind."""
        for kind in kinds:
            yield kind, self.text(kind, where)

    def token(self, kind: Template, where: str) -> str:
        """Return a token of a kind, for a name."""
        return self.text(kind.only_secret(), where)

    def found_in(self, text: str) -> set[Place]:
        """Return which secrets, or pieces of them, are in what was said."""
        found = {self._weak[word] for word in _WEAK.findall(text) if word in self._weak}
        for run in re.findall(rf"[A-Za-z0-9+/]{{{_PIECE},}}", text):
            for at in range(len(run) - _PIECE + 1):
                if place := self._pieces.get(run[at : at + _PIECE]):
                    found.add(place)
        return found

    def _chosen(self, place: Place) -> str:
        word = f"Hafen{len(self._weak):05d}"
        self._weak[word] = place
        return word


@cache
def kinds_of_text() -> tuple[Template, ...]:
    """Return the kinds whose text alone tells that it is a secret."""
    return tuple(
        kind
        for kind in templates(*SETS)
        if not kind.needs_file and kind.name not in KNOWN_MISSES and _is_random(kind)
    )


@cache
def kinds_of_line() -> tuple[Template, ...]:
    """Return the kinds whose text is one line."""
    return tuple(kind for kind in kinds_of_text() if "⏎" not in kind.text)


@cache
def kinds_of_file() -> tuple[Template, ...]:
    """Return the kinds that are recognized in a file."""
    return tuple(
        kind
        for kind in templates(*SETS)
        if "file" not in KNOWN_MISSES.get(kind.name, ()) and _is_random(kind)
    )


@cache
def kinds_of_token() -> tuple[Template, ...]:
    """Return kinds that are tokens, which a name may contain: a prefix and a random part."""
    found = [kind for kind in kinds_of_line() if kind.path == "notes.md"]
    return tuple(kind for kind in found if kind.only_secret().is_name)[:_TOKENS]


def _is_random(kind: Template) -> bool:
    """Return whether a kind has something to search for."""
    return bool(_CHOSEN.search(kind.text)) or any(size >= _PIECE for size in kind.sizes)
