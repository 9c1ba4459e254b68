"""Words for services, jobs and accounts."""

from __future__ import annotations

from collections.abc import Sequence

from clew.model.fact import Fact
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, arrow, place, some


def services(facts: Sequence[Fact]) -> Phrase:
    """Return `added and enabled service worker`: one phrase for all changes of a unit."""
    where = place(facts[0].scope)
    units: dict[str, list[Fact]] = {}
    for fact in facts:
        units.setdefault(fact.subject, []).append(fact)
    verbs: dict[str, list[list[Fact]]] = {}
    for unit in units.values():
        verbs.setdefault(_service_verb(unit), []).append(unit)
    brief, parts = [], []
    for verb, found in verbs.items():
        names = [unit[0].subject.removesuffix(".service") for unit in found]
        brief.append(f"{verb} {'service' if len(names) == 1 else 'services'} {some(names, 2)}")
        parts.append(f"service {verb}: {some([_unit(unit) for unit in found], NAMED_ON_CARD)}")
    return Phrase(some(brief, 2), "; ".join(parts) + (f" (of {where})" if where else ""))


def _service_verb(facts: Sequence[Fact]) -> str:
    actions = {fact.kind.partition(".")[2] for fact in facts}
    if "removed" in actions:
        return "removed"
    return " and ".join(
        word for word in ("added", "changed", "enabled", "disabled", "masked") if word in actions
    )


def _unit(facts: Sequence[Fact]) -> str:
    name = facts[0].subject.removesuffix(".service")
    details = [detail for fact in facts for detail in (_started(fact), *fact.marks) if detail]
    return f"{name} ({', '.join(details[:4])})" if details else name


def _started(fact: Fact) -> str | None:
    """Return how a unit is started, if that is new; the verb states its state."""
    if fact.kind == "service.added":
        return fact.after
    is_other = fact.kind == "service.changed" and fact.before and fact.after
    return (
        arrow(fact)
        if is_other and fact.before != fact.after and "unmasked" not in fact.marks
        else None
    )


def crons(facts: Sequence[Fact]) -> Phrase:
    words = {"added": "new", "changed": "changed", "removed": "removed"}
    owner = place(facts[0].scope)
    parts, brief = [], []
    for fact in facts:
        name = f"{words[fact.kind.partition('.')[2]]} cron job {fact.subject}"
        details = [detail for detail in (fact.after or fact.before, *fact.marks) if detail]
        brief.append(f"{name} ({details[0]})" if details else name)
        parts.append(f"{name} ({', '.join(details)})" if details else name)
    text = "; ".join(parts[:NAMED_ON_CARD])
    return Phrase(some(brief, 1), f"{text}, of {owner}" if owner else text)


def users(facts: Sequence[Fact]) -> Phrase:
    words = {"added": "new user", "changed": "user changed:", "removed": "user removed:"}
    parts, brief = [], []
    for word, said in words.items():
        found = [fact for fact in facts if fact.kind == f"user.{word}"]
        if found:
            names = [fact.subject for fact in found]
            details = [
                f"{fact.subject} ({', '.join(fact.marks)})" if fact.marks else fact.subject
                for fact in found
            ]
            brief.append(f"{said} {some(names, 2)}")
            parts.append(f"{said} {some(details, NAMED_ON_CARD)}")
    return Phrase(", ".join(brief), "; ".join(parts))


def groups(facts: Sequence[Fact]) -> Phrase:
    parts = [f"group {fact.subject}: {', '.join(fact.marks) or 'changed'}" for fact in facts]
    return Phrase(some(parts, 1), "; ".join(parts[:NAMED_ON_CARD]))
