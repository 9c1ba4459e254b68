"""Words for build output and logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from posixpath import dirname

from clew.model.amount import counted
from clew.model.fact import Fact
from clew.story.words.phrases import Phrase, base, near, some, summed


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
    if name := _only_name(facts, number):
        shown = f"{name} {verb} ({counted(number, 'file')})"
        return Phrase(shown, f"{shown}: {some(_directories(facts), 4)}")
    aside = f", {details}" if details else ""
    return Phrase(
        f"{what} {verb} ({counted(number, 'file')}{where})",
        f"{what} {verb} ({counted(number, 'file')}{aside}): {some(places, 4)}",
    )


def _only_name(facts: Sequence[Fact], number: int) -> str:
    """Return the name that all of several files have; empty if they have others."""
    paths = [path for fact in facts for path in fact.evidence]
    names = set(map(base, paths))
    return names.pop() if number == len(paths) > 1 == len(names) else ""


def _directories(facts: Sequence[Fact]) -> list[str]:
    return [dirname(path) or "." for fact in facts for path in fact.evidence]


def _happened(facts: Sequence[Fact]) -> tuple[str, str]:
    """Return what happened to generated files, and the numbers if it was more than one thing."""
    marks = summed([mark for fact in facts for mark in fact.marks])
    if len(marks) == 1:
        return marks[0].rpartition(" ")[2], ""
    return "changed", ", ".join(marks)


def directories(facts: Sequence[Fact]) -> Phrase:
    parts = [_directory(fact, near) for fact in facts]
    return Phrase(some(parts, 2), some([_directory(fact, str) for fact in facts], 4), parts[0])


def _directory(fact: Fact, say: Callable[[str], str]) -> str:
    """Return `archive/ added (100,000 files, 2.1 MB)`, `archive/: 90,000 files edited`."""
    name = say(fact.subject)
    if fact.kind == "directory.changed":
        first, *more = fact.marks or ("many changed",)
        number, _, verb = first.partition(" ")
        return ", ".join([f"{name}/: {number} files {verb}", *more])
    number = (fact.marks[0] if fact.marks else "many").partition(" ")[0]
    verb = "added" if fact.kind == "directory.added" else "deleted"
    size = f", {fact.after}" if fact.after else ""
    return f"{name}/ {verb} ({number} files{size})"


def logs(facts: Sequence[Fact]) -> Phrase:
    grew = all(mark.endswith(("more lines", "more line")) for fact in facts for mark in fact.marks)
    are_gone = all(fact.marks == ("removed",) for fact in facts)
    parts = [fact.subject if are_gone else _log(fact) for fact in facts]
    word = "grew" if grew else "deleted" if are_gone else "changed"
    number = f"{len(facts):,} logs" if len(facts) > 1 else "log"
    return Phrase(f"{counted(len(facts), 'log')} {word}", f"{number} {word}: {some(parts, 4)}")


def _log(fact: Fact) -> str:
    return fact.subject + (f" ({', '.join(fact.marks)})" if fact.marks else "")
