"""Alternatives: names like `editor` that stand for one of several programs.

`etc/alternatives/editor` leads to the program; a file in dpkg's directory lists the links that
follow it, such as the page of the manual.
That a name leads elsewhere is told by `tools/single_toolchains.py`; here are names that came or
went, and the links that follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree
from clew.detectors.os_packages.dpkg_status import DPKG
from clew.model.entry import EntryKind
from clew.model.fact import Fact

DIRECTORY = "etc/alternatives"
_BOOKS = f"{DPKG}/alternatives"
_LIMIT = 1 << 20
_MOST_FOLLOWERS = 500


def alternative_findings(
    evidence: Evidence, changes: Sequence[PathChange], explained: set[str]
) -> Iterator[Finding]:
    """Yield which alternatives came and went, but for those that packages explain."""
    links = {
        change.name: change
        for change in changes
        if change.parent == DIRECTORY and change.path not in explained and _is_link(change)
    }
    following: list[str] = []
    for name, change in sorted(links.items()):
        books = [_book(tree, name) for tree in (evidence.old, evidence.new)]
        claims = [path for book in books for path in book if _is_loose(evidence, path)]
        if not any(books):
            continue
        if change.is_added or change.is_deleted:
            yield Finding((_fact(change),), (change.path, *claims))
        else:
            following += claims
    if following:
        yield Finding((), following, "links that follow an alternative")


def _is_link(change: PathChange) -> bool:
    return all(
        entry is None or entry.kind == EntryKind.SYMLINK for entry in (change.old, change.new)
    )


def _is_loose(evidence: Evidence, path: str) -> bool:
    return path in evidence.changes and _is_link(evidence.changes[path])


def _book(tree: Tree, name: str) -> list[str]:
    """Return the links that a name brings along.

    After the mode and the name's own link come pairs of a name and a link, then a blank line.
    """
    content = tree.read(f"{_BOOKS}/{name}", _LIMIT) or b""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    found = [lines[1].lstrip("/")] if len(lines) > 1 else []
    for at in range(2, min(len(lines) - 1, 2 * _MOST_FOLLOWERS), 2):
        if not lines[at]:
            break
        found += [f"{DIRECTORY}/{lines[at]}", lines[at + 1].lstrip("/")]
    return found


def _fact(change: PathChange) -> Fact:
    word = "added" if change.is_added else "removed"
    marks = (f"→ {change.new.target.decode('utf-8', 'surrogateescape')}",) if change.new else ()
    return Fact(f"config.{word}", change.path, change.path, evidence=(change.path,), marks=marks)
