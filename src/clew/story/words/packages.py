"""Words for packages, package sources, toolchains and programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.story.words.broken import unfinished_packages
from clew.story.words.phrases import (
    NAMED_ON_CARD,
    SEEDS,
    Phrase,
    arrow,
    base,
    changed_version,
    joined,
    place,
    some,
    versions,
)


def packages(facts: Sequence[Fact]) -> Phrase:
    unfinished = unfinished_packages(facts)
    if unfinished is not None:
        return unfinished
    manager = facts[0].scope.partition(":")[0]
    where = place(facts[0].scope)
    label = f"{manager} in {where}" if where else manager
    by_kind = {
        word: [fact for fact in facts if fact.kind == f"package.{word}"]
        for word in ("added", "changed", "removed")
    }
    added, changed, removed = by_kind["added"], by_kind["changed"], by_kind["removed"]
    if manager == "pip" and not changed and not removed and not _unseeded(added):
        text = f"new environment {where}".rstrip()
        return Phrase(text, f"{text} ({joined([_with_version(fact) for fact in added])})")
    if manager == "pip" and len(_unseeded(added)) < len(added):
        added, label = _unseeded(added), f"pip in new {where or 'environment'}"
    if manager == "pip" and not added and not changed and len(_unseeded(removed)) < len(removed):
        text = f"removed environment {where}".rstrip()
        lost = _unseeded(removed) or removed
        return Phrase(
            f"{text} ({_asked_for(lost, 2, _name)})",
            f"{text} ({_asked_for(lost, NAMED_ON_CARD, _name)})",
        )
    moved = [fact for fact in changed if not _clause(fact)]
    told = [fact for fact in changed if _clause(fact)]
    groups: list[_Group] = [
        ("installed ", added, _name, _with_version), ("changed ", moved, _with_versions, _with_versions),
        ("", told, _clause, _clause), ("removed ", removed, _removed, _removed),
    ]  # fmt: skip
    groups = [group for group in groups if group[1]]
    few = 2 if len(groups) == 1 else 1
    return Phrase(
        f"{_said(groups, few)} ({label})",
        f"{'; '.join(f'{verb}{_asked_for(found, NAMED_ON_CARD, say)}' for verb, found, _, say in groups)}"
        f" ({label})",
        f"{_said(groups, 1)} ({manager})",
    )


_Group = tuple[str, Sequence[Fact], Callable[[Fact], str], Callable[[Fact], str]]
"""A verb, the facts it applies to, and their words in a headline and on a card."""


def _said(groups: Sequence[_Group], most: int) -> str:
    return ", ".join(f"{verb}{_asked_for(found, most, say)}" for verb, found, say, _ in groups)


_STATES = {
    "on hold": "put on hold",
    "no longer on hold": "released from hold",
    "marked manual": "marked manual",
    "marked automatic": "marked automatic",
    "configured": "configured",
}
"""Marks that are the whole news about a package whose version did not change."""


def _clause(fact: Fact) -> str:
    """Return a clause about a package that did not get another version, or ""."""
    if fact.before != fact.after:
        gone, came = versions(fact)
        return changed_version(fact) if not (gone and came) else ""
    known = [_STATES[mark] for mark in fact.marks if mark in _STATES]
    return f"{fact.subject} {joined(known)}" if known and len(known) == len(fact.marks) else ""


def _removed(fact: Fact) -> str:
    return (
        f"{_name(fact)} ({', '.join(fact.marks)})"
        if fact.marks and "(" not in _name(fact)
        else _name(fact)
    )


def _unseeded(facts: Sequence[Fact]) -> list[Fact]:
    """Leave out the packages that every new environment has."""
    return [fact for fact in facts if fact.direct or fact.subject not in SEEDS]


def _asked_for(facts: Sequence[Fact], most: int, say: Callable[[Fact], str]) -> str:
    """Name the requested packages, and count the dependencies."""
    direct = [fact for fact in facts if fact.direct] or list(facts)
    direct += [
        fact for fact in facts if not fact.direct and fact.severity != "none" and fact not in direct
    ]
    named = [say(fact) for fact in direct[:most]]
    more = len(facts) - len(named)
    if not more:
        return joined(named)
    what = "more" if len(direct) > len(named) else counted(more, "dependency", "dependencies")
    rest = f"{more:,} more" if what == "more" or most <= 2 else what
    return f"{', '.join(named)} and {rest}"


def _name(fact: Fact) -> str:
    if fact.severity == Severity.HIGH and fact.marks:  # the marks are the reason
        return f"{fact.subject} ({', '.join(fact.marks)})"
    return fact.subject


def _with_version(fact: Fact) -> str:
    text = f"{fact.subject} {fact.after}" if fact.after else fact.subject
    return f"{text} ({', '.join(fact.marks)})" if fact.marks else text


def _with_versions(fact: Fact) -> str:
    marks = f" ({', '.join(fact.marks)})" if fact.marks else ""
    if fact.before == fact.after:
        return f"{fact.subject} {fact.after or ''}".rstrip() + marks
    return changed_version(fact) + marks


def sources(facts: Sequence[Fact]) -> Phrase:
    scope = facts[0].scope
    keys = [base(fact.subject) for fact in facts if _is_key(fact)]
    places = [fact.subject for fact in facts if not _is_key(fact)]
    brief = [f"source {some(places, 1)}"] if places else []
    brief += [f"signing key {some(keys, 1)}"] if keys else []
    details = [_marked(fact) for fact in sorted(facts, key=_is_key)]
    return Phrase(f"new {scope} {', '.join(brief)}", f"new {scope} source: {some(details, 3)}")


def _is_key(fact: Fact) -> bool:
    return any(mark.startswith("signing key") for mark in fact.marks)


def _marked(fact: Fact) -> str:
    return f"{fact.subject} ({', '.join(fact.marks)})" if fact.marks else fact.subject


def toolchains(facts: Sequence[Fact]) -> Phrase:
    parts = [_toolchain(fact) for fact in facts]
    label = f" ({facts[0].scope})"
    return Phrase(some(parts, 1) + label, some(parts, NAMED_ON_CARD) + label)


def _toolchain(fact: Fact) -> str:
    words = {"added": "installed", "changed": "switched", "removed": "removed"}
    word = words[fact.kind.partition(".")[2]]
    version = fact.after or fact.before or ""
    if word == "switched" and fact.before and fact.after:
        version = arrow(fact)
        channel = fact.before.partition(" (")[2]
        if channel and channel == fact.after.partition(" (")[2]:
            word = "updated"
    elif word == "switched":
        word = "chose" if fact.after else "no longer chose"
    return f"{word} {fact.subject} {version}".rstrip()


def executables(facts: Sequence[Fact]) -> Phrase:
    parts, brief = [], []
    for word, said in (("new", False), ("replaced", True)):
        found = [fact for fact in facts if (fact.before is not None) is said]
        if found:
            brief.append(f"{word} program {some([fact.subject for fact in found], 2)}")
            texts = [_program(fact) for fact in found]
            parts.append(f"{word} in PATH, from no package: {some(texts, 4)}")
    return Phrase(", ".join(brief), "; ".join(parts))


def _program(fact: Fact) -> str:
    what = arrow(fact) if fact.before else fact.after
    return f"{fact.scope}/{fact.subject}" + (f" ({what})" if what else "")
