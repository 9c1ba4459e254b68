"""Byte code: the module that a file in `__pycache__` is compiled from, and its owner.

It is written when a module is installed or imported: it belongs to an installation, or is a cache
filled by running something.
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
    """Yield the byte code of `modules`, listed in a RECORD or not, with their values."""
    for change in changes:
        module = module_of(change.path)
        found = modules.get(module) if module else None
        if found is not None:
            yield change.path, found


def compiled_again(
    evidence: Evidence, changes: Iterable[PathChange], known: Collection[str]
) -> dict[PythonEnvironment, list[str]]:
    """Return byte code of unchanged modules, except `known`, by environment."""
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
    """Return the module whose byte code a path would be."""
    if not path.endswith(".pyc"):
        return None
    directory, _, name = path.rpartition("/")
    above, _, cache = directory.rpartition("/")
    if cache != "__pycache__":
        return None
    stem = name.partition(".cpython-")[0] if ".cpython-" in name else name.split(".")[0]
    return join(above, stem + ".py")
