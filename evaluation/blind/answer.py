"""The program that answers: it sees headlines and the words of a question, and nothing else.

It does what a tired person does: look for the thing that the question names, then for a word that says
what happened to it.  It is not to be changed for the sake of a better result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

WIDTH = 72
"""Characters of a headline that are seen."""

VERBS = {
    "lost": (
        "deleted", "removed", "gone", "lost", "dropped", "emptied", "truncated", "destroyed",
        "missing", "cut", "fewer", "−", "→ 0",
    ),
    "added": ("added", "new", "installed", "created", "+"),
    "upgraded": ("→", "upgraded", "updated"),
    "downgraded": ("downgrade", "→"),
    "changed": ("changed", "edited", "→", "~", "set"),
    "stopped": ("skipped", "disabled", "deselected", "switched off", "deleted", "removed", "ignored", "skip"),
    "moved": ("moved", "renamed", "→"),
    "broken": ("conflict", "half", "incomplete", "interrupted", "broken", "unresolved", "unfinished"),
    "weaker": ("!", "⚠", "warning", "runs", "elsewhere", "untrusted"),
}  # fmt: skip
"""Words that say what happened, for each kind of question."""


class Question(NamedTuple):
    """What a person asks about a timeline."""

    text: str
    """As a person would put it: `the last moment before the customers were lost`."""
    things: tuple[str, ...]
    """The thing in question, as the tools call it; all of these words."""
    verb: str
    """What happened to it: a key of `VERBS`."""
    before: bool = False
    """Whether the moment before is asked for."""


def answer(headlines: Sequence[str], question: Question) -> int:
    """Return the index of the checkpoint that answers a question; headlines are the oldest first."""
    seen = [headline[:WIDTH].casefold() for headline in headlines]
    scores = [_score(headline, question) for headline in seen]
    best = scores.index(max(scores))
    return max(best - 1, 0) if question.before else best


def _score(headline: str, question: Question) -> float:
    things = sum(_names(headline, thing.casefold()) for thing in question.things)
    named = things / len(question.things)
    said = any(verb in headline for verb in VERBS[question.verb])
    # A thing that is not named is a guess: what happened to anything at all.
    return 2 * named + (1 if said and named == 1 else 0.25 if said else 0)


def _names(headline: str, thing: str) -> bool:
    """Return whether a headline has a word, as a whole."""
    return re.search(rf"(?<![a-z0-9_]){re.escape(thing)}(?![a-z0-9_])", headline) is not None
