"""SysV detector: init scripts and runlevels, rc.local, OpenRC, and supervisors.

A link `S01nginx` in `rc3.d` starts a service in runlevel 3; `K01nginx` stops it.
If systemd has a unit of that name, it ignores the script, and the links are only bookkeeping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.system.runnable import is_runnable
from clew.detectors.system.supervisors import (
    DIRECTORIES,
    SUPERVISOR_DIRECTORIES,
    SUPERVISOR_FILES,
    program_findings,
    supervised_findings,
)
from clew.detectors.system.unit_facts import WITH_PACKAGE
from clew.model.fact import Fact, Severity

_LEVELS = "S2345"
"""The runlevels of normal operation; 0, 1 and 6 are for shutdown, repair and reboot."""
_BASES = ("etc", "etc/rc.d")
_RC_LINK = re.compile(r"etc/(?:rc\.d/)?rc([0-6S])\.d/([SK])\d\d([^/]+)")
_OPENRC_LINK = re.compile(r"etc/runlevels/([^/]+)/([^/]+)")
_SCRIPT = re.compile(r"etc/(?:rc\.d/)?init\.d/([^/.][^/]*)")
_NO_SERVICE = frozenset(
    ("README", "skeleton", "functions", "functions.sh", "rc", "rcS", "rc.local")
)
_LOCAL = ("etc/rc.local", "etc/rc.d/rc.local")
_UNITS = ("etc/systemd/system", "usr/lib/systemd/system", "lib/systemd/system")


class SysV:
    """Reports changes of what init, OpenRC and supervisors will start."""

    name = "system/init"
    version = 2
    kinds: tuple[str, ...] = (
        "service.enabled",
        "service.disabled",
        "service.added",
        "service.changed",
        "service.removed",
        "security.preload",
    )
    watch = WatchedPaths(
        paths=(*_LOCAL, *SUPERVISOR_FILES),
        below=(
            *(f"{base}/rc{level}.d" for base in _BASES for level in "0123456S"),
            *(f"{base}/init.d" for base in _BASES),
            "etc/runlevels",
            *SUPERVISOR_DIRECTORIES,
            *DIRECTORIES,
        ),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from _init_findings(evidence, changes)
        yield from supervised_findings(evidence, changes)
        yield from program_findings(evidence, changes)


def _init_findings(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    links: dict[str, list[str]] = {}
    facts: list[Fact] = []
    claims: list[str] = []
    for change in changes:
        if change.is_directory:
            continue
        if found := _RC_LINK.fullmatch(change.path):
            links.setdefault(found[3], []).append(change.path)
        elif found := _OPENRC_LINK.fullmatch(change.path):
            links.setdefault(found[2], []).append(change.path)
        elif fact := _script_fact(evidence, change):
            facts.append(fact)
            claims.append(change.path)
    noted: list[str] = []
    if links:
        old, new = _Levels(evidence.old), _Levels(evidence.new)
        for name in sorted(links):
            fact = _level_fact(evidence, name, links[name], old.of(name), new.of(name), facts)
            facts += [fact] if fact else []
            (claims if fact else noted).extend(links[name])
    if facts:
        yield Finding(tuple(facts), claims)
    if noted:
        yield Finding((), noted, "start-up links rewritten, nothing else starts by them")


class _Levels:
    """Runlevels of the services of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._found: dict[str, list[str]] = {}
        for level in _LEVELS:
            for base in _BASES:
                for name in tree.entries(f"{base}/rc{level}.d"):
                    if name[:1] == "S" and name[1:3].isdigit():
                        self._found.setdefault(name[3:], []).append(level)
        for level, entry in sorted(tree.entries("etc/runlevels").items()):
            if entry.is_directory:
                for name in tree.entries(f"etc/runlevels/{level}"):
                    self._found.setdefault(name, []).append(level)

    def of(self, name: str) -> str | None:
        levels = dict.fromkeys(self._found.get(name, ()))
        return (
            f"runlevels {' '.join(levels)}" if levels and not self._lost_execute_bit(name) else None
        )

    def _lost_execute_bit(self, name: str) -> bool:
        """Return whether a removed package left its script behind without execute permission."""
        scripts = [self._tree.entry(f"{base}/init.d/{name}") for base in _BASES]
        found = [script for script in scripts if script is not None]
        return bool(found) and not any(is_runnable(script) for script in found)


def _level_fact(
    evidence: Evidence,
    name: str,
    paths: list[str],
    was: str | None,
    now: str | None,
    reported: list[Fact],
) -> Fact | None:
    if was == now or _has_unit(evidence, name):
        return None
    scope = "openrc" if paths[0].startswith("etc/runlevels/") else "sysv"
    word = "changed" if was and now else "enabled" if now else "disabled"
    scripts = [f"{base}/init.d/{name}" for base in _BASES]
    is_packaged = any(path in evidence.owners for path in (*scripts, *paths))
    is_gone = word == "disabled" and is_packaged and _is_gone(evidence, scripts)
    word = "removed" if is_gone else word
    is_reported = any(fact.subject == name for fact in reported)
    return Fact(
        f"service.{word}", scope, name, was, now,
        direct=not is_packaged,
        severity=Severity.NOTE if word == "enabled" and not (is_packaged or is_reported) else Severity.NONE,
        evidence=tuple(paths[:5]), marks=(WITH_PACKAGE,) if is_gone else (),
    )  # fmt: skip


def _is_gone(evidence: Evidence, scripts: Sequence[str]) -> bool:
    """Return whether a package took its script away."""
    old, new = (
        any(tree.entry(path) is not None for path in scripts)
        for tree in (evidence.old, evidence.new)
    )
    return old and not new


def _has_unit(evidence: Evidence, name: str) -> bool:
    """Return whether systemd has its own unit for this, and ignores the script."""
    unit = f"{name.removesuffix('.sh')}.service"
    return any(
        tree.entry(f"{directory}/{unit}") is not None
        for tree in (evidence.old, evidence.new)
        for directory in _UNITS
    )


def _script_fact(evidence: Evidence, change: PathChange) -> Fact | None:
    """Return the fact about an init script that no package ships."""
    path = change.path
    script = _SCRIPT.fullmatch(path)
    name = "rc.local" if path in _LOCAL else script[1] if script else ""
    if not name or (script and name in _NO_SERVICE):
        return None
    if path in evidence.owners or path in evidence.claimed:
        return None
    was, now = is_runnable(change.old), is_runnable(change.new)
    if was == now and not (was and change.is_content):
        return None
    word = "changed" if was and now else "added" if now else "removed"
    is_severe = now and not _has_unit(evidence, name)
    scope = "openrc" if script and evidence.new.entry("etc/runlevels") else "sysv"
    severity = Severity.NOTE if is_severe else Severity.NONE
    return Fact(f"service.{word}", scope, name, severity=severity, evidence=(path,))
