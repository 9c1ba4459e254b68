"""Byte code: which module a file in `__pycache__` is compiled from, and whose it is.

It is written when a module is installed or imported, so it comes and goes with a package, or is a
cache that somebody filled by running something.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.python.python_changes import Delta
from clew.detectors.python.python_environments import (
    PythonEnvironment,
    environment_of,
    join,
    site_of,
)


def modules_of(delta: Delta, root: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of all packages, each with the root of the environment."""
    for dists in (delta.before, delta.after):
        for dist in dists.values():
            for path in dist.files:
                if path.endswith(".py"):
                    yield path, root


def compiled_claims(
    changes: Iterable[PathChange], modules: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the byte code of `modules`, whether a RECORD lists it or not, with what they map to."""
    for change in changes:
        module = module_of(change.path)
        found = modules.get(module) if module else None
        if found is not None:
            yield change.path, found


def compiled_again(
    evidence: Evidence, changes: Iterable[PathChange], known: Collection[str]
) -> dict[PythonEnvironment, list[str]]:
    """Return byte code of modules that stayed, other than `known`, by environment."""
    found: dict[PythonEnvironment, list[str]] = {}
    sites: dict[str, PythonEnvironment] = {}
    for change in changes:
        module = module_of(change.path)
        if module is None or module in evidence.changes:
            continue
        if change.path in known or change.path in evidence.claimed:
            continue
        site = site_of(change.path)
        if site is None or evidence.new.entry(module) is None:
            continue
        if site not in sites:
            sites[site] = environment_of(evidence, site)
        found.setdefault(sites[site], []).append(change.path)
    return found


def module_of(path: str) -> str | None:
    """Return the module that a path would be the byte code of."""
    if not path.endswith(".pyc"):
        return None
    directory, _, name = path.rpartition("/")
    above, _, cache = directory.rpartition("/")
    if cache != "__pycache__":
        return None
    stem = name.partition(".cpython-")[0] if ".cpython-" in name else name.split(".")[0]
    return join(above, stem + ".py")
