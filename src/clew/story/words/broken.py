"""Words for what is broken or half finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.story.words.phrases import Phrase, base, joined, near, place, some

_NAMED = 3
_ON_CARD = 6
_LAST_COMMA = "a comma after the last entry"
"""Many programs accept it, others do not."""


def broken(facts: Sequence[Fact]) -> Phrase:
    kinds: dict[str, list[Fact]] = {}
    for fact in facts:
        kinds.setdefault(fact.kind.partition(".")[2], []).append(fact)
    operations, conflicts = kinds.pop("operation", []), kinds.pop("conflict", [])
    parts = [_operation(fact, conflicts if not at else []) for at, fact in enumerate(operations)]
    parts += [_conflicts(conflicts)] if conflicts and not operations else []
    parts += [_WORDS[kind](found) for kind, found in kinds.items()]
    return Phrase(
        some([part.short for part in parts], 1),
        "; ".join(part.text for part in parts),
        some([part.shortest or part.short for part in parts], 1),
    )


def _operation(fact: Fact, conflicts: Sequence[Fact]) -> Phrase:
    where = place(fact.scope)
    inside = f" in {where}" if where else ""
    if fact.subject == "clone":
        source = f" ({', '.join(fact.marks)})" if fact.marks else ""
        text = f"clone into {where or '.'} incomplete"
        return Phrase(text, text + source)
    if fact.subject.endswith(".lock"):
        text = f"{fact.subject} left in {where or '.git'}"
        return Phrase(
            text, f"{text} ({', '.join(fact.marks)}; git refuses to work until it is removed)"
        )
    if fact.subject == "repository":
        text = f"git repository damaged ({', '.join(fact.marks)}){inside}"
        return Phrase(text, text, f"git repository damaged{inside}")
    if fact.subject == "index" or fact.subject.startswith("branch "):
        text = f"git: {fact.subject}, {', '.join(fact.marks)}{inside}"
        return Phrase(text, text, f"git: {fact.subject} damaged")
    still = "still " if "still under way" in fact.marks else ""
    on = next((f" {mark}" for mark in fact.marks if mark.startswith(("on ", "of "))), "")
    number = next((mark for mark in fact.marks if mark.startswith("conflicts in ")), "")
    named = _files(conflicts)
    if fact.subject == "conflict":  # nothing but the index shows it
        text = f"unresolved {number or 'conflicts'}{inside}"
        return Phrase(text, text + named, number)
    begun = f"{fact.subject}{on} {still}under way"
    short = f"{begun}, {number}{inside}" if number else begun + inside
    return Phrase(
        short, short + named, f"{fact.subject} under way" + (f", {number}" if number else "")
    )


def _files(conflicts: Sequence[Fact]) -> str:
    names = [fact.subject for fact in conflicts]
    return f": {some(names, _ON_CARD)}" if names else ""


def _conflicts(facts: Sequence[Fact]) -> Phrase:
    rejected = [fact for fact in facts if "rejected" in fact.marks]
    if len(rejected) == len(facts):
        return _rejected(rejected)
    names = [fact.subject for fact in facts]
    if len(names) == 1:
        marks = f" ({', '.join(facts[0].marks)})" if facts[0].marks else ""
        return Phrase(
            f"conflict markers in {near(names[0])}",
            f"conflict markers in {names[0]}{marks}",
            f"conflict markers in {base(names[0])}",
        )
    files = counted(len(names), "file")
    more = ", …" if len(names) > 1 else ""
    return Phrase(
        f"conflict markers in {files} ({near(names[0])}{more})",
        f"conflict markers in {files}: {some(names, _ON_CARD)}",
        f"conflict markers in {files}",
    )


def _rejected(facts: Sequence[Fact]) -> Phrase:
    names = [fact.subject.removesuffix(".rej") for fact in facts]
    if len(names) > 1:
        text = f"patch rejected in {counted(len(names), 'file')}"
        return Phrase(f"{text} ({near(names[0])}, …)", f"{text}: {some(names, _ON_CARD)}", text)
    hunks = f" ({', '.join(facts[0].marks[1:])})"
    return Phrase(
        f"patch rejected in {near(names[0])}{hunks}",
        f"patch rejected in {names[0]}{hunks}",
        f"patch rejected in {base(names[0])}",
    )


def _installs(facts: Sequence[Fact]) -> Phrase:
    manager, where = facts[0].scope.partition(":")[0], place(facts[0].scope)
    inside = f" in {where}" if where else ""
    whole = [fact for fact in facts if fact.subject == "node_modules"]
    if whole:
        shown = [mark for mark in whole[0].marks if mark != manager]
        said = f"node_modules incomplete{inside}"
        return Phrase(
            f"{said}: {shown[0]}" if shown else said,
            f"{said}: {', '.join(shown)} ({manager})" if shown else f"{said} ({manager})",
            f"{manager}: {shown[0]}" if shown else said,
        )
    if len(facts) == 1:
        fact = facts[0]
        version = f" {fact.after or fact.before}" if fact.after or fact.before else ""
        marks = f" ({', '.join(fact.marks)})" if fact.marks else ""
        brief = f" ({fact.marks[0]})" if fact.marks else ""
        return Phrase(
            f"installation of {fact.subject} incomplete{brief}{inside}",
            f"installation of {fact.subject}{version} incomplete{marks} ({manager}{inside})",
            f"installation of {fact.subject} incomplete",
        )
    names = [fact.subject for fact in facts]
    return Phrase(
        f"installation of {some(names, 2)} incomplete{inside}",
        f"installation incomplete ({manager}{inside}): {some([_detailed(f) for f in facts], _ON_CARD)}",
        f"{counted(len(names), 'package')} incomplete{inside}",
    )


def _detailed(fact: Fact) -> str:
    return f"{fact.subject} ({', '.join(fact.marks)})" if fact.marks else fact.subject


def _downloads(facts: Sequence[Fact]) -> Phrase:
    names = [fact.subject for fact in facts]
    before = f"{facts[0].before} → " if facts[0].before else ""
    size = f" ({before}{facts[0].after} so far)" if facts[0].after else ""
    noun = facts[0].scope if facts[0].scope == "copy" else "download"
    if facts[0].scope == "cut":
        text = f"{some([near(name) for name in names], 2)} incomplete: the end is missing"
        return Phrase(
            text,
            f"{some(names, _ON_CARD)} incomplete: the end is missing{size.replace(' so far', '')}",
            f"{some([base(name) for name in names], 1)} incomplete",
        )
    if len(names) > 1:
        text = f"{counted(len(names), noun, 'copies' if noun == 'copy' else '')} incomplete"
        return Phrase(f"{text} ({base(names[0])}, …)", f"{text}: {some(names, _ON_CARD)}", text)
    return Phrase(
        f"{noun} {near(names[0])} incomplete{size}",
        f"{noun} {names[0]} incomplete{size}",
        f"{noun} {base(names[0])} incomplete",
    )


def _migrations(facts: Sequence[Fact]) -> Phrase:
    if facts[0].scope.startswith("branches:"):
        return _branches(facts)
    database = place(facts[0].scope)
    names = some([fact.subject for fact in facts], 2)
    text = f"migration {names} applied in part to"
    marks = "; ".join(", ".join(fact.marks) for fact in facts[:_NAMED])
    return Phrase(
        f"{text} {base(database)} (not recorded)",
        f"{text} {database} ({marks})",
        f"migration {names} half applied",
    )


def _branches(facts: Sequence[Fact]) -> Phrase:
    """Return the words for two migrations that follow the same one."""
    fact = facts[0]
    other, parent = (*fact.marks, "", "")[:2]
    more = f" and {len(facts) - 1:,} more" if len(facts) > 1 else ""
    return Phrase(
        f"migrations {fact.subject} and {other} both follow {parent}{more}",
        "; ".join(
            f"migrations {one.subject} and {one.marks[0]} in {place(one.scope)} both follow {one.marks[1]}:"
            " two branches, to be merged"
            for one in facts[:_NAMED]
        ),
        f"two migrations follow {parent}",
    )


def _transactions(facts: Sequence[Fact]) -> Phrase:
    fact = facts[0]
    if fact.scope == "terraform":
        return Phrase(
            f"{near(fact.subject)}: Terraform could not save its state",
            f"{fact.subject}: Terraform made changes and could not save its state; push it before the next run",
            f"{base(fact.subject)}: state not saved",
        )
    said = " ".join(["unfinished transaction", *(f"({mark})" for mark in fact.marks[:1])])
    return Phrase(
        f"{near(fact.subject)}: {said}",
        f"{fact.subject}: {said}; the next program that opens it rolls it back",
        f"{base(fact.subject)}: unfinished transaction",
    )


def _environments(facts: Sequence[Fact]) -> Phrase:
    fact = facts[0]
    versions = f"Python {fact.before} → {fact.after}" if fact.before and fact.after else ""
    said = ", ".join([*([versions] if versions else []), *fact.marks]) or "broken"
    brief = versions or (fact.marks[0] if fact.marks else "broken")
    return Phrase(
        f"{near(fact.subject)}: {said}", f"{fact.subject}: {said}", f"{near(fact.subject)}: {brief}"
    )


def _syntax(facts: Sequence[Fact]) -> Phrase:
    names = [fact.subject for fact in facts]
    if len(names) == 1:
        marks = f" ({', '.join(facts[0].marks)})" if facts[0].marks else ""
        brief = f" ({facts[0].marks[0]})" if facts[0].marks else ""
        if facts[0].severity == Severity.NOTE and _LAST_COMMA in facts[0].marks:
            said = "is no longer strict JSON"
            return Phrase(f"{near(names[0])} {said}{brief}", f"{names[0]} {said}{marks}")
        return Phrase(
            f"{near(names[0])} no longer parses{brief}",
            f"{names[0]} no longer parses{marks}",
            f"{base(names[0])} no longer parses",
        )
    return Phrase(
        f"{some([base(name) for name in names], _NAMED)} no longer parse",
        f"{joined([_detailed(fact) for fact in facts[:_ON_CARD]])} no longer parse",
        f"{counted(len(names), 'file')} no longer parse",
    )


def unfinished_packages(facts: Sequence[Fact]) -> Phrase | None:
    """Return the words for packages that dpkg has not installed completely; None for others."""
    if not all(not _UNFINISHED.isdisjoint(fact.marks) for fact in facts):
        return None
    manager, names = facts[0].scope, [fact.subject for fact in facts]
    states = list(dict.fromkeys(mark for fact in facts for mark in fact.marks))
    state = states[0] if len(states) == 1 else "not configured"
    details = [f"{_versioned(fact)} is {', '.join(fact.marks)}" for fact in facts]
    return Phrase(
        f"installation of {some(names, 2)} incomplete ({state}) ({manager})",
        f"installation incomplete ({manager}): {some(details, _ON_CARD)}",
        f"installation of {some(names, 1)} incomplete",
    )


_UNFINISHED = frozenset((
    "half-installed", "half-configured", "unpacked, not configured", "must be reinstalled",
))  # fmt: skip
"""States of packages of dpkg."""


def _versioned(fact: Fact) -> str:
    return f"{fact.subject} {fact.after}" if fact.after else fact.subject


_WORDS: dict[str, Callable[[Sequence[Fact]], Phrase]] = {
    "install": _installs,
    "download": _downloads,
    "migration": _migrations,
    "transaction": _transactions,
    "environment": _environments,
    "syntax": _syntax,
}
