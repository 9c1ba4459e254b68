"""Words for tests and checks."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fact import Fact
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, arrow, base, some


def tests(facts: Sequence[Fact]) -> Phrase:
    parts = [_with_marks(f"{fact.subject} {fact.kind.partition('.')[2]}", fact) for fact in facts]
    return Phrase(some(parts, 1), some(parts, NAMED_ON_CARD))


def checks(facts: Sequence[Fact]) -> Phrase:
    parts = [_check(fact, fact.scope) for fact in facts]
    return Phrase(some([_check(fact, base(fact.scope)) for fact in facts], 1), some(parts, 4))


def _check(fact: Fact, name: str) -> str:
    versions = f" {arrow(fact)}" if fact.before and fact.after else ""
    return _with_marks(f"{name}: {fact.subject} {fact.kind.partition('.')[2]}{versions}", fact)


def _with_marks(text: str, fact: Fact) -> str:
    return f"{text} ({', '.join(fact.marks)})" if fact.marks else text
