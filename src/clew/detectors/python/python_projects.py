"""What a project asks for, by the files that stand beside its environment.

They never say what is installed, only which of the installed packages somebody wanted.
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
    """Return what `pyproject.toml` asks for, or asked for."""
    path = join(project, "pyproject.toml")
    wanted: list[object] = []
    for tree in (evidence.old, evidence.new):
        with evidence.guarded(path):
            wanted += _requirements(_toml(tree.read(path, _LIMIT)))
    return _names(wanted)


def asked_for(evidence: Evidence, project: str) -> set[str]:
    """Return what a project asks for that installs from a lock: pipenv's, or that of pip-tools."""
    wanted: list[object] = []
    for tree in (evidence.old, evidence.new):
        path = join(project, "Pipfile")
        with evidence.guarded(path):
            said = _toml(tree.read(path, _LIMIT))
            wanted += [*said.get("packages", {}), *said.get("dev-packages", {})]
        path = join(project, "requirements.in")
        with evidence.guarded(path):
            wanted += (tree.read(path, _LIMIT) or b"").decode("utf-8", "replace").splitlines()
    return _names(wanted)


def _toml(content: bytes | None) -> dict[str, Any]:
    try:
        return tomllib.loads((content or b"").decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:  # somebody is writing it, and it is not ours to judge
        return {}


def _requirements(said: dict[str, Any]) -> Iterator[object]:
    project = said.get("project", {})
    yield from project.get("dependencies", [])
    yield from said.get("tool", {}).get("poetry", {}).get("dependencies", {})
    for group in (project.get("optional-dependencies", {}), said.get("dependency-groups", {})):
        for names in group.values():
            yield from names


def _names(wanted: list[object]) -> set[str]:
    return {name for text in wanted if isinstance(text, str) and (name := requirement_name(text))}
