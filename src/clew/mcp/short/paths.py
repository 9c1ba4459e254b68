"""Changed paths: those that a person may have written, and a count for what programs generate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from clew.mcp.short import words
from clew.policy.generated_names import (
    DIRECTORIES,
    DIRECTORY_ENDINGS,
    SCATTERED_DIRECTORIES,
)

_GIT = ".git"
_WRITTEN_IN_GIT = (["config"], ["hooks"], ["info"])
"""What a person writes in a repository, and an attacker."""
_MORE_DIRECTORIES = {_GIT, "site-packages"}
"""Directories that programs maintain, although not generated in the sense of the tables."""
_ENDINGS = tuple(DIRECTORY_ENDINGS)


class Folded(NamedTuple):
    """Changed paths, divided."""

    listed: list[dict[str, Any]]
    """Paths that a person may have written; files first."""
    folded: list[dict[str, Any]]
    """Generated directories, the largest first."""


def generated_directory(path: str, named: Sequence[str] = ()) -> str | None:
    """Return the topmost generated directory that contains `path` or is it, or None.

    Directories that occur everywhere count together: `web/**/__pycache__/`.
    Somebody has asked for the paths in `named`: what is in such a directory is not generated, but
    what is in a generated directory below it is.
    """
    for asked in named:
        if path == asked:
            return None
        if path.startswith(f"{asked}/"):
            inner = generated_directory(path[len(asked) + 1 :])
            return f"{asked}/{inner}" if inner is not None else None
    parent, _, name = path.rpartition("/")
    if parent.endswith(_GIT) and [name] in _WRITTEN_IN_GIT:
        return None
    return _topmost(parent) or (_topmost(path) if _is_generated(name) else None)


@lru_cache(maxsize=4_096)
def _topmost(directory: str) -> str | None:
    parts = directory.split("/")
    for index, name in enumerate(parts):
        if name in SCATTERED_DIRECTORIES and index:
            return f"{parts[0]}/**/{name}/"
        if name == _GIT and parts[index + 1 : index + 2] in _WRITTEN_IN_GIT:
            return None
        if _is_generated(name):
            return "/".join(parts[: index + 1]) + "/"
    return None


def _is_generated(name: str) -> bool:
    is_known = name in DIRECTORIES or name in SCATTERED_DIRECTORIES or name in _MORE_DIRECTORIES
    return is_known or name.endswith(_ENDINGS)


def fold(changes: Iterable[Mapping[str, Any]], named: Sequence[str] = ()) -> Folded:
    """Return changes, each with `path`, `kind` and a size, without those in generated directories."""
    listed: list[dict[str, Any]] = []
    directories: list[dict[str, Any]] = []
    groups: dict[str, dict[str, Any]] = {}
    for change in changes:
        place = generated_directory(change["path"], named)
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


def by_directory(
    changes: Iterable[Mapping[str, Any]], named: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return how many paths changed in each top directory; `""` for the root itself."""
    groups: dict[str, dict[str, Any]] = {}
    for change in changes:
        top, slash, _ = change["path"].partition("/")
        if generated_directory(change["path"], named) is None:
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
