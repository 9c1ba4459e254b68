"""Facts about packages of Node's managers.

A name may be installed at several places in several versions, as `ms` often is.
There is one fact a name: `before` and `after` hold all its versions, each once, lowest first,
joined by a comma; that is what `npm ls --all --json` says when its tree is made flat.
Whether it is a downgrade is told by the copy at the top, or by the highest if there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from clew.detectors.node.node_modules import name_at
from clew.detectors.node.node_packages import FROM_GIT, FROM_URL, Copy
from clew.detectors.node.semver import in_order, is_lower
from clew.detectors.tools.package_scopes import inside
from clew.model.fact import Fact, Severity

_MOST_VERSIONS = 20
_LOUD = frozenset(("downgrade", "install script", FROM_GIT, FROM_URL))


class Packages(Protocol):
    """The packages of one moment."""

    def know(self, changed: Iterable[str]) -> None:
        """Learn where copies may be, beside the places that changed."""

    def copies(self, name: str, stale: frozenset[str], /) -> dict[str, Copy]:
        """Return the installed copies of a package by place, the one at the top first."""

    def asked_for(self, name: str, copies: Mapping[str, Copy]) -> bool:
        """Return whether somebody asked for a package."""

    def source(self, name: str, copy: Copy, /) -> str:
        """Return where a copy came from, in the words of a mark."""


def package_facts(
    scope: str,
    directory: str,
    old: Packages,
    new: Packages,
    changed: Iterable[str],
    stale: frozenset[str],
) -> tuple[Fact, ...]:
    """Return the facts about packages whose copies at `changed` places may be different."""
    facts = []
    old.know(changed)
    new.know(changed)
    for name in sorted({name_at(place) for place in changed}):
        before, after = old.copies(name, stale), new.copies(name, stale)
        fact = _fact(scope, name, old, new, before, after)
        if fact is not None:
            place = next(iter(after or before))
            shown = inside(directory, "node_modules", place, "package.json")
            facts.append(fact._replace(evidence=(shown,)))
    return tuple(sorted(facts, key=lambda fact: (not fact.direct, fact.kind, fact.subject)))


def _fact(
    scope: str,
    name: str,
    old: Packages,
    new: Packages,
    before: Mapping[str, Copy],
    after: Mapping[str, Copy],
) -> Fact | None:
    was, now = _main(name, before), _main(name, after)
    if was is None and now is None:
        return None
    direct = old.asked_for(name, before) or new.asked_for(name, after)
    if was is None or now is None:
        kind = "package.added" if now else "package.removed"
    elif _versions(before) != _versions(after) or _origin(was) != _origin(now):
        kind = "package.changed"
    else:
        return None
    marks = _marks(name, old, new, before, after) if now else ()
    loud = _LOUD.intersection(marks) - {old.source(name, was) if was else ""}
    loud -= set() if direct else {"downgrade"}  # that of a dependency follows from another change
    severity = Severity.NOTE if loud else Severity.NONE
    texts = _versions(before), _versions(after)
    return Fact(kind, scope, name, *texts, direct=direct, severity=severity, marks=marks)


def _marks(
    name: str, old: Packages, new: Packages, before: Mapping[str, Copy], after: Mapping[str, Copy]
) -> tuple[str, ...]:
    was, now = _main(name, before) or Copy(), _main(name, after) or Copy()
    was_there = now.version in {copy.version for copy in before.values()}  # another copy left
    marks = ["downgrade"] if not was_there and is_lower(now.version, was.version) else []
    source = new.source(name, now)
    marks += [source] if source else []
    if source == FROM_GIT and was.commit and was.commit != now.commit:
        marks.append("another commit")
    if _runs_at_install(after) and not _runs_at_install(before):
        marks.append("install script")
    return tuple(marks)


def _main(name: str, copies: Mapping[str, Copy]) -> Copy | None:
    if name in copies or not copies:
        return copies.get(name)
    highest = in_order(copy.version or "" for copy in copies.values())[-1]
    return next(copy for copy in copies.values() if (copy.version or "") == highest)


def _versions(copies: Mapping[str, Copy]) -> str | None:
    found = in_order(copy.version for copy in copies.values() if copy.version)
    more = [f"and {len(found) - _MOST_VERSIONS} more"] if len(found) > _MOST_VERSIONS else []
    return ", ".join([*found[:_MOST_VERSIONS], *more]) or None


def _origin(copy: Copy) -> tuple[str, str]:
    return copy.source, copy.commit


def _runs_at_install(copies: Mapping[str, Copy]) -> bool:
    return any(copy.has_install_script for copy in copies.values())
