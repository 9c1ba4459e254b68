"""Python package detector for pip, uv, Poetry and other installers; one scope per environment.

A package was requested if pip wrote a REQUESTED file.  uv writes one for every package, others for
none; there a package counts as requested if the project next to the environment declares it, or
if no other new package requires it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.python.byte_code import compiled_again, compiled_claims, modules_of
from clew.detectors.python.changed_interpreters import (
    INTERPRETERS,
    interpreter_facts,
    orphaned_environments,
)
from clew.detectors.python.environment_places import moved_environments
from clew.detectors.python.incomplete_packages import (
    incomplete_packages,
    unexplained_by_environment,
)
from clew.detectors.python.loose_files import loose_findings
from clew.detectors.python.python_changes import (
    RECORD_FILES,
    ChangedEnvironment,
    Delta,
    IsDirect,
    changed_environments,
    claim_packages,
    package_facts,
    read_delta,
)
from clew.detectors.python.python_environments import (
    MARKER,
    PROGRAMS,
    SITES,
    PythonEnvironment,
    environment_paths,
    join,
    virtual_environment,
)
from clew.detectors.python.python_metadata import Distribution, name_in_path
from clew.detectors.python.python_projects import declared_by, requested_by_lock
from clew.detectors.tools.toolchain_homes import came_with_toolchain
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_SEEDS = ("pip", "setuptools", "wheel")
"""Packages that a new environment has without a request."""
STALE = "its scripts name the old place"
_EGG_INFO = (
    "PKG-INFO", "SOURCES.txt", "dependency_links.txt", "entry_points.txt", "not-zip-safe",
    "requires.txt", "top_level.txt",
)  # fmt: skip
"""Files that an editable installation leaves next to the source."""


class Pip:
    """Reports Python packages added, removed or with another version."""

    name = "python/pip"
    version = 4
    kinds: tuple[str, ...] = (
        "package.added",
        "package.changed",
        "package.removed",
        "generated.changed",
        "code.edited",
        "code.deleted",
        "broken.install",
        "broken.environment",
        "toolchain.changed",
    )
    watch = WatchedPaths(
        directories=SITES, names=(MARKER, *_EGG_INFO, *RECORD_FILES, *PROGRAMS, *INTERPRETERS)
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        found = dict(sorted(changed_environments(evidence, changes).items()))
        framed = environment_paths(evidence, [changed.environment for changed in found.values()])
        facts: dict[str, tuple[Fact, ...]] = {}
        claims: dict[str, list[str]] = {}
        deltas: dict[str, Delta] = {}
        modules: dict[str, str] = {}
        for root, changed in found.items():
            with evidence.guarded(changed.environment.place):
                delta = read_delta(evidence, changed)
                if came_with_toolchain(evidence, root):
                    delta = delta.without(_SEEDS)
                    if not delta.before and not delta.after:
                        continue
                deltas[root] = delta
                facts[root] = tuple(_facts(evidence, changed, delta))
                claims[root] = [*claim_packages(evidence, changed, delta), *framed.get(root, ())]
                modules.update(modules_of(delta, root))
        is_elsewhere = any(changed.environment.is_target for changed in found.values())
        compiled = evidence.changes.values() if is_elsewhere else changes
        for path, root in compiled_claims(compiled, modules):
            claims[root].append(path)
        installed = _Installed(found, deltas, facts, claims)
        _add_incomplete(evidence, changes, installed)
        _join_moved(evidence, installed)
        caches = compiled_again(
            evidence, changes, {path for mine in claims.values() for path in mine}
        )
        for environment, paths in caches.items():
            if environment.root in claims:
                claims[environment.root] += paths
        left = _egg_infos(changes)
        for root, mine in claims.items():
            for fact in facts[root]:
                if "editable" in fact.marks:
                    mine.extend(left.pop(fact.subject, ()))
            mine = evidence.unclaimed(list(dict.fromkeys(mine)))
            if facts[root] or mine:
                text = _text(found[root].environment) if not facts[root] else ""
                yield Finding(facts[root], mine, text)
        for environment, paths in caches.items():
            if environment.root not in claims:
                yield _cache(environment, paths)
        explained = {path for paths in (*claims.values(), *caches.values()) for path in paths}
        yield from loose_findings(evidence, changes, explained)


class _Installed(NamedTuple):
    """What is known of each changed environment, by its root."""

    found: dict[str, ChangedEnvironment]
    deltas: dict[str, Delta]
    facts: dict[str, tuple[Fact, ...]]
    claims: dict[str, list[str]]

    def add(self, root: str, environment: PythonEnvironment) -> None:
        """Add an environment in which no package was added or removed."""
        self.found.setdefault(root, ChangedEnvironment(environment, {}))
        self.deltas.setdefault(root, Delta({}, {}))
        self.facts.setdefault(root, ())
        self.claims.setdefault(root, [])


def _join_moved(evidence: Evidence, installed: _Installed) -> None:
    """Tell an environment that was moved once, and only the packages that differ."""
    known = [changed.environment for changed in installed.found.values()]
    for root, before in moved_environments(evidence, known).items():
        if root not in installed.facts or before not in installed.facts:
            continue
        removed, added = (_by_package(installed.facts[one]) for one in (before, root))
        kept = [added[key] for key in added if key not in removed]
        kept += [removed[key]._replace(scope=f"pip:{root}") for key in removed if key not in added]
        fact = Fact(
            "broken.environment", f"python:{root}", root, severity=Severity.HIGH,
            evidence=(join(root, MARKER),), marks=(f"moved from {before}", STALE),
        )  # fmt: skip
        installed.facts[root] = (fact, *kept)
        installed.claims[root] += installed.claims.pop(before)
        installed.facts[before] = ()


def _by_package(facts: Sequence[Fact]) -> dict[tuple[str, str | None], Fact]:
    return {(fact.subject, fact.after or fact.before): fact for fact in facts}


def _add_incomplete(
    evidence: Evidence, changes: Sequence[PathChange], installed: _Installed
) -> None:
    """Add packages that are not installed completely, and interpreters that changed."""
    for root, changed in list(installed.found.items()):
        with evidence.guarded(changed.environment.place):
            if root in installed.facts:
                more = tuple(interpreter_facts(evidence, changed.environment))
                installed.facts[root] += more
    for root in sorted(orphaned_environments(evidence, changes) - installed.found.keys()):
        environment = virtual_environment(evidence, root)
        with evidence.guarded(environment.place):
            gone = tuple(interpreter_facts(evidence, environment))
            if gone:
                installed.add(root, environment)
                installed.facts[root] += gone
    explained = {path for mine in installed.claims.values() for path in mine}
    groups = unexplained_by_environment(evidence, changes, explained)
    for environment in groups:
        installed.add(environment.root, environment)
    left = {environment.root: found for environment, found in groups.items()}
    for root in installed.deltas:
        with evidence.guarded(installed.found[root].environment.place):
            _add_incomplete_packages(evidence, changes, root, installed, left.get(root, ()))


def _add_incomplete_packages(
    evidence: Evidence,
    changes: Sequence[PathChange],
    root: str,
    installed: _Installed,
    left: Sequence[PathChange],
) -> None:
    changed = installed.found[root]
    if changed.environment.is_removed:
        return
    broken = incomplete_packages(evidence, changed, installed.deltas[root], left)
    if not broken:
        return
    scope = f"pip:{changed.environment.place}"
    kept = [fact for fact in installed.facts[root] if fact.subject not in broken]
    installed.facts[root] = (*(one.fact(scope) for one in broken.values()), *kept)
    below = tuple(f"{name}/" for one in broken.values() for name in one.directories)
    installed.claims[root] += [change.path for change in changes if change.path.startswith(below)]


def _facts(evidence: Evidence, changed: ChangedEnvironment, delta: Delta) -> Iterator[Fact]:
    environment = changed.environment
    is_direct = _is_direct(evidence, environment, delta)
    return package_facts(delta, f"pip:{environment.place}", is_direct)


def _is_direct(evidence: Evidence, environment: PythonEnvironment, delta: Delta) -> IsDirect:
    is_framed = environment.is_new or environment.is_removed
    dists = (*delta.before.values(), *delta.after.values())
    required = {
        name
        for dist in dists
        if delta.is_changed(dist.name)
        for name in dist.requires - {dist.name}
    }
    project = environment.root.rpartition("/")[0]
    requested = requested_by_lock(evidence, project)
    is_pip = all(dist.installer == "pip" for dist in dists)
    declared = set() if is_pip else declared_by(evidence, project)

    def is_direct(dist: Distribution) -> bool:
        if is_framed and dist.name in _SEEDS:
            return False
        if dist.installer == "pip" and requested:  # an install from a lock requests every package
            return dist.is_requested and dist.name in requested
        if dist.installer == "pip":
            return dist.is_requested
        return dist.name in declared or dist.name not in required

    return is_direct


def _egg_infos(changes: Sequence[PathChange]) -> dict[str, list[str]]:
    """Return changed files of `*.egg-info` outside any environment, by package name."""
    found: dict[str, list[str]] = {}
    for change in changes:
        if change.name in _EGG_INFO and change.parent.endswith(".egg-info"):
            if not any(f"/{site}/" in f"/{change.path}" for site in SITES):
                found.setdefault(name_in_path(change.parent), []).append(change.path)
    return found


def _cache(environment: PythonEnvironment, paths: list[str]) -> Finding:
    """Return the finding about byte code alone: installed code was run."""
    fact = Fact(
        "generated.changed", "cache", environment.place, after=str(len(paths)), direct=False,
        evidence=tuple(paths[:3]),
    )  # fmt: skip
    return Finding((fact,), paths)


def _text(environment: PythonEnvironment) -> str:
    if environment.is_new:
        return f"new Python environment, nothing installed ({environment.place})"
    if environment.is_removed:
        return f"Python environment removed, nothing was installed ({environment.place})"
    if environment.is_remade:
        return f"Python environment made again ({environment.place})"
    return f"Python packages installed again, same versions ({environment.place})"
