"""Facts about packages that a manager lists by name, with one version or several.

Several versions of one name are one fact: `before` and `after` list them, lowest first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple


class Installed(NamedTuple):
    """One installed package."""

    versions: tuple[str, ...]
    """Lowest first."""
    direct: bool = True
    source: str = ""
    """Its origin, worded as a mark."""
    commit: str = ""


_WARNING_MARKS = frozenset(("downgrade", "from git"))
_NOTHING = Installed(())


def version_facts(
    scope: str,
    before: Mapping[str, Installed],
    after: Mapping[str, Installed],
    is_lower: Callable[[str | None, str | None], bool],
    evidence: tuple[str, ...],
) -> tuple[Fact, ...]:
    """Return the differences of two listings, requested packages first."""
    facts = []
    for name in sorted({*before, *after}):
        was, now = before.get(name, _NOTHING), after.get(name, _NOTHING)
        if (was.versions, was.source, was.commit) == (now.versions, now.source, now.commit):
            continue
        word = (
            "changed" if was.versions and now.versions else "added" if now.versions else "removed"
        )
        marks = _marks(was, now, is_lower) if now.versions else ()
        warnings = _WARNING_MARKS.intersection(marks) - {was.source}
        facts.append(
            Fact(
                f"package.{word}",
                scope,
                name,
                _text(was),
                _text(now),
                direct=was.direct if word == "removed" else now.direct,
                severity=Severity.NOTE if warnings else Severity.NONE,
                evidence=evidence,
                marks=marks,
            )
        )
    return tuple(sorted(facts, key=lambda fact: (not fact.direct, fact.kind, fact.subject)))


def _marks(
    was: Installed, now: Installed, is_lower: Callable[[str | None, str | None], bool]
) -> tuple[str, ...]:
    marks = []
    newest = now.versions[-1]
    if was.versions and newest not in was.versions and is_lower(newest, was.versions[-1]):
        marks.append("downgrade")
    if now.source:
        marks.append(now.source)
    if was.commit and now.commit and was.commit != now.commit and was.versions == now.versions:
        marks.append("another commit")
    return tuple(marks)


def _text(found: Installed) -> str | None:
    return ", ".join(version for version in found.versions if version) or None
