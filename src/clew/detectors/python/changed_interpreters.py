"""Virtual environments whose Python changed, or is gone.

Packages are installed for one version of Python, in `lib/python3.11/site-packages`; another version
does not find them.
Whether a path outside the tree exists is not known, and nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence, Tree
from clew.detectors.python.python_environments import (
    MARKER,
    PROGRAMS,
    PythonEnvironment,
    join,
    python_version,
)
from clew.detectors.python.python_metadata import name_in_path
from clew.detectors.resolved_path import resolved_path
from clew.model.fact import Fact, Severity

_SEEDS = frozenset(("pip", "setuptools", "wheel"))
_MAX_LINKS = 8


def interpreter_facts(evidence: Evidence, environment: PythonEnvironment) -> Iterator[Fact]:
    """Yield whether an environment has another Python than before, or none."""
    if not environment.is_virtual or environment.is_new or environment.is_removed:
        return
    root, place = environment.root, environment.place
    before, after = (python_version(tree, root) for tree in (evidence.old, evidence.new))
    if before and after and before != after:
        yield _changed(evidence.new, root, place, before, after)
    elif _has_interpreter(evidence, evidence.old, root) is True:
        if _has_interpreter(evidence, evidence.new, root) is False:
            yield Fact(
                "broken.environment", f"python:{place}", place, severity=Severity.HIGH,
                evidence=(join(root, MARKER),), marks=("its interpreter is gone",),
            )  # fmt: skip


def _changed(tree: Tree, root: str, place: str, before: str, after: str) -> Fact:
    site = join(root, f"lib/python{before}/site-packages")
    names = {name_in_path(name) for name in tree.entries(site) if name.endswith(".dist-info")}
    where = (join(root, MARKER),)
    if names - _SEEDS:
        return Fact(
            "broken.environment", f"python:{place}", place, before, after,
            severity=Severity.HIGH, evidence=where, marks=(f"its packages are for {before}",),
        )  # fmt: skip
    return Fact("toolchain.changed", place, "Python", before, after, evidence=where)


def _has_interpreter(evidence: Evidence, tree: Tree, root: str) -> bool | None:
    """Return whether an environment has an interpreter; None if that is outside the tree."""
    for directory in ("bin", "Scripts"):
        for name in PROGRAMS:
            is_there = _leads_to_file(tree, join(root, f"{directory}/{name}"), evidence.machine)
            if is_there is not False:
                return is_there
    return False


def _leads_to_file(tree: Tree, path: str, is_machine: bool) -> bool | None:
    """Return whether a path leads to a file; None if that cannot be known from the tree."""
    found = resolved_path(tree, path, is_machine=is_machine)
    entry = tree.entry(found) if found is not None else None
    return None if found is None else entry is not None and entry.is_file
