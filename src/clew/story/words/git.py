"""Words for git repositories."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fact import SEVERITY_RANK, Fact
from clew.story.words.phrases import Phrase, base, joined, near, place, some

_ON_CARD = 8


def git(facts: Sequence[Fact]) -> Phrase:
    ordered = sorted(facts, key=lambda fact: -SEVERITY_RANK[fact.severity])
    parts = [_part(group) for group in _groups(ordered)]
    where = place(facts[0].scope)
    first = facts[0].marks[0] if len(facts) == 1 and facts[0].marks else ""
    into = "into" if first == "cloned" else "to" if first.startswith("moved from ") else "in"
    # what names a path already says where it is
    names_place = any(kind in _WITH_PATHS for kind in (fact.kind for fact in facts))
    suffix = f" {into} {where}" if where and not names_place else ""
    more = f" and {len(parts) - 1:,} more" if len(parts) > 1 else suffix
    return Phrase(
        some([part.short for part in parts], 2) + suffix,
        "; ".join(part.text for part in parts[:_ON_CARD]) + suffix,
        (parts[0].shortest or parts[0].short) + more,
    )


_WITH_PATHS = frozenset(("git.worktree", "git.sparse", "git.lfs", "git.submodule", "git.discarded"))


def _groups(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Return facts that one part of the line tells: a branch and its copy on a remote."""
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for number, fact in enumerate(facts):
        key: tuple[object, ...] = (number,)
        if fact.kind == "git.sparse":
            key = fact.kind, "".join(fact.marks[:1])
        elif fact.kind == "git.reset" and fact.subject != "HEAD":
            key = fact.kind, fact.before, _exchanged(fact)
        groups.setdefault(key, []).append(fact)
    return list(groups.values())


def _part(facts: Sequence[Fact]) -> Phrase:
    fact = facts[0]
    others = f" ({', '.join(fact.marks[1:])})" if fact.marks[1:] else ""
    match fact.kind:
        case "git.commit":
            return _commits(fact, others)
        case "git.branch":
            text = _branch(fact, others)
            brief = f"branch {fact.subject} deleted" if fact.marks[:1] == ("deleted",) else ""
            return Phrase(text, text, brief)
        case "git.reset":
            return _reset(facts)
        case "git.rebase":
            return _same(_rebase(fact))
        case "git.stash":
            return _stash(fact)
        case "git.remote":
            return _same(_remote(fact, others))
        case "git.worktree":
            branch = fact.after or fact.before
            details = ", ".join([*([f"branch {branch}"] if branch else []), *fact.marks[1:]])
            word = fact.marks[0].rpartition(" ")[2] if fact.marks else "changed"
            shown = f" ({details})" if details else ""
            lost = next((f", {mark}" for mark in fact.marks if mark.endswith(" lost")), "")
            found = _with_brief("worktree", fact.subject, f" {word}", shown)
            return found._replace(shortest=f"{found.shortest}{lost}")
        case "git.sparse":
            return _sparse(facts)
        case "git.lfs":
            return _lfs(fact)
        case "git.submodule":
            change = f"{fact.before} → {fact.after}" if fact.before and fact.after else ""
            word = f" {change or ''.join(fact.marks[:1]) or 'changed'}"
            at = f" ({fact.after})" if fact.after and not change else ""
            return _with_brief("submodule", fact.subject, word, at)
        case "git.discarded":
            return _discarded(fact)
        case _:
            marks = ", ".join(fact.marks)
            return _same(f"git {fact.kind.partition('.')[2]} {fact.subject} {marks}".rstrip())


def _same(text: str) -> Phrase:
    return Phrase(text, text)


def _with_brief(noun: str, path: str, word: str, details: str) -> Phrase:
    return Phrase(
        f"{noun} {near(path)}{word}{details}",
        f"{noun} {path}{word}{details}",
        f"{noun} {base(path)}{word}",
    )


def _commits(fact: Fact, others: str) -> Phrase:
    if "initialised" in fact.marks:
        return _same(f"new repository ({', '.join(fact.marks[1:])} on {fact.subject})")
    number = fact.marks[0] if fact.marks else "commits"
    if fact.marks == ("1 commit", "amended"):
        return _same(f"1 commit amended on {fact.subject}")
    merged = [mark for mark in fact.marks if mark.startswith("merge of ")]
    if len(merged) == 1 and fact.marks[:2] == ("1 commit", merged[0]):
        names = joined(merged[0].removeprefix("merge of ").split(", "))
        rest = f" ({', '.join(fact.marks[2:])})" if fact.marks[2:] else ""
        text = f"merged {names} into {fact.subject}{rest}"
        return Phrase(text, text, f"merge into {fact.subject}")
    text = f"{number} on {fact.subject}{others}"
    return Phrase(text, text, f"{number} on {fact.subject}")


def _branch(fact: Fact, others: str) -> str:
    first = fact.marks[0] if fact.marks else ""
    if first == "cloned":
        details = ", ".join([fact.subject, *fact.marks[2:]])
        return f"{' '.join(('cloned', *fact.marks[1:2]))} ({details})"
    if first == "initialised":
        return f"new repository (branch {fact.subject})"
    if first == "repository removed":
        rest = fact.marks[1] if fact.marks[1:] else ""
        together = f" {rest}" if rest.startswith("with ") else f", {rest}" if rest else ""
        return f"repository removed{together} (was on {fact.subject})"
    if first.startswith("moved from "):
        return f"repository {first}"
    if first in ("tag", "tags", "expired"):
        moved = f" ({fact.before} → {fact.after})" if "moved" in fact.marks and fact.after else ""
        return (
            " ".join((*(("tag",) if first == "tag" else ()), fact.subject, *fact.marks[1:])) + moved
        )
    if first == "notes":
        return f"git notes {fact.subject} {''.join(fact.marks[1:2])}".rstrip()
    if first.endswith((" under way", " given up", " ended", " resolved")):
        return f"{first} on {fact.subject}{others}"
    if first.endswith(".lock left"):
        return f"{first} in .git (git was interrupted, or still runs)"
    if "no branch" in fact.marks:
        places = [mark for mark in fact.marks if mark.startswith("in ")]
        return f"HEAD detached at {fact.subject} ({', '.join(['no branch', *places])})"
    if first == "deleted" and len(fact.marks) > 1:
        return f"branch {fact.subject} deleted{others}"
    return f"branch {fact.subject} {', '.join(fact.marks)}".rstrip()


def _exchanged(fact: Fact) -> tuple[str, ...]:
    return tuple(mark for mark in fact.marks if mark.endswith((" dropped", " new")))


def _reset(facts: Sequence[Fact]) -> Phrase:
    fact = facts[0]
    if fact.subject == "HEAD":
        text = f"detached HEAD: {', '.join(fact.marks)} ({fact.before})"
        return Phrase(text, text, fact.marks[0] if fact.marks else "")
    names = joined([one.subject for one in facts])
    counts = _exchanged(fact)
    is_forced = any("forced update" in one.marks for one in facts)
    why = [mark for one in facts for mark in one.marks if mark not in (*counts, "forced update")]
    details = ", ".join([*counts, *(["by force"] if is_forced else []), *dict.fromkeys(why)])
    is_rewritten = is_forced or any(mark.endswith(" new") for mark in counts)
    verb = "rewritten" if is_rewritten else "was reset" if len(facts) == 1 else "were reset"
    brief = f" ({', '.join(counts)})" if counts else ""
    return Phrase(
        f"{names} {verb}" + (f" ({details})" if details else ""),
        f"{names} {verb}" + (f" ({details})" if details else ""),
        f"{facts[0].subject} {verb}{brief}",
    )


def _rebase(fact: Fact) -> str:
    marks = ", ".join(fact.marks)
    if marks == "given up":
        return f"rebase of {fact.subject} given up"
    return f"{fact.subject} was rebased" + (f" ({marks})" if marks else "")


def _stash(fact: Fact) -> Phrase:
    lost = [mark for mark in fact.marks if mark.endswith(" are lost")]
    words = [mark for mark in fact.marks if mark not in lost]
    if not words:  # of an older version
        words = [f"{fact.before or 0} → {fact.after or 0} entries"]
    text = f"stash: {', '.join(words)}"
    return Phrase(text, f"{text} ({lost[0]})" if lost else text, f"stash: {words[0]}")


def _remote(fact: Fact, others: str) -> str:
    if fact.marks[:1] in (("pushed",), ("fetched",)):
        return f"{'pushed to' if fact.marks[0] == 'pushed' else 'fetched'} {fact.subject}{others}"
    if fact.marks[:1] == ("deleted",):
        return f"{fact.subject} deleted{others}"
    if fact.subject == "history":
        return f"git history {', '.join(fact.marks)}"
    return f"remote {fact.subject} {', '.join(fact.marks)}".rstrip()


def _sparse(facts: Sequence[Fact]) -> Phrase:
    is_gone = "left out" in facts[0].marks
    verb = "sparse checkout now excludes" if is_gone else "sparse checkout has again"
    total = sum(_first_number(fact.marks[1:]) for fact in facts)
    named = [f"{fact.subject}/" for fact in facts if fact.subject != "."]
    names = [*named, *(["other files"] if len(named) < len(facts) else [])]
    size = f" ({total:,} file{'' if total == 1 else 's'})"
    return Phrase(
        f"{verb} {some(names, 2)}{size}",
        f"{verb} {joined(names)}{size}",
        f"sparse checkout: {'−' if is_gone else '+'}{total:,} files",
    )


def _first_number(marks: Sequence[str]) -> int:
    number = marks[0].partition(" ")[0].replace(",", "") if marks else ""
    return int(number) if number.isdigit() else 0


def _lfs(fact: Fact) -> Phrase:
    first, *rest = fact.marks or ("changed",)
    details = f" ({', '.join(rest)})" if rest else ""
    brief = f" ({rest[0]})" if rest else ""
    number, _, words = first.partition(" ")
    if not number.replace(",", "").isdigit():  # one file
        short = f"{near(fact.subject)} {first}"
        return Phrase(
            short + brief, f"{fact.subject} {first}{details}", f"{base(fact.subject)} {first}"
        )
    noun, _, verb = words.partition(" ")
    where = f" in {fact.subject}" if fact.subject != "." else ""
    said = f"{number} {noun}{where} {verb}"
    return Phrase(said + brief, said + details, said)


def _discarded(fact: Fact) -> Phrase:
    names = [near(path) for path in fact.evidence]
    number = fact.before or str(len(names))
    lines = [mark for mark in fact.marks if mark.endswith((" lines", " line"))]
    details = f" ({', '.join(lines)})" if lines else ""
    if number == "1" and names:
        text = f"uncommitted changes to {fact.evidence[0]} discarded{details}"
        brief = f"uncommitted changes to {names[0]} discarded"
        return Phrase(brief, text, f"uncommitted {base(names[0])} discarded")
    where = f" in {fact.subject}" if fact.subject != "." else ""
    said = f"uncommitted changes to {number} files"
    named = f": {some(list(fact.evidence), 3)}" if fact.evidence else ""
    card = f"{said} discarded{named}"
    if fact.evidence and int(number.replace(",", "")) > len(fact.evidence):
        card = f"{said}{where} discarded: {', '.join(fact.evidence[:3])}, …"
    return Phrase(f"{said}{where} discarded", card + details, f"{said} discarded")
