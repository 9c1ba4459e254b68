"""Words for repositories, build output and logs."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.amount import counted
from clew.model.fact import Fact
from clew.story.words.phrases import Phrase, base, place, some


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
    return Phrase(
        f"{what} changed ({counted(number, 'file')}{where})",
        f"{what} changed ({counted(number, 'file')}): {some(places, 4)}",
    )


def logs(facts: Sequence[Fact]) -> Phrase:
    parts = [fact.subject + (f" ({', '.join(fact.marks)})" if fact.marks else "") for fact in facts]
    grew = all(mark.endswith(("more lines", "more line")) for fact in facts for mark in fact.marks)
    word = "grew" if grew else "changed"
    return Phrase(f"{counted(len(facts), 'log')} {word}", f"logs {word}: {some(parts, 4)}")
