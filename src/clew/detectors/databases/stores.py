"""Detector of other databases: collections, indices or topics that appeared or vanished.

Only names, directories and sizes are read.  Where a name is in a file of the server, it is unknown,
and the story says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.data.app_state import is_app_state
from clew.detectors.data.data_facts import data_fact, growth_text
from clew.detectors.databases.store_rules import (
    RULES,
    WATCHED_DIRECTORIES,
    WATCHED_NAMES,
    WATCHED_SUFFIXES,
    StoreRule,
)
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.amount import counted, size_text
from clew.model.fact import Fact, Severity
from clew.policy.table_losses import is_disposable

_DEPTH = 6
"""How many directories above a changed path may be the root of a store."""
_NAMED = 4
_LITTLE = 100_000
"""A store with fewer bytes is not missed."""


class Stores:
    """Reports what happened in a data directory."""

    name = "data/stores"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(
        names=WATCHED_NAMES, suffixes=WATCHED_SUFFIXES, directories=WATCHED_DIRECTORIES
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        known: dict[str, StoreRule | None] = {}
        roots: dict[str, StoreRule] = {}
        seen: set[str] = set()
        for change in changes:
            if change.parent in seen or change.path in evidence.claimed:
                continue
            seen.add(change.parent)
            found = _root_of(evidence, change.parent, known)
            if found is not None:
                roots[found[0]] = found[1]
        for root, rule in roots.items():
            with evidence.guarded(root):
                yield from _findings(evidence, root, rule)


def _root_of(
    evidence: Evidence, directory: str, known: dict[str, StoreRule | None]
) -> tuple[str, StoreRule] | None:
    for _ in range(_DEPTH):
        if directory not in known:
            known[directory] = _rule_of(evidence, directory)
        rule = known[directory]
        if rule is not None:
            return directory, rule
        if not directory:
            return None
        directory = directory.rpartition("/")[0]
    return None


def _rule_of(evidence: Evidence, directory: str) -> StoreRule | None:
    for tree in (evidence.new, evidence.old):
        names = tree.entries(directory)
        for rule in RULES:
            if rule.markers[0].partition("/")[0] in names and _is_store(tree, directory, rule):
                return rule
    return None


def _is_store(tree: Tree, directory: str, rule: StoreRule) -> bool:
    if not all(tree.entry(_join(directory, marker)) for marker in rule.markers):
        return False
    if rule.scope == "leveldb":  # other programs have a file CURRENT
        return any(name.startswith("MANIFEST-") for name in tree.entries(directory))
    return True


def _findings(evidence: Evidence, root: str, rule: StoreRule) -> Iterator[Finding]:
    below = [
        change
        for change in evidence.below(root)
        if change.path not in evidence.claimed and rule.own.match(_inside(root, change.path))
    ]
    claims = tuple(change.path for change in below)
    files = [change for change in below if not change.is_directory]
    if not files or not _is_store(evidence.new, root, rule):
        return  # a directory that is gone as a whole is reported as any other
    if is_app_state(f"{root}/x"):
        yield Finding((), claims, "app state changed")
        return
    severity = Severity.NONE if is_disposable(root) else Severity.HIGH
    yield Finding(tuple(_facts(evidence, root, rule, files, severity)), claims)


def _facts(
    evidence: Evidence, root: str, rule: StoreRule, files: list[PathChange], severity: str
) -> Iterator[Fact]:
    old = sum(change.old.size for change in files if change.old is not None)
    new = sum(change.new.size for change in files if change.new is not None)
    if not _is_store(evidence.old, root, rule):
        units = {rule.unit_of(_inside(root, change.path)) for change in files if change.new} - {""}
        words = [_counted(rule, len(units))] if units else []
        after = ", ".join([*words, size_text(new)])
        yield data_fact(rule.scope, root or ".", None, after)
        return
    gone, came = _gone_and_new(evidence, root, rule, files)
    lost = [*_gone_marks(rule, gone)]
    if not lost and _is_emptied(evidence, root):
        lost = [f"emptied, {size_text(old)} → {size_text(new)}"]
    growth = growth_text(new - old) if new != old else "changed inside"
    marks = (*lost, *_came_marks(rule, came)) if lost else (*_came_marks(rule, came), growth)
    yield data_fact(
        rule.scope, root or ".", marks=marks, severity=severity if lost else Severity.NONE
    )


def _gone_and_new(
    evidence: Evidence, root: str, rule: StoreRule, files: list[PathChange]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the units of which nothing is left, and the new ones, each with its size."""
    old: dict[str, int] = {}
    new: dict[str, int] = {}
    places: dict[str, str] = {}
    for change in files:
        inside = _inside(root, change.path)
        name = rule.unit_of(inside)
        if name:
            places[name] = _join(root, rule.place_of(inside)) if rule.place_of(inside) else root
            old[name] = old.get(name, 0) + (change.old.size if change.old else 0)
            new[name] = new.get(name, 0) + (change.new.size if change.new else 0)
    has, had = (_existing(tree, root, rule, places) for tree in (evidence.new, evidence.old))
    gone = {name: size for name, size in old.items() if size and name not in has}
    came = {name: size for name, size in new.items() if size and name not in had}
    return (gone, came) if rule.has_names else _without_replaced(gone, came)


def _without_replaced(
    gone: dict[str, int], came: dict[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Leave out units without names that were replaced by one of similar size, as a copy is."""
    for name, size in sorted(gone.items()):
        other = next((one for one in sorted(came) if size <= 2 * came[one] <= 4 * size), None)
        if other is not None:
            del gone[name], came[other]
    return gone, came


def _existing(tree: Tree, root: str, rule: StoreRule, places: dict[str, str]) -> set[str]:
    """Return the units that a tree has, of those in the same places."""
    found: set[str] = set()
    for place in set(places.values()):
        for name, entry in tree.entries(place).items():
            inside = _inside(root, _join(place, name))
            found.add(rule.unit_of(inside + "/" if entry.is_directory else inside))
    return found


def _gone_marks(rule: StoreRule, gone: dict[str, int]) -> Iterator[str]:
    if not gone:
        return
    if not rule.has_names:
        names = "its name is" if len(gone) == 1 else "their names are"
        yield f"{_counted(rule, len(gone))} gone (−{size_text(sum(gone.values()))}), {names} unknown"
        return
    for name, size in sorted(gone.items())[:_NAMED]:
        yield f"{rule.noun} {name[:100]} gone (−{size_text(size)})"
    if len(gone) > _NAMED:
        yield f"{len(gone) - _NAMED:,} more gone"


def _came_marks(rule: StoreRule, came: dict[str, int]) -> Iterator[str]:
    if rule.has_names:
        yield from (f"new {rule.noun} {name[:100]}" for name in sorted(came)[:_NAMED])
    elif came:
        yield f"+{_counted(rule, len(came))}"


def _is_emptied(evidence: Evidence, root: str) -> bool:
    """Return whether nearly nothing is left of the files in the root."""
    old, new = (
        sum(entry.size for entry in tree.entries(root).values() if entry.is_file)
        for tree in (evidence.old, evidence.new)
    )
    return old > _LITTLE and new < old / 100


def _counted(rule: StoreRule, number: int) -> str:
    return counted(number, rule.noun, rule.plural)


def _inside(root: str, path: str) -> str:
    return path[len(root) :].lstrip("/")


def _join(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name
