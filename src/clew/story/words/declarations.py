"""Words for what files declare: locked versions, deployed resources, symbolic links."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fact import Fact
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
    parts = [_resource(fact) for fact in facts]
    return Phrase(
        f"{base(path)}: {some(parts, 2)}", f"{path}: {some(parts, NAMED_ON_CARD)}",
        f"{base(path)}: {some(parts, 1)}",
    )  # fmt: skip


def _resource(fact: Fact) -> str:
    sign = {"added": "+", "removed": "−", "changed": "~"}[fact.kind.partition(".")[2]]
    details = [arrow(fact)] if fact.before and fact.after else []
    details += fact.marks
    return f"{sign}{fact.subject}" + (f" ({', '.join(details)})" if details else "")


def links(facts: Sequence[Fact]) -> Phrase:
    return Phrase(
        some([_link(fact, near(fact.subject)) for fact in facts], 1),
        some([_link(fact, fact.subject) for fact in facts], NAMED_ON_CARD),
    )


def _link(fact: Fact, name: str) -> str:
    match fact.kind:
        case "link.added":
            return f"new link {name}" + (f" → {fact.after}" if fact.after else "")
        case "link.removed":
            return f"link {name} removed" + (f" (→ {fact.before})" if fact.before else "")
        case _:
            return f"{name}: {arrow(fact)}"
