"""Changed paths: those that a person may have written, and a count for what programs generate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from clew.mcp.short import words
from clew.policy.generated import GeneratedPlaces


class Folded(NamedTuple):
    """Changed paths, divided."""

    listed: list[dict[str, Any]]
    """Paths that a person may have written; files first."""
    folded: list[dict[str, Any]]
    """Generated directories, the largest first."""


class Places:
    """Tells generated paths from those that a person may have written (`policy/generated.py`)."""

    def __init__(self, named: Sequence[str] = ()) -> None:
        """`named` are paths that somebody has asked for: what is at or above them is not folded."""
        self._places = GeneratedPlaces(named=[_bytes(one.rstrip("/")) for one in named])

    def of(self, path: str, *, is_directory: bool | None = None) -> str | None:
        """Return the topmost generated directory of a path, or a pattern for what is scattered.

        If it is not known whether the path is a directory, its name decides.
        """
        at = _bytes(path)
        place = self._places.of(at, is_directory=bool(is_directory))
        if place is None and is_directory is None:
            found = self._places.of(at, is_directory=True)
            if found is not None and found.path in (at, b""):
                place = found
        if place is None:
            return None
        return f"**/{place.pattern}" if place.pattern else _text(place.path) + "/"


def fold(changes: Iterable[Mapping[str, Any]], named: Sequence[str] = ()) -> Folded:
    """Return changes, each with `path`, `kind` and a size, without those in generated directories."""
    places = Places(named)
    listed: list[dict[str, Any]] = []
    directories: list[dict[str, Any]] = []
    groups: dict[str, dict[str, Any]] = {}
    for change in changes:
        is_directory = _is_directory(change)
        place = places.of(change["path"], is_directory=is_directory or None)
        if place is not None:
            _count(groups, place, change)
        elif is_directory:
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
    places = Places(named)
    groups: dict[str, dict[str, Any]] = {}
    for change in changes:
        top, slash, _ = change["path"].partition("/")
        if places.of(change["path"]) is None:
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


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogatepass")
