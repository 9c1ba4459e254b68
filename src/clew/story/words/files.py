"""Words for build output and logs."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.amount import counted
from clew.model.fact import Fact
from clew.story.words.phrases import Phrase, base, some, summed


def generated(facts: Sequence[Fact]) -> Phrase:
    names = {
        "build": "build output",
        "cache": "caches",
        "ignored": "ignored files",
        "code": "generated code",
    }
    scopes = list(dict.fromkeys(fact.scope for fact in facts))
    number = sum(int(fact.after or 0) for fact in facts)
    what = " and ".join(names.get(scope, scope) for scope in scopes)
    places = [
        name
        for fact in facts
        for name in (fact.evidence if fact.subject == "." and fact.evidence else (fact.subject,))
    ]
    where = f" in {places[0]}" if len(facts) == 1 and facts[0].subject != "." else ""
    if number == 1 and facts[0].evidence:
        where = f": {base(facts[0].evidence[0])}"
    verb, details = _happened(facts)
    aside = f", {details}" if details else ""
    return Phrase(
        f"{what} {verb} ({counted(number, 'file')}{where})",
        f"{what} {verb} ({counted(number, 'file')}{aside}): {some(places, 4)}",
    )


def _happened(facts: Sequence[Fact]) -> tuple[str, str]:
    """Return what happened to generated files, and the numbers if it was more than one thing."""
    marks = summed([mark for fact in facts for mark in fact.marks])
    if len(marks) == 1:
        return marks[0].rpartition(" ")[2], ""
    return "changed", ", ".join(marks)


def logs(facts: Sequence[Fact]) -> Phrase:
    grew = all(mark.endswith(("more lines", "more line")) for fact in facts for mark in fact.marks)
    are_gone = all(fact.marks == ("removed",) for fact in facts)
    parts = [fact.subject if are_gone else _log(fact) for fact in facts]
    word = "grew" if grew else "deleted" if are_gone else "changed"
    number = f"{len(facts):,} logs" if len(facts) > 1 else "log"
    return Phrase(f"{counted(len(facts), 'log')} {word}", f"{number} {word}: {some(parts, 4)}")


def _log(fact: Fact) -> str:
    return fact.subject + (f" ({', '.join(fact.marks)})" if fact.marks else "")
