"""Virtual environments whose Python changed, or is gone.

Packages are installed for one version of Python, in `lib/python3.11/site-packages`; another version
does not find them.
Whether a path outside the tree exists is not known, and nothing is said about it.  An absolute path
is inside the tree if the environment tells where the tree is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.python.environment_places import place_of_tree
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
_INTERPRETER = ("python", "pypy")
_NAMES = (".venv", "venv", "env")
_MAX_ABOVE = 50
_MAX_LOOKED_AT = 1_000
INTERPRETERS = tuple(f"python3.{minor}" for minor in range(6, 20))
"""Names of interpreters beside `PROGRAMS`."""


def interpreter_facts(evidence: Evidence, environment: PythonEnvironment) -> Iterator[Fact]:
    """Yield whether an environment has another Python than before, or none."""
    if not environment.is_virtual or environment.is_new or environment.is_removed:
        return
    root, place = environment.root, environment.place
    before, after = (python_version(tree, root) for tree in (evidence.old, evidence.new))
    if before and after and before != after:
        yield _changed(evidence.new, root, place, before, after)
    elif _has_interpreter(evidence, evidence.old, root) is not False:
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
    place = place_of_tree(tree, root)
    for directory in ("bin", "Scripts"):
        for name in PROGRAMS:
            path = join(root, f"{directory}/{name}")
            found = resolved_path(tree, path, is_machine=evidence.machine, place=place)
            if found is None:
                return None
            entry = tree.entry(found)
            if entry is not None and entry.is_file:
                return True
    return False


def orphaned_environments(evidence: Evidence, changes: Iterable[PathChange]) -> set[str]:
    """Return the roots of environments near an interpreter that was deleted.

    They did not change themselves, so they are looked for beside it and beside what is above it.
    """
    above: dict[str, None] = {}
    for change in changes:
        if change.new is None and change.name.startswith(_INTERPRETER) and len(above) < _MAX_ABOVE:
            directory = change.parent
            while directory:
                directory = directory.rpartition("/")[0]
                above[directory] = None
    found: set[str] = set()
    left = _MAX_LOOKED_AT
    for directory in above:
        for name, entry in evidence.new.entries(directory).items():
            if left < 0 or not entry.is_directory:
                continue
            left -= 1
            roots = (join(directory, name), *(join(directory, f"{name}/{one}") for one in _NAMES))
            found.update(one for one in roots if evidence.new.entry(join(one, MARKER)) is not None)
    return found
