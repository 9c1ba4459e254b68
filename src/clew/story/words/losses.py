"""Words for lost and moved data."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fact import Fact
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, base, near, some


def losses(facts: Sequence[Fact]) -> Phrase:
    return Phrase(
        some([_loss(fact, near(fact.subject)) for fact in facts], 2),
        some([_loss(fact, fact.subject) for fact in facts], NAMED_ON_CARD),
        some([_loss(fact, base(fact.subject)) for fact in facts], 1),
    )


def _loss(fact: Fact, name: str) -> str:
    amounts = " → ".join(amount for amount in (fact.before, fact.after) if amount)
    if fact.kind == "loss.shrunk" and amounts:
        return f"{name}: {amounts}"
    verb = fact.kind.partition(".")[2]
    return f"{name} {verb} ({fact.before})" if fact.before else f"{name} {verb}"


def moves(facts: Sequence[Fact]) -> Phrase:
    parts = [_move(fact) for fact in facts]
    return Phrase(some(parts, 1), some(parts, NAMED_ON_CARD))


def _move(fact: Fact) -> str:
    details = f" ({', '.join(fact.marks)})" if fact.marks else ""
    return f"moved {fact.before or fact.subject} → {fact.after or 'elsewhere'}{details}"
