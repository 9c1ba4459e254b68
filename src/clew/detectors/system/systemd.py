"""systemd detector: units that will start, units that cannot, and units that no package ships.

Facts come from links and files alone (`unit_paths.py`); nothing needs to run.
A unit of a package of this interval is reported as indirect, and raises no warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.system.runnable import is_runnable
from clew.detectors.system.unit_facts import (
    WITH_PACKAGE,
    UnitChange,
    UnitTouch,
    is_packaged,
    load_facts,
    unit_facts,
)
from clew.detectors.system.unit_files import new_loads, read_unit
from clew.detectors.system.unit_paths import (
    UnitRole,
    Units,
    UnitState,
    alias_of,
    directories,
    is_enabling,
    unit_path,
)
from clew.model.fact import Fact, Severity

_MAX_FACTS = 1_000
_HOOK = re.compile(
    r"(?:etc|usr/lib|usr/local/lib|lib)/systemd/"
    r"((?:system|user)(?:-environment)?-generators/[^/]+|system-(?:sleep|shutdown)/[^/]+)"
)
"""Directories of programs that systemd runs on events, without a unit."""
_MANAGER = re.compile(r"etc/systemd/(?:system|user)\.conf(?:\.d/[^/]+\.conf)?")
"""Settings of systemd itself, which apply to everything that it starts."""

_Scopes = dict[str, dict[str, list[UnitTouch]]]


class Systemd:
    """Reports changes of what systemd will start."""

    name = "system/systemd"
    version = 2
    kinds: tuple[str, ...] = (
        "service.enabled",
        "service.disabled",
        "service.masked",
        "service.added",
        "service.changed",
        "service.removed",
        "security.preload",
    )
    watch = WatchedPaths(directories=("systemd",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        scopes: _Scopes = {}
        hooks: list[Fact] = []
        warnings: list[Fact] = []
        gone: list[PathChange] = []
        for change in changes:
            if change.is_directory:
                continue
            if _is_explained_by_package(evidence, change.path):
                gone += [change] if change.is_deleted else []
                continue
            if hook := _HOOK.fullmatch(change.path):
                hooks.extend(_hook_facts(change, hook[1]))
            elif _MANAGER.fullmatch(change.path):
                with evidence.guarded(change.path):
                    warnings.extend(_manager_facts(evidence, change.path))
            elif change.is_content:
                _sort(change, scopes)
        for scope in sorted(scopes):
            yield from _findings(evidence, scope, scopes[scope], warnings)
        lost = tuple(_lost_with_package(evidence, gone, scopes))
        if lost:
            yield Finding(lost)
        if hooks:
            yield Finding(tuple(hooks), [fact.evidence[0] for fact in hooks])
        for warning in warnings:
            yield Finding((warning,))


def _is_explained_by_package(evidence: Evidence, path: str) -> bool:
    """Return whether a package explains a path in a vendor directory."""
    if path.startswith("etc/"):
        return False
    return path in evidence.owners or path in evidence.claimed


def _sort(change: PathChange, scopes: _Scopes) -> None:
    """Assign a change to every unit that it concerns: an alias concerns its target."""
    found = unit_path(change.path)
    if found is None:
        return
    names = {found.unit}
    if found.role == UnitRole.FILE:
        sides = [entry for entry in (change.old, change.new) if entry is not None]
        names = {alias_of(change.path, entry) or found.unit for entry in sides}
    for name in names:
        scopes.setdefault(found.scope, {}).setdefault(name, []).append(UnitTouch(change, found))


def _findings(
    evidence: Evidence, scope: str, units: dict[str, list[UnitTouch]], warnings: list[Fact]
) -> Iterator[Finding]:
    old, new = Units(evidence.old, scope), Units(evidence.new, scope)
    facts: list[Fact] = []
    claimed: list[str] = []
    untold: list[str] = []
    for unit in sorted(units):
        touches = units[unit]
        if len(facts) >= _MAX_FACTS:
            evidence.problem(directories(scope)[0], f"more than {_MAX_FACTS:,} units changed")
            break
        with evidence.guarded(touches[0].change.path):
            was, now = _with_vendor_links(touches, old.state(unit), new.state(unit))
            packaged = is_packaged(evidence, scope, unit, touches)
            was = _without_orphans(was) if packaged else was
            unit_change = UnitChange(evidence, scope, unit, touches, was, now, packaged)
            claims = untold
            for fact in unit_facts(unit_change):
                facts.append(fact)
                claims = claimed
            warnings.extend(load_facts(unit_change))
            claims.extend(touch.change.path for touch in touches)
    if facts:
        yield Finding(tuple(facts), claimed)
    if untold:
        yield Finding((), untold, "systemd links rewritten, the same units start")


def _lost_with_package(
    evidence: Evidence, gone: Sequence[PathChange], scopes: _Scopes
) -> Iterator[Fact]:
    """Yield enabled units that were removed with their package.

    Its links remain; only a purge removes them.
    """
    units_by_scope: dict[str, tuple[Units, Units]] = {}
    for change in gone:
        found = unit_path(change.path)
        if (
            found is None
            or found.role != UnitRole.FILE
            or found.unit in scopes.get(found.scope, ())
        ):
            continue
        old, new = units_by_scope.setdefault(
            found.scope, (Units(evidence.old, found.scope), Units(evidence.new, found.scope))
        )
        was, now = old.state(found.unit), new.state(found.unit)
        if was.links and not was.is_masked and was.path == change.path and now.path is None:
            yield Fact(
                "service.removed", found.scope, found.unit, "enabled",
                direct=False, evidence=(change.path,), marks=(WITH_PACKAGE,),
            )  # fmt: skip


def _without_orphans(was: UnitState) -> UnitState:
    """Return a state in which links to a previously removed unit enable nothing."""
    return was._replace(links=frozenset()) if was.path is None else was


def _with_vendor_links(
    touches: list[UnitTouch], was: UnitState, now: UnitState
) -> tuple[UnitState, UnitState]:
    """Include links in vendor directories that no package explains."""
    links = [
        touch.change
        for touch in touches
        if touch.unit_path.is_vendor and touch.unit_path.role == UnitRole.LINK
    ]
    before = {link.path for link in links if is_enabling(link.path, link.old)}
    after = {link.path for link in links if is_enabling(link.path, link.new)}
    return was._replace(links=was.links | before), now._replace(links=now.links | after)


def _manager_facts(evidence: Evidence, path: str) -> Iterator[Fact]:
    """Yield a warning if systemd's own settings load something into every service."""
    names = new_loads(read_unit(evidence.old, path), read_unit(evidence.new, path))
    if names and path not in evidence.owners:
        yield Fact(
            "security.preload", "systemd", path,
            severity=Severity.HIGH, evidence=(path,), marks=tuple(names),
        )  # fmt: skip


def _hook_facts(change: PathChange, subject: str) -> Iterator[Fact]:
    """Yield programs that systemd will run automatically, or no longer."""
    was, now = is_runnable(change.old), is_runnable(change.new)
    if (was and now and change.is_content) or was != now:
        word = "changed" if was and now else "added" if now else "removed"
        severity = Severity.NOTE if now else Severity.NONE
        evidence = (change.path,)
        yield Fact(f"service.{word}", "systemd", subject, severity=severity, evidence=evidence)
