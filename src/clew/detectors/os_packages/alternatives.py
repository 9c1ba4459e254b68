"""Alternatives: names like `editor` that refer to one of several programs.

`etc/alternatives/editor` links to the program; a file in dpkg's directory lists dependent links,
such as the manual page.
`tools/single_toolchains.py` reports changed targets; this module reports added and removed names,
and the dependent links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree
from clew.detectors.os_packages.dpkg_status import DPKG
from clew.model.entry import EntryKind
from clew.model.fact import Fact

DIRECTORY = "etc/alternatives"
_ADMIN_DIRECTORY = f"{DPKG}/alternatives"
_LIMIT = 1 << 20
_MAX_FOLLOWERS = 500


def alternative_findings(
    evidence: Evidence, changes: Sequence[PathChange], explained: set[str]
) -> Iterator[Finding]:
    """Yield added and removed alternatives, except those that packages explain."""
    links = {
        change.name: change
        for change in changes
        if change.parent == DIRECTORY and change.path not in explained and _is_link(change)
    }
    following: list[str] = []
    for name, change in sorted(links.items()):
        dependents = [_dependent_links(tree, name) for tree in (evidence.old, evidence.new)]
        claims = [
            path for group in dependents for path in group if _is_changed_link(evidence, path)
        ]
        if not any(dependents):
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


def _is_changed_link(evidence: Evidence, path: str) -> bool:
    return path in evidence.changes and _is_link(evidence.changes[path])


def _dependent_links(tree: Tree, name: str) -> list[str]:
    """Return the dependent links of a name.

    After the mode and the name's own link come pairs of a name and a link, then a blank line.
    """
    content = tree.read(f"{_ADMIN_DIRECTORY}/{name}", _LIMIT) or b""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    found = [lines[1].lstrip("/")] if len(lines) > 1 else []
    for at in range(2, min(len(lines) - 1, 2 * _MAX_FOLLOWERS), 2):
        if not lines[at]:
            break
        found += [f"{DIRECTORY}/{lines[at]}", lines[at + 1].lstrip("/")]
    return found


def _fact(change: PathChange) -> Fact:
    word = "added" if change.is_added else "removed"
    marks = (f"→ {change.new.target.decode('utf-8', 'surrogateescape')}",) if change.new else ()
    return Fact(f"config.{word}", change.path, change.path, evidence=(change.path,), marks=marks)
