"""Words for what files declare: locked versions, deployed resources, symbolic links."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fact import Fact
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, arrow, base, near, some

_SIGNS = {"added": "+", "removed": "−", "changed": ""}


def locks(facts: Sequence[Fact]) -> Phrase:
    parts = [_locked(fact) for fact in facts]
    name = base(facts[0].scope)
    return Phrase(
        f"{some(parts, 2)} ({name})", f"{some(parts, NAMED_ON_CARD)} ({facts[0].scope})",
        f"{some(parts, 1)} ({name})",
    )  # fmt: skip


def _locked(fact: Fact) -> str:
    version = arrow(fact) if fact.before and fact.after else fact.after or fact.before or ""
    marks = f" ({', '.join(fact.marks)})" if fact.marks else ""
    return f"{_SIGNS[fact.kind.partition('.')[2]]}{fact.subject} {version}".rstrip() + marks


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
