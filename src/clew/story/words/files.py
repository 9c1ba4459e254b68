"""Words for repositories, source files, build output and logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.amount import counted
from clew.model.fact import Fact
from clew.story.words.phrases import NUMBERS, Phrase, base, joined, near, place, some


def git(facts: Sequence[Fact]) -> Phrase:
    parts = [_git_part(fact) for fact in facts]
    where = place(facts[0].scope)
    first = facts[0].marks[0] if len(facts) == 1 and facts[0].marks else ""
    into = "into" if first == "cloned" else "to" if first.startswith("moved from ") else "in"
    suffix = f" {into} {where}" if where else ""
    return Phrase(some(parts, 2) + suffix, "; ".join(parts[:8]) + suffix)


def _git_part(fact: Fact) -> str:
    marks = ", ".join(fact.marks)
    others = f" ({', '.join(fact.marks[1:])})" if fact.marks[1:] else ""
    match fact.kind:
        case "git.commit" if "initialised" in fact.marks:
            return f"new repository ({', '.join(fact.marks[1:])} on {fact.subject})"
        case "git.commit":
            return f"{fact.marks[0] if fact.marks else 'commits'} on {fact.subject}{others}"
        case "git.branch":
            return _branch(fact, marks, others)
        case "git.reset":
            return f"{fact.subject} was reset" + (f" ({marks})" if marks else "")
        case "git.rebase":
            if marks in ("under way", "given up"):
                return f"rebase of {fact.subject} {marks}"
            return f"{fact.subject} was rebased" + (f" ({marks})" if marks else "")
        case "git.stash":
            return f"stash: {fact.before or 0} → {fact.after or 0} {'entry' if fact.after == '1' else 'entries'}"
        case "git.remote" if fact.marks[:1] in (("pushed",), ("fetched",)):
            return f"{'pushed to' if marks == 'pushed' else 'fetched'} {fact.subject}{others}"
        case "git.remote":
            return f"remote {fact.subject} {marks}".rstrip()
        case _:
            return f"git {fact.kind.partition('.')[2]} {fact.subject} {marks}".rstrip()


def _branch(fact: Fact, marks: str, others: str) -> str:
    first = fact.marks[0] if fact.marks else ""
    if first == "cloned":
        return (
            " ".join(("cloned", *fact.marks[1:2]))
            + f" ({', '.join([fact.subject, *fact.marks[2:]])})"
        )
    if first == "initialised":
        return f"new repository (branch {fact.subject})"
    if first == "repository removed":
        return f"repository removed (was on {fact.subject})"
    if first.startswith("moved from "):
        return f"repository {first}"
    if first.startswith("worktree "):
        return f"{first} (branch {fact.subject})"
    if first in ("tag", "tags"):
        return " ".join((*(("tag",) if first == "tag" else ()), fact.subject, *fact.marks[1:]))
    if first.endswith((" under way", " given up", " ended")):
        return f"{first} on {fact.subject}{others}"
    if "no branch" in fact.marks:
        return f"{fact.subject} {first}{others}"
    return f"branch {fact.subject} {marks}".rstrip()


def code(facts: Sequence[Fact]) -> Phrase:
    number = sum(int(fact.after or fact.before or 0) for fact in facts)
    marks = _summed([mark for fact in facts for mark in fact.marks if not _is_aside(mark)])
    detail = f" ({', '.join(marks)})" if marks else ""
    only = [mark for mark in marks if mark.endswith(" only") or mark == "made executable"]
    brief = f" ({only[0]})" if only else ""
    if number <= _NAMED_FILES and all(fact.evidence for fact in facts):
        names = ", ".join(f"{_verb(fact)} {_file_names(fact, near)}" for fact in facts)
        paths = ", ".join(f"{_verb(fact)} {_file_names(fact, str)}" for fact in facts)
        if len(names) <= _NAMES_LIMIT:
            return Phrase(names + brief, paths + detail)
    noun = "document" if all("documents" in fact.marks for fact in facts) else "source file"
    joined = ", ".join(f"{_verb(fact)} {int(fact.after or fact.before or 0):,}" for fact in facts)
    said = f"{joined} {noun}{'' if number == 1 else 's'}{_common_place(facts)}"
    return Phrase(said + brief, said + detail)


_NAMED_FILES = 2
"""Up to this many files are named, more are counted."""


_NAMES_LIMIT = 48


def _is_aside(mark: str) -> bool:
    """Return whether the line already contains a mark of code elsewhere."""
    return mark == "documents" or mark.startswith(("in ", "from "))


def _verb(fact: Fact) -> str:
    whole = f"{int(fact.after or fact.before or 0):,} reverted"
    if whole in fact.marks:
        return "brought back" if fact.kind == "code.added" else "reverted"
    if not {"mode only", "owner only", "made executable"}.isdisjoint(fact.marks):
        return "changed"
    return fact.kind.partition(".")[2]


def _file_names(fact: Fact, say: Callable[[str], str]) -> str:
    if fact.kind != "code.renamed":
        return joined([say(path) for path in fact.evidence])
    pairs = zip(fact.evidence[::2], fact.evidence[1::2], strict=False)
    return joined([f"{say(old)} → {_moved_to(old, new, say)}" for old, new in pairs])


def _moved_to(old: str, new: str, say: Callable[[str], str]) -> str:
    return say(new) if say(old) != say(new) else f"{new.rpartition('/')[0] or '.'}/"


def _common_place(facts: Sequence[Fact]) -> str:
    """Return the common directory of all files, else that of their repository."""
    if len(facts) == 1 and any(mark.startswith("from ") for mark in facts[0].marks):
        return " " + " to ".join(mark.removeprefix("in ") for mark in facts[0].marks[-2:])
    found = {mark for fact in facts for mark in fact.marks if mark.startswith("in ")}
    if len(found) == 1 and all(not found.isdisjoint(fact.marks) for fact in facts):
        return f" {found.pop()}"
    where = place(facts[0].scope)
    return f" in {where}" if where else ""


def _summed(marks: Sequence[str]) -> list[str]:
    """Return marks with equal words added up: `+1 lines` and `+3 −1 lines` give `+4 −1 lines`."""
    sums: dict[str, list[int]] = {}
    for mark in marks:
        numbers = [int(number.replace(",", "")) for number in NUMBERS.findall(mark)]
        words = NUMBERS.sub("#", mark)
        words += "s" if words.endswith("# line") else ""
        if words in ("+# lines", "−# lines"):  # one side only
            numbers = [*numbers, 0] if words[0] == "+" else [0, *numbers]
            words = "+# −# lines"
        before = sums.setdefault(words, [0] * len(numbers))
        sums[words] = [one + other for one, other in zip(before, numbers, strict=True)]
    return [_filled(words, numbers) for words, numbers in sums.items()]


def _filled(words: str, numbers: Sequence[int]) -> str:
    for number in numbers:
        words = words.replace("#", f"{number:,}", 1)
    words = words.replace("+0 ", "").replace(" −0 lines", " lines")
    return words.removesuffix("s") if words in ("+1 lines", "−1 lines") else words


def generated(facts: Sequence[Fact]) -> Phrase:
    names = {"build": "build output", "cache": "caches", "ignored": "ignored files"}
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
    marks = _summed([mark for fact in facts for mark in fact.marks])
    if len(marks) == 1:
        return marks[0].rpartition(" ")[2], ""
    return "changed", ", ".join(marks)


def logs(facts: Sequence[Fact]) -> Phrase:
    parts = [fact.subject + (f" ({', '.join(fact.marks)})" if fact.marks else "") for fact in facts]
    grew = all(mark.endswith(("more lines", "more line")) for fact in facts for mark in fact.marks)
    are_gone = all(fact.marks == ("removed",) for fact in facts)
    word = "grew" if grew else "deleted" if are_gone else "changed"
    return Phrase(f"{counted(len(facts), 'log')} {word}", f"logs {word}: {some(parts, 4)}")
