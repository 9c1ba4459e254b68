"""Words for processes and ports, warnings, and failed detectors."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fact import Fact, Severity
from clew.model.shorten import shorten
from clew.story.security_words import security_brief, security_sentence
from clew.story.words.phrases import Phrase, some
from clew.story.words.supply import supply_phrase


def ports(facts: Sequence[Fact]) -> Phrase:
    groups: dict[tuple[str, str], list[str]] = {}
    for fact in facts:
        word = fact.kind.partition(".")[2]
        word += " to every network" if fact.severity == Severity.NOTE else ""
        groups.setdefault((word, fact.after or fact.before or ""), []).append(fact.subject)
    parts, brief = (
        [
            f"{some(names, 4)} {word}" + (f" ({shorten(program, limit)})" if program else "")
            for (word, program), names in groups.items()
        ]
        for limit in (_WHOLE_COMMAND, _SHORT_COMMAND)
    )
    (word, _), names = next(iter(groups.items()))
    numbers = list(dict.fromkeys(name.rpartition(":")[2] for name in names))
    more = f" and {len(groups) - 1:,} more" if len(groups) > 1 else ""
    return Phrase(
        f"port {some(brief, 1)}",
        f"ports: {some(parts, 6)}",
        f"port {some(numbers, 2)} {word.partition(' ')[0]}{more}",
    )


_WHOLE_COMMAND, _SHORT_COMMAND = 200, 28
"""How many characters of a command are shown on a card and in a headline."""


def processes(facts: Sequence[Fact]) -> Phrase:
    parts = [f"{fact.kind.partition('.')[2]} {fact.subject}" for fact in facts]
    more = f" and {len(parts) - 1:,} more" if len(parts) > 1 else ""
    return Phrase(some(parts, 1), some(parts, 4), shorten(parts[0], _SHORT_COMMAND) + more)


def failures(facts: Sequence[Fact]) -> Phrase:
    parts = [
        f"{fact.subject or fact.scope}" + (f" ({fact.after})" if fact.after else "")
        for fact in facts
    ]
    return Phrase(f"not analysed: {some(parts, 1)}", f"not analysed: {some(parts, 4)}")


def security(facts: Sequence[Fact]) -> Phrase:
    phrases = [
        supply_phrase(fact) or Phrase(security_brief(fact), security_sentence(fact))
        for fact in facts
    ]
    return Phrase(
        some([one.short for one in phrases], 1),
        some([one.text for one in phrases], 4),
        some([one.shortest or one.short for one in phrases], 1),
    )
