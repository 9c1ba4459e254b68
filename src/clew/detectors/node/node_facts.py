"""Facts about Node packages.

A name may be installed at several places in several versions, as `ms` often is.
There is one fact per name: `before` and `after` list its distinct versions, lowest first, joined
by commas; that equals the flattened output of `npm ls --all --json`.
The top-level copy, or else the highest version, decides whether it is a downgrade.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from clew.detectors.node.node_modules import name_at
from clew.detectors.node.node_packages import FROM_GIT, FROM_URL, Copy
from clew.detectors.node.semver import in_order, is_lower
from clew.detectors.tools.package_files import PACKAGE_KINDS
from clew.detectors.tools.package_scopes import inside
from clew.model.fact import Fact, Severity

_MAX_VERSIONS = 20
INSTALL_SCRIPT = "install script"
_WARNING_MARKS = frozenset(("downgrade", INSTALL_SCRIPT, FROM_GIT, FROM_URL))
NODE_KINDS = (*PACKAGE_KINDS, "security.install_script")
"""Fact kinds of detectors for Node."""


class Packages(Protocol):
    """Installed packages in one tree."""

    def prepare(self, changed: Iterable[str]) -> None:
        """Collect where copies may be, in addition to the changed places."""

    def copies(self, name: str, stale: frozenset[str], /) -> dict[str, Copy]:
        """Return the installed copies of a package by place, the top-level one first."""

    def is_requested(self, name: str, copies: Mapping[str, Copy]) -> bool:
        """Return whether a package was requested explicitly."""

    def source(self, name: str, copy: Copy, /) -> str:
        """Return the origin of a copy, worded as a mark."""


def package_facts(
    scope: str,
    directory: str,
    old: Packages,
    new: Packages,
    changed: Iterable[str],
    stale: frozenset[str],
) -> tuple[Fact, ...]:
    """Return the facts about packages whose copies at the `changed` places may differ."""
    facts = []
    old.prepare(changed)
    new.prepare(changed)
    for name in sorted({name_at(place) for place in changed}):
        before, after = old.copies(name, stale), new.copies(name, stale)
        fact = _fact(scope, name, old, new, before, after)
        if fact is not None:
            place = next(iter(after or before))
            shown = inside(directory, "node_modules", place, "package.json")
            facts.append(fact._replace(evidence=(shown,)))
            if fact.kind == "package.changed" and INSTALL_SCRIPT in fact.marks:
                facts.append(_script_fact(facts[-1]))
    return tuple(sorted(facts, key=lambda fact: (not fact.direct, fact.kind, fact.subject)))


def _script_fact(fact: Fact) -> Fact:
    """Return the warning about a version that runs a script where the previous one had none."""
    return Fact(
        "security.install_script", fact.scope, fact.subject, fact.before, fact.after,
        severity=Severity.HIGH, evidence=fact.evidence, marks=("new in this version",),
    )  # fmt: skip


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
    direct = old.is_requested(name, before) or new.is_requested(name, after)
    if was is None or now is None:
        kind = "package.added" if now else "package.removed"
    elif _versions(before) != _versions(after) or _origin(was) != _origin(now):
        kind = "package.changed"
    else:
        return None
    marks = _marks(name, old, new, before, after) if now else ()
    warnings = _WARNING_MARKS.intersection(marks) - {old.source(name, was) if was else ""}
    warnings -= set() if direct else {"downgrade"}  # for a dependency, another change explains it
    severity = Severity.NOTE if warnings else Severity.NONE
    texts = _versions(before), _versions(after)
    return Fact(kind, scope, name, *texts, direct=direct, severity=severity, marks=marks)


def _marks(
    name: str, old: Packages, new: Packages, before: Mapping[str, Copy], after: Mapping[str, Copy]
) -> tuple[str, ...]:
    was, now = _main(name, before) or Copy(), _main(name, after) or Copy()
    was_there = now.version in {copy.version for copy in before.values()}  # another copy is removed
    marks = ["downgrade"] if not was_there and is_lower(now.version, was.version) else []
    source = new.source(name, now)
    marks += [source] if source else []
    if source == FROM_GIT and was.commit and was.commit != now.commit:
        marks.append("another commit")
    if _runs_at_install(after) and not _runs_at_install(before):
        marks.append(INSTALL_SCRIPT)
    return tuple(marks)


def _main(name: str, copies: Mapping[str, Copy]) -> Copy | None:
    if name in copies or not copies:
        return copies.get(name)
    highest = in_order(copy.version or "" for copy in copies.values())[-1]
    return next(copy for copy in copies.values() if (copy.version or "") == highest)


def _versions(copies: Mapping[str, Copy]) -> str | None:
    found = in_order(copy.version for copy in copies.values() if copy.version)
    more = [f"and {len(found) - _MAX_VERSIONS} more"] if len(found) > _MAX_VERSIONS else []
    return ", ".join([*found[:_MAX_VERSIONS], *more]) or None


def _origin(copy: Copy) -> tuple[str, str]:
    return copy.source, copy.commit


def _runs_at_install(copies: Mapping[str, Copy]) -> bool:
    return any(copy.has_install_script for copy in copies.values())
