"""Symbolic link detector: links that are new, gone or lead elsewhere.

Links that package managers, toolchains and services make are claimed by their own detectors; links
in directories of dependencies and build output are left to the roll-up.
A link that leads nowhere, or out of the workspace, deserves a look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.detectors.security.security_rules import in_fresh_clone, is_dependency
from clew.model.amount import counted, size_text
from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact, Severity

_MANY = 6
"""From this number, links of one directory are counted instead of named."""
_MAX_STEPS = 40
"""Links that are followed one after the other, as in the kernel."""
_MAX_TARGET = 200
_SYSTEM = ("usr", "lib", "lib64", "bin", "sbin", "etc", "var", "boot", "run", "dev", "proc", "sys")
_OWN = ("usr/local/", "var/www/", "var/local/")
_ENABLED = frozenset((
    "sites-enabled", "conf-enabled", "mods-enabled", "sites-available", "conf-available",
))  # fmt: skip
"""Directories of the settings of a web server, and of links to those that it uses."""


class Links:
    """Reports symbolic links that changed."""

    name = "files/links"
    version = 1
    kinds: tuple[str, ...] = ("link.added", "link.changed", "link.removed")
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        by_directory: dict[str, list[PathChange]] = {}
        for change in changes:
            if _is_link(change) and _is_of_interest(evidence, change):
                by_directory.setdefault(change.parent, []).append(change)
        for directory, links in by_directory.items():
            if len(links) >= _MANY:
                yield _counted(directory, links)
                continue
            for change in links:
                with evidence.guarded(change.path):
                    yield Finding((_fact(evidence, change),), (change.path,))


def _is_link(change: PathChange) -> bool:
    old, new = change.old, change.new
    is_one = (new is not None and new.kind == EntryKind.SYMLINK) or (
        old is not None and old.kind == EntryKind.SYMLINK
    )
    return is_one and change.is_content


def _is_of_interest(evidence: Evidence, change: PathChange) -> bool:
    path = change.path
    if path in evidence.claimed:  # a directory that became a link
        return False
    if path in evidence.owners or is_dependency(path) or is_generated_or_vendored(path + "/"):
        return False
    if in_fresh_clone(evidence, path) or "/.git/" in f"/{path}":
        return False
    return is_place_of_people(evidence, path) and not path.startswith("etc/")


def is_place_of_people(evidence: Evidence, path: str) -> bool:
    """Return whether people, not packages, put links at a place."""
    if not _ENABLED.isdisjoint(path.split("/")):
        return True
    is_system = path.partition("/")[0] in _SYSTEM and not path.startswith(_OWN)
    return not (evidence.machine and is_system)


def _fact(evidence: Evidence, change: PathChange) -> Fact:
    before, after = _said(change.old), _said(change.new)
    is_now = change.new is not None and change.new.kind == EntryKind.SYMLINK
    was = change.old is not None and change.old.kind == EntryKind.SYMLINK
    word = "changed" if was and change.new else "added" if is_now else "removed"
    marks = _marks(evidence, change) if is_now else ()
    if is_now and not was and change.old is not None:
        marks = ("replaces a " + _noun(change.old), *marks)
    return Fact(
        f"link.{word}", "symlink", change.path, before, after,
        severity=Severity.NOTE if marks else Severity.NONE, evidence=(change.path,), marks=marks,
    )  # fmt: skip


def _said(entry: Entry | None) -> str | None:
    """Return the target of a link, or what stands in its place."""
    if entry is None:
        return None
    if entry.kind != EntryKind.SYMLINK:
        return _noun(entry)
    target = link_target(entry)
    return target if len(target) <= _MAX_TARGET else "…" + target[-_MAX_TARGET:]


def _noun(entry: Entry) -> str:
    return f"file ({size_text(entry.size)})" if entry.is_file else "directory"


def _marks(evidence: Evidence, change: PathChange) -> tuple[str, ...]:
    """Return what is wrong with where a link leads."""
    assert change.new is not None
    target = link_target(change.new)
    if target.startswith("/") and not evidence.machine:
        return () if _is_inside(evidence.new, target) else ("not in the workspace",)
    start = "" if target.startswith("/") else change.parent
    return link_problem(evidence.new, start, target)


def _is_inside(tree: Tree, target: str) -> bool:
    """Return whether an absolute target may be in the workspace, whose own place is not known."""
    names = [name for name in target.split("/") if name]
    tails = ("/".join(names[number:]) for number in range(1, min(len(names), 12)))
    return any(tree.entry(tail) is not None for tail in tails)


def link_target(entry: Entry) -> str:
    """Return where a link says that it leads."""
    return entry.target.decode("utf-8", "surrogateescape")


def link_problem(tree: Tree, start: str, target: str) -> tuple[str, ...]:
    """Return why a target cannot be reached, following links on the way."""
    waiting = [name for name in target.split("/") if name not in ("", ".")][::-1]
    here = [name for name in start.split("/") if name]
    steps = 0
    while waiting:
        name = waiting.pop()
        if name == "..":
            if not here:
                return ("not in the workspace",)
            here.pop()
            continue
        entry = tree.entry("/".join([*here, name]))
        if entry is None:
            return ("leads nowhere",)
        here.append(name)
        if entry.kind == EntryKind.SYMLINK:
            steps += 1
            if steps > _MAX_STEPS:
                return ("leads to itself",)
            inner = link_target(entry)
            here = [] if inner.startswith("/") else here[:-1]
            if inner.startswith("/"):
                return ()  # the place of the workspace is not known
            waiting += [one for one in inner.split("/") if one not in ("", ".")][::-1]
        if len(waiting) > 1_000:
            return ("leads to itself",)
    return ()


def _counted(directory: str, links: Sequence[PathChange]) -> Finding:
    """Return one line for many links of a directory."""
    added = sum(change.old is None for change in links)
    removed = sum(change.new is None for change in links)
    changed = len(links) - added - removed
    marks = [f"+{added:,}"] if added else []
    marks += [f"−{removed:,}"] if removed else []
    marks += [f"{changed:,} lead elsewhere"] if changed else []
    word = "changed" if changed or (added and removed) else "added" if added else "removed"
    paths = tuple(change.path for change in links)
    fact = Fact(
        f"link.{word}", "symlink", directory or ".", evidence=paths[:5],
        marks=(counted(len(links), "link"), *marks),
    )  # fmt: skip
    return Finding((fact,), paths)
