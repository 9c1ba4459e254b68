"""Facts about one systemd unit whose files or links changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.security.fetching import fetching_marks
from clew.detectors.system.unit_files import NOTHING, UnitFile, different_keys, new_loads
from clew.detectors.system.unit_paths import (
    UnitPath,
    UnitRole,
    UnitState,
    alias_of,
    directories,
    is_mask,
    read_through,
    target_of,
    template_of,
)
from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_SHOWN = 5
WITH_PACKAGE = "with its package"
_RUNNING = ("service", "timer", "socket", "path")
"""Unit types that run something."""


class UnitTouch(NamedTuple):
    """A changed path, and its role for a unit."""

    change: PathChange
    unit_path: UnitPath


class UnitChange(NamedTuple):
    """One unit whose files or links changed."""

    evidence: Evidence
    scope: str
    unit: str
    touches: list[UnitTouch]
    was: UnitState
    now: UnitState
    is_packaged: bool
    """Whether a package of this interval ships it."""

    def fact(
        self, word: str, before: str | None, after: str | None, severity: str, *marks: str
    ) -> Fact:
        return Fact(
            f"service.{word}", self.scope, self.unit, before, after,
            direct=not self.is_packaged,
            severity=Severity.NONE if self.is_packaged else severity,
            evidence=tuple(touch.change.path for touch in self.touches)[:_SHOWN],
            marks=marks[: _SHOWN + 1],
        )  # fmt: skip

    def changes(self, role: str) -> list[PathChange]:
        return [touch.change for touch in self.touches if touch.unit_path.role == role]


def is_packaged(evidence: Evidence, scope: str, unit: str, touches: Sequence[UnitTouch]) -> bool:
    """Return whether a package of this interval ships a unit, or the targets of its links."""
    names = dict.fromkeys((unit, template_of(unit)))
    homes = directories(scope)
    paths = [f"{home}/{name}" for name in names for home in homes]
    for touch in touches:
        paths.append(touch.change.path)
        for entry in (touch.change.old, touch.change.new):
            if entry is not None and entry.kind == EntryKind.SYMLINK:
                target = target_of(touch.change.path, entry)
                paths += target, f"usr/{target}"
    return any(path in evidence.owners for path in paths)


def unit_facts(unit_change: UnitChange) -> Iterator[Fact]:
    """Yield the facts about a unit, without repetition."""
    reported: list[Fact] = []
    for derive in (_state_facts, _file_facts, _link_facts):
        for fact in derive(unit_change, reported):
            reported.append(fact)
            yield fact  # at once: a file that cannot be read costs only its own fact


def load_facts(unit_change: UnitChange) -> Iterator[Fact]:
    """Yield a warning for each file that preloads libraries into a unit."""
    if unit_change.is_packaged:
        return
    for change in (*unit_change.changes(UnitRole.FILE), *unit_change.changes(UnitRole.DROPIN)):
        old = _own_unit(unit_change.evidence.old, change.path, change.old)
        new = _own_unit(unit_change.evidence.new, change.path, change.new)
        if names := new_loads(old, new):
            yield Fact(
                "security.preload", unit_change.scope, unit_change.unit,
                severity=Severity.HIGH, evidence=(change.path,), marks=tuple(names),
            )  # fmt: skip


def _state_facts(unit_change: UnitChange, _: list[Fact]) -> Iterator[Fact]:
    was, now = unit_change.was, unit_change.now
    if unit_change.unit == "default.target":
        before, after = (
            _default_target(unit_change.evidence.old, was),
            _default_target(unit_change.evidence.new, now),
        )
        yield unit_change.fact("changed", before, after, Severity.NONE)
    elif now.is_masked and not was.is_masked:
        yield unit_change.fact("masked", was.word, "masked", Severity.NONE)
    elif was.is_masked and now.links and not now.is_masked:
        yield unit_change.fact(
            "enabled", "masked", "enabled", _start_severity(unit_change), "unmasked"
        )
    elif was.is_masked and not now.is_masked and not _is_reported_by_file(unit_change):
        yield unit_change.fact("changed", "masked", now.word, Severity.NONE, "unmasked")
    elif now.links and not was.links and not now.is_masked:
        yield unit_change.fact(
            "enabled", was.word, "enabled", _start_severity(unit_change), *_aliases(unit_change)
        )
    elif was.links and not now.links and not now.is_masked:
        if unit_change.is_packaged and was.path is not None and now.path is None:
            # nobody disabled it: it is gone
            yield unit_change.fact("removed", "enabled", None, Severity.NONE, WITH_PACKAGE)
        else:
            yield unit_change.fact("disabled", "enabled", now.word, Severity.NONE)


def _default_target(tree: Tree, state: UnitState) -> str | None:
    """Return the unit that default.target links to."""
    entry = tree.entry(state.path) if state.path else None
    if state.path is None or entry is None or entry.kind != EntryKind.SYMLINK:
        return None
    return target_of(state.path, entry).rpartition("/")[2]


def _start_severity(unit_change: UnitChange) -> str:
    """Return the severity of a unit that will start; none if a package shipped it earlier."""
    path = unit_change.now.path
    is_local = path is not None and not path.startswith(("usr/lib/", "lib/"))
    return Severity.NOTE if is_local and not _is_reported_by_file(unit_change) else Severity.NONE


def _is_reported_by_file(unit_change: UnitChange) -> bool:
    """Return whether a fact about the unit's own file already reports other code."""
    return any(_is_own(change.path, change.new) for change in unit_change.changes(UnitRole.FILE))


def _aliases(unit_change: UnitChange) -> list[str]:
    """Return the new aliases of a unit."""
    changes = unit_change.changes(UnitRole.FILE)
    return [f"alias {change.name}" for change in changes if alias_of(change.path, change.new)]


def _file_facts(unit_change: UnitChange, reported: list[Fact]) -> Iterator[Fact]:
    """Yield facts about the unit's own file and its drop-ins."""
    files = [
        change
        for change in unit_change.changes(UnitRole.FILE)
        if _is_own(change.path, change.old) or _is_own(change.path, change.new)
    ]
    dropins = unit_change.changes(UnitRole.DROPIN)
    if not files and not dropins:
        return
    marks = [f"drop-in {change.name}" for change in dropins][:_SHOWN]
    old = _combined(
        unit_change.evidence.old, [(change.path, change.old) for change in files + dropins]
    )
    new = _combined(
        unit_change.evidence.new, [(change.path, change.new) for change in files + dropins]
    )
    dangers = _dangers(old, new)
    if files and not any(_is_own(change.path, change.old) for change in files):
        severity = Severity.HIGH if dangers else _new_unit_severity(unit_change, new)
        instead = ["instead of the package's"] if _hides_vendor(unit_change) else []
        yield unit_change.fact("added", None, new.starts, severity, *dangers, *instead, *marks)
    elif files and not any(_is_own(change.path, change.new) for change in files):
        if not any(fact.kind in ("service.masked", "service.removed") for fact in reported):
            yield unit_change.fact("removed", old.starts, None, Severity.NONE)
    else:
        severity = Severity.NOTE if old.runs != new.runs else Severity.NONE
        keys = different_keys(old, new)
        severity = Severity.HIGH if dangers else severity
        yield unit_change.fact("changed", old.starts, new.starts, severity, *dangers, *marks, *keys)


def _hides_vendor(unit_change: UnitChange) -> bool:
    """Return whether a local unit overrides one in a vendor directory."""
    was, now = unit_change.was.path, unit_change.now.path
    return was is not None and was != now and not was.startswith("etc/")


def _dangers(old: UnitFile, new: UnitFile) -> list[str]:
    """Return the marks of dangerous actions in new commands."""
    known = set(old.runs)
    found = [mark for line in new.runs if line not in known for mark in fetching_marks(line)]
    return list(dict.fromkeys(found))


def _is_own(path: str, entry: Entry | None) -> bool:
    """Return whether this is a unit file: neither an alias nor a mask."""
    if entry is None or entry.is_directory or path.endswith("/default.target"):
        return False
    if entry.kind == EntryKind.SYMLINK and target_of(path, entry).startswith(("usr/lib/", "lib/")):
        return False  # it leads to the file that would be used without it
    return not is_mask(path, entry) and alias_of(path, entry) is None


def _combined(tree: Tree, sides: list[tuple[str, Entry | None]]) -> UnitFile:
    """Return the settings of several files of a unit as one."""
    units = [_own_unit(tree, path, entry) for path, entry in sides]
    return UnitFile(tuple(setting for unit in units for setting in unit.settings))


def _own_unit(tree: Tree, path: str, entry: Entry | None) -> UnitFile:
    return read_through(tree, path) if _is_own(path, entry) else NOTHING


def _new_unit_severity(unit_change: UnitChange, new: UnitFile) -> str:
    suffix = unit_change.unit.rpartition(".")[2]
    return Severity.NOTE if suffix in _RUNNING or new.runs else Severity.NONE


def _link_facts(unit_change: UnitChange, reported: list[Fact]) -> Iterator[Fact]:
    """Yield that more or fewer units want a unit."""
    was, now = unit_change.was.links, unit_change.now.links
    added, removed = set(now - was), set(was - now)
    # a link to /dev/null cancels a package's link
    for change in unit_change.changes(UnitRole.LINK):
        if is_mask(change.path, change.new):
            removed.add(change.path)
        elif is_mask(change.path, change.old):
            added.add(change.path)
    marks = [f"+{_wanting(path)}" for path in sorted(added)]
    marks += [f"-{_wanting(path)}" for path in sorted(removed)]
    if marks and not reported:
        yield unit_change.fact(
            "changed", unit_change.was.word, unit_change.now.word, Severity.NONE, *marks
        )


def _wanting(path: str) -> str:
    """Return `multi-user.target` for a link in its `wants`, the name for an alias."""
    above, _, name = path.rpartition("/")
    parent, _, suffix = above.rpartition("/")[2].rpartition(".")
    return parent if suffix in ("wants", "requires", "upholds") else f"alias {name}"
