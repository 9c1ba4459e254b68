"""Declared resources: what a file declares, and the facts about two versions of it.

A dialect turns a file into resources by key.  A resource has a body, which is compared value by
value; risks, which are reported when they are gained; and guards, which are when they are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from clew.detectors.files.key_names import shown_name
from clew.detectors.files.setting_marks import setting_marks
from clew.detectors.files.value_changes import KeyPath, value_changes
from clew.detectors.formats.values import Unreadable, Value
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.model.named_tuple import NamedTuple

Key: TypeAlias = tuple[str, ...]


class Risk(NamedTuple):
    """What a resource may do or allows; reported when it is gained."""

    severity: str
    severity_if_new: str
    """For a resource that was not declared before."""


class Guard(NamedTuple):
    """What protects a resource or its data; reported when it is lost."""

    mark: str
    severity: str


class Declared(NamedTuple):
    """One resource of a file."""

    subject: str
    """Kind and name: `service web`."""
    body: Value
    main: str | None = None
    """Its image, version or size."""
    risks: Mapping[str, Risk] = {}
    """By what is said of them."""
    guards: Mapping[str, Guard] = {}
    """By what they protect."""
    if_removed: str = Severity.NONE
    """How bad it is that it is no longer declared."""
    context: KeyPath = ()
    """Names that may say that its values are secret."""


Resources: TypeAlias = dict[Key, Declared]

HIGH = Risk(Severity.HIGH, Severity.HIGH)
HIGH_IF_CHANGED = Risk(Severity.HIGH, Severity.NOTE)
NOTE = Risk(Severity.NOTE, Severity.NOTE)


def declared_facts(
    scope: str,
    old: Resources,
    new: Resources,
    rename: Callable[[KeyPath], KeyPath] = tuple,
) -> Iterator[Fact]:
    """Yield the facts about resources that came, went or changed."""
    for key in {**old, **new}:
        before, after = old.get(key), new.get(key)
        if before is None and after is not None:
            yield _added(scope, after)
        elif after is None and before is not None:
            yield _removed(scope, before)
        elif before is not None and after is not None:
            yield from _changed(scope, before, after, rename)


def _subject(resource: Declared) -> str:
    """Return kind and name, without names that look like a secret."""
    return " ".join(shown_name(word) for word in resource.subject.split(" "))


def _added(scope: str, new: Declared) -> Fact:
    severity = _worst(risk.severity_if_new for risk in new.risks.values())
    return Fact(
        "resource.added", scope, _subject(new), after=new.main, severity=severity,
        marks=(*new.risks,),
    )  # fmt: skip


def _removed(scope: str, old: Declared) -> Fact:
    return Fact("resource.removed", scope, _subject(old), before=old.main, severity=old.if_removed)


def _changed(
    scope: str, old: Declared, new: Declared, rename: Callable[[KeyPath], KeyPath]
) -> Iterator[Fact]:
    gained = {mark: risk for mark, risk in new.risks.items() if mark not in old.risks}
    lost = [guard for name, guard in old.guards.items() if name not in new.guards]
    try:
        changes = value_changes(old.body, new.body)
        marks = setting_marks(changes, context=new.context, rename=rename)
    except Unreadable:
        marks = ("much changed",)
    if not marks and not gained and not lost:
        return
    severity = _worst([risk.severity for risk in gained.values()] + [one.severity for one in lost])
    said = dict.fromkeys([*gained, *(guard.mark for guard in lost), *marks])
    is_main = old.main != new.main
    yield Fact(
        "resource.changed", scope, _subject(new),
        old.main if is_main else None, new.main if is_main else None,
        severity=severity, marks=tuple(said),
    )  # fmt: skip


def _worst(severities: Iterator[str] | list[str]) -> str:
    return max(severities, key=SEVERITY_RANK.__getitem__, default=Severity.NONE)
