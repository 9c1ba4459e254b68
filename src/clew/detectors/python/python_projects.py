"""Requirements of a project, from the files next to its environment.

They never state what is installed, only which installed packages were requested.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from clew.detectors.detector import Evidence
from clew.detectors.python.python_environments import join
from clew.detectors.python.python_metadata import requirement_name

_LIMIT = 1 << 20


def declared_by(evidence: Evidence, project: str) -> set[str]:
    """Return the packages that `pyproject.toml` requires in either tree."""
    path = join(project, "pyproject.toml")
    wanted: list[object] = []
    for tree in (evidence.old, evidence.new):
        with evidence.guarded(path):
            wanted += _requirements(_toml(tree.read(path, _LIMIT)))
    return _names(wanted)


def requested_by_lock(evidence: Evidence, project: str) -> set[str]:
    """Return the requirements of a project that installs from a lock of pipenv or pip-tools."""
    wanted: list[object] = []
    for tree in (evidence.old, evidence.new):
        path = join(project, "Pipfile")
        with evidence.guarded(path):
            data = _toml(tree.read(path, _LIMIT))
            wanted += [*data.get("packages", {}), *data.get("dev-packages", {})]
        path = join(project, "requirements.in")
        with evidence.guarded(path):
            wanted += (tree.read(path, _LIMIT) or b"").decode("utf-8", "replace").splitlines()
    return _names(wanted)


def _toml(content: bytes | None) -> dict[str, Any]:
    try:
        return tomllib.loads((content or b"").decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:  # it may be half written; invalid files are not reported
        return {}


def _requirements(data: dict[str, Any]) -> Iterator[object]:
    project = data.get("project", {})
    yield from project.get("dependencies", [])
    yield from data.get("tool", {}).get("poetry", {}).get("dependencies", {})
    for group in (project.get("optional-dependencies", {}), data.get("dependency-groups", {})):
        for names in group.values():
            yield from names


def _names(wanted: list[object]) -> set[str]:
    return {name for text in wanted if isinstance(text, str) and (name := requirement_name(text))}
