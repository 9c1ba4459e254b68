"""Words for what files declare: locked versions, deployed resources, symbolic links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from clew.model.amount import counted
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.story.words.phrases import (
    NAMED_ON_CARD,
    Phrase,
    arrow,
    base,
    changed_version,
    near,
    some,
)

_SIGNS = {"added": "+", "removed": "−"}


def locks(facts: Sequence[Fact]) -> Phrase:
    """Name what was asked for, and count what follows from it."""
    asked = [fact for fact in facts if fact.direct] or list(facts)
    follow = len(facts) - len(asked)
    parts = [_locked(fact) for fact in asked]
    path = facts[0].scope
    return Phrase(
        f"{_and_more(parts, 2, follow)} ({base(path)})",
        f"{_and_more(parts, NAMED_ON_CARD, follow)} ({path})",
        f"{_and_more(parts, 1, follow)} ({base(path)})",
    )


def _and_more(parts: list[str], most: int, follow: int) -> str:
    left = len(parts) - most
    if left <= 1 and not follow:
        return some(parts, most)
    shown = parts[: most if left > 1 or follow else None]
    return f"{', '.join(shown)} and {len(parts) - len(shown) + follow:,} more"


def _locked(fact: Fact) -> str:
    word = fact.kind.partition(".")[2]
    marks = [mark for mark in fact.marks if mark != "downgrade"]
    details = f" ({', '.join(marks)})" if marks else ""
    if word != "changed":
        version = fact.after or fact.before or ""
        return f"{_SIGNS[word]}{fact.subject} {version}".rstrip() + details
    if fact.before == fact.after:
        return f"{fact.subject} {fact.after or ''}".rstrip() + details
    text = changed_version(fact)
    if "downgrade" in fact.marks:
        text = text.replace(f"{fact.subject} ", f"{fact.subject} downgraded ", 1)
    return text + details


def resources(facts: Sequence[Fact]) -> Phrase:
    path = facts[0].scope.partition(":")[2]
    name = base(path)
    if facts[0].scope.startswith("migration:"):
        return _migration(facts[0], path)
    whole = _whole_file(facts)
    if whole:
        nouns = _subjects(facts) or _nouns(facts)
        return Phrase(
            f"{name} {whole} ({some(nouns, 2)})",
            f"{path} {whole}: {some([fact.subject for fact in facts], NAMED_ON_CARD)}",
            f"{name} {whole}",
        )
    ordered = sorted(facts, key=_resources_order)
    forms = [
        f"{name}: {some([_resource(fact, marks, names) for fact in ordered], parts)}"
        for parts, marks, names in _FORMS
    ]
    return Phrase(
        next((form for form in forms if len(form) <= _SHORT), forms[-1]),
        f"{path}: {some([_resource(fact, NAMED_ON_CARD) for fact in ordered], NAMED_ON_CARD)}",
        next((form for form in forms[2:] if len(form) <= _shortest(facts)), forms[-1]),
    )


def _shortest(facts: Sequence[Fact]) -> int:
    """Return the length of the shortest form; a warning has room for what is wrong."""
    return _SHORT if facts[0].severity == Severity.HIGH else _SHORTEST


def _migration(fact: Fact, path: str) -> Phrase:
    """Return what a migration will drop: `0007_cleanup.sql: drops invoices`."""
    forms = [f"{base(path)}: {some(fact.marks, most)}" for most in (3, 2, 1)]
    new = "new migration " if fact.kind == "resource.added" else "migration "
    return Phrase(
        next((form for form in forms if len(form) <= _SHORT), forms[-1]),
        f"{new}{path} {some(fact.marks, NAMED_ON_CARD)} when it runs",
        forms[-1],
    )


_ALL = 99
_FORMS = ((2, 2, 2), (2, 1, 2), (1, 2, 2), (1, 1, 2), (1, 1, 1), (1, 0, 1))
"""How many resources, marks of each, and names in the path of a mark; the best first."""
_SHORT, _SHORTEST = 72, 48
_WHOLE_FILE = {"new file": "new", "file removed": "removed"}
"""Marks of resources added or removed with their file."""


def _whole_file(facts: Sequence[Fact]) -> str:
    """Return what happened to the file, if nothing else is said of its resources."""
    marks = {fact.marks for fact in facts}
    (first, *_) = marks
    return _WHOLE_FILE.get(first[0], "") if len(marks) == 1 and len(first) == 1 else ""


def _subjects(facts: Sequence[Fact]) -> list[str]:
    """Return the resources of a warning by name, if they are few."""
    subjects = [fact.subject for fact in facts]
    is_loud = facts[0].severity == Severity.HIGH and len(subjects) <= 2
    return subjects if is_loud and sum(map(len, subjects)) <= _MAX_SUBJECTS else []


_MAX_SUBJECTS = 44


def _nouns(facts: Sequence[Fact]) -> list[str]:
    """Return how many resources of each kind there are: `3 services`, `1 volume`."""
    bases = [f"FROM {fact.after}" for fact in facts if fact.subject == "image" and fact.after]
    if bases:
        return bases
    kinds = Counter(fact.subject.partition(" ")[0] for fact in facts if " " in fact.subject)
    others = len(facts) - kinds.total()
    found = [counted(number, kind) for kind, number in kinds.most_common()]
    return [*found, counted(others, "resource")] if others else found


def _resources_order(fact: Fact) -> tuple[int, int]:
    words = ("removed", "changed", "added")
    return -SEVERITY_RANK[fact.severity], words.index(fact.kind.partition(".")[2])


def _resource(fact: Fact, most: int, names: int = _ALL) -> str:
    """Return a resource with the first of its marks."""
    marks = [mark for mark in fact.marks if mark not in _WHOLE_FILE]
    subject = fact.subject
    if names != _ALL:
        marks = [_brief_mark(mark, names) for mark in marks]
        subject = subject.removeprefix("AWS::")
    if fact.kind != "resource.changed":
        sign = _SIGNS[fact.kind.partition(".")[2]]
        details = marks or [text for text in (fact.after or fact.before,) if text]
        return f"{sign}{subject}" + (f" ({', '.join(details[:most])})" if details[:most] else "")
    details = marks or ([arrow(fact)] if fact.before and fact.after else [])
    said = ", ".join(details[:most]) + (" …" if len(details) > most > 0 else "")
    if subject == "image" or not said:
        return said or f"{subject} changed"
    is_sentence = len(details) == 1 or (most > 0 and "(" in details[0])
    return f"{subject} {said}" if is_sentence else f"{subject} ({said})"


def _brief_mark(mark: str, most: int) -> str:
    """Return a mark without the registry of an image, the place of a volume and most of a path."""
    before, _, after = mark.partition(" → ")
    if ":" not in after or _REGISTRY.findall(before) == _REGISTRY.findall(f" {after}"):
        mark = _REGISTRY.sub("", mark)  # what did not change
    elif found := _REGISTRY.search(f" {after}"):
        mark = f"{_REGISTRY.sub('', before)} → {found[0].partition('/')[0]}/…"
    mark = _PLACE.sub(r"\1", _SAME_PLACE.sub(r"\1 → \3", mark))
    path, space, rest = mark.partition(" ")
    names = path.split(".")
    sign = path[0] if path[0] in "+−~" else ""
    return mark if len(names) <= most else f"{sign}{'.'.join(names[-most:])}{space}{rest}"


_REGISTRY = re.compile(r"(?<= )[\w.:-]{1,80}/(?:[\w.-]{1,80}/){0,6}(?=[\w.-]{1,80}:[\w.-])")
_SAME_PLACE = re.compile(r"^(volume \S{1,80}) at (?P<at>\S{1,100}) → (\S{1,80}) at (?P=at)$")
_PLACE = re.compile(r"(?<=^[+−]volume )(\S{1,80}) at \S{1,100}$")


def links(facts: Sequence[Fact]) -> Phrase:
    return Phrase(
        some([_link(fact, near(fact.subject)) for fact in facts], 2),
        some([_link(fact, fact.subject) for fact in facts], NAMED_ON_CARD),
        some([_link(fact, base(fact.subject)) for fact in facts], 1),
    )


def _link(fact: Fact, name: str) -> str:
    if fact.before is None and fact.after is None and len(fact.marks) > 1:  # many of a directory
        place = "" if fact.subject == "." else f" in {name}"
        return f"{fact.marks[0]}{place} ({', '.join(fact.marks[1:])})"
    marks = f" ({', '.join(fact.marks)})" if fact.marks else ""
    match fact.kind:
        case "link.added":
            return f"new link {name}" + (f" → {fact.after}" if fact.after else "") + marks
        case "link.removed":
            details = [f"→ {fact.before}"] if fact.before else []
            details += [f"now a {fact.after}"] if fact.after else []
            return f"link {name} removed" + (f" ({', '.join(details)})" if details else "")
        case _ if fact.before and fact.after:
            return f"{name}: {arrow(fact)}{marks}"
        case _ if fact.after and len(fact.marks) == 1:  # its target was deleted
            return f"{name} → {fact.after} {fact.marks[0]}"
        case _:
            return f"link {name} changed{marks}"
