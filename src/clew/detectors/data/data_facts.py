"""Helpers for detectors of data files: their fact, and bounded reads."""

from __future__ import annotations

from collections.abc import Iterable

from clew.detectors.detector import Evidence, Finding, PathChange, Tree
from clew.detectors.files.common_directory import common_directory
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity


def data_fact(
    scope: str,
    path: str,
    before: str | None = None,
    after: str | None = None,
    marks: tuple[str, ...] = (),
    severity: str = Severity.NONE,
) -> Fact:
    """Return the fact that data changed; a side without text means added or deleted."""
    return Fact(
        "data.changed", scope, path, before, after, severity=severity, evidence=(path,), marks=marks
    )


def growth_text(number: int) -> str:
    """Return `+1.2 MB` or `−300 B`."""
    return f"{'+' if number >= 0 else '−'}{size_text(abs(number))}"


def beginning(tree: Tree, path: str, limit: int) -> bytes:
    """Return the first bytes of a file, or b"" if there is none."""
    found: list[bytes] = []
    size = 0
    for piece in tree.pieces(path):
        found.append(piece[: limit - size])
        size += len(found[-1])
        if size >= limit:
            break
    return b"".join(found)


def ending(tree: Tree, path: str, limit: int) -> bytes:
    """Return the last bytes of a file, or b"" if there is none."""
    pieces_left: list[bytes] = []
    size = 0
    for piece in tree.pieces(path):
        pieces_left.append(piece)
        size += len(piece)
        while size - len(pieces_left[0]) >= limit:
            size -= len(pieces_left.pop(0))
    return b"".join(pieces_left)[-limit:]


def bytes_to_read(change: PathChange) -> int:
    """Return the size of both versions of a file."""
    return sum(entry.size for entry in (change.old, change.new) if entry is not None)


def unclaimed_files(evidence: Evidence, changes: Iterable[PathChange]) -> list[PathChange]:
    """Return unclaimed files with changed content; files of packages are omitted."""
    return [
        change
        for change in changes
        if not change.is_directory
        and change.is_content
        and change.path not in evidence.claimed
        and change.path not in evidence.owners
    ]


_MAX_ALONE = 500
"""Files that are analysed one by one, of all directories."""


def split_crowds(
    scope: str, changes: Iterable[PathChange], limit: int = 20, noun: str = "file"
) -> tuple[list[PathChange], list[Finding]]:
    """Return files to analyse one by one, and a summary of each directory with many changes."""
    by_directory: dict[str, list[PathChange]] = {}
    for change in changes:
        by_directory.setdefault(change.parent, []).append(change)
    alone: list[PathChange] = []
    crowded: list[Finding] = []
    for directory, files in by_directory.items():
        if len(files) <= limit:
            alone += files
        else:
            crowded.append(_crowd_finding(scope, directory or ".", files, noun))
    if len(alone) > _MAX_ALONE:
        place = common_directory([change.path for change in alone]) or "."
        return [], [*crowded, _crowd_finding(scope, place, alone, noun)]
    return alone, crowded


def _crowd_finding(scope: str, directory: str, files: list[PathChange], noun: str) -> Finding:
    added = sum(change.is_added for change in files)
    removed = sum(change.is_deleted for change in files)
    changed = len(files) - added - removed
    marks = [f"+{counted(added, noun)}"] if added else []
    marks += [f"{counted(removed, noun)} deleted"] if removed else []
    marks += [f"{counted(changed, noun)} changed"] if changed else []
    fact = data_fact(scope, directory, marks=tuple(marks))
    paths = tuple(change.path for change in files)
    return Finding((fact._replace(evidence=paths[:5]),), paths)


def file_finding(
    scope: str, path: str, before: str | None, after: str | None, same: str
) -> Finding:
    """Return the finding about one file; `same` is its text if both sides read alike."""
    marks = (after or "", same) if before == after else ()
    return Finding((data_fact(scope, path, before, after, marks),), (path,))
