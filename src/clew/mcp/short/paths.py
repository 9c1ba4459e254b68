"""Changed paths: those that a person may have written, and a count for what programs generate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from clew.detectors.files.generated_names import (
    DIRECTORIES,
    DIRECTORY_ENDINGS,
    SCATTERED_DIRECTORIES,
)
from clew.mcp.short import words

_MORE_DIRECTORIES = {".git", "site-packages"}
"""Directories that programs maintain, although not generated in the sense of the tables."""


class Folded(NamedTuple):
    """Changed paths, divided."""

    listed: list[dict[str, Any]]
    """Paths that a person may have written; files first."""
    folded: list[dict[str, Any]]
    """Generated directories, the largest first."""


def generated_directory(path: str) -> str | None:
    """Return the topmost generated directory that contains `path`, or None.

    Directories that occur everywhere count together: `web/**/__pycache__/`.
    """
    parts = path.split("/")
    for index, name in enumerate(parts):
        if name in SCATTERED_DIRECTORIES:
            return f"{parts[0]}/**/{name}/" if index else f"{name}/"
        if (
            name in DIRECTORIES
            or name in _MORE_DIRECTORIES
            or any(name.endswith(ending) for ending in DIRECTORY_ENDINGS)
        ):
            return "/".join(parts[: index + 1]) + "/"
    return None


def fold(changes: Iterable[Mapping[str, Any]]) -> Folded:
    """Return changes, each with `path`, `kind` and a size, without those in generated directories."""
    listed: list[dict[str, Any]] = []
    directories: list[dict[str, Any]] = []
    groups: dict[str, dict[str, Any]] = {}
    for change in changes:
        place = generated_directory(change["path"])
        if place is not None:
            _count(groups, place, change)
        elif _is_directory(change):
            directories.append(_change(change))
        else:
            listed.append(_change(change))
    return Folded([*listed, *directories], _largest_first(groups))


def listed(changes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return every change as path and kind."""
    return [_change(change) for change in changes]


def by_directory(changes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return how many paths changed in each top directory; `""` for the root itself."""
    groups: dict[str, dict[str, Any]] = {}
    for change in changes:
        top, slash, _ = change["path"].partition("/")
        if generated_directory(change["path"]) is None:
            _count(groups, top + slash if slash else "", change)
    return _largest_first(groups)


def counts(changes: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of changes by kind."""
    found: dict[str, int] = {}
    for change in changes:
        found[change["kind"]] = found.get(change["kind"], 0) + 1
    return found


def _change(change: Mapping[str, Any]) -> dict[str, Any]:
    kept = {"path": words.path(change["path"]), "kind": change["kind"]}
    old = change.get("old_path")
    return kept if old is None else {**kept, "old_path": words.path(old)}


def _count(groups: dict[str, dict[str, Any]], place: str, change: Mapping[str, Any]) -> None:
    group = groups.setdefault(
        place, {"path": words.path(place), "change_counts": {}, "total_bytes": 0}
    )
    number = group["change_counts"]
    number[change["kind"]] = number.get(change["kind"], 0) + 1
    group["total_bytes"] += _size(change)


def _size(change: Mapping[str, Any]) -> int:
    """Return the size of the new content, or of the deleted one."""
    if "size" in change:
        return int(change["size"])
    entry = change.get("new") or change.get("old") or {}
    return int(entry.get("size", 0))


def _is_directory(change: Mapping[str, Any]) -> bool:
    entry = change.get("new") or change.get("old") or {}
    return entry.get("type") == "directory"


def _largest_first(groups: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(groups.values(), key=lambda group: -sum(group["change_counts"].values()))
