"""Facts about one systemd unit whose files or links changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.security.fetching import fetching_marks
from clew.detectors.system.unit_files import NOTHING, UnitFile, different_keys, new_loads
from clew.detectors.system.unit_places import (
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
_RUNNING = ("service", "timer", "socket", "path")
"""Unit types that run something."""


class UnitTouch(NamedTuple):
    """A changed path, and its role for a unit."""

    change: PathChange
    spot: UnitPath


class UnitChange(NamedTuple):
    """One unit whose files or links changed."""

    evidence: Evidence
    scope: str
    unit: str
    touches: list[UnitTouch]
    was: UnitState
    now: UnitState
    is_brought: bool
    """Whether a package of this interval ships it."""

    def fact(
        self, word: str, before: str | None, after: str | None, severity: str, *marks: str
    ) -> Fact:
        return Fact(
            f"service.{word}", self.scope, self.unit, before, after,
            direct=not self.is_brought,
            severity=Severity.NONE if self.is_brought else severity,
            evidence=tuple(touch.change.path for touch in self.touches)[:_SHOWN],
            marks=marks[: _SHOWN + 1],
        )  # fmt: skip

    def changes(self, role: str) -> list[PathChange]:
        return [touch.change for touch in self.touches if touch.spot.role == role]


def is_brought(evidence: Evidence, scope: str, unit: str, touches: Sequence[UnitTouch]) -> bool:
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


def unit_facts(about: UnitChange) -> Iterator[Fact]:
    """Yield the facts about a unit, without repetition."""
    said: list[Fact] = []
    for look in (_state_facts, _file_facts, _link_facts):
        for fact in look(about, said):
            said.append(fact)
            yield fact  # at once: a file that cannot be read costs only its own fact


def load_facts(about: UnitChange) -> Iterator[Fact]:
    """Yield a warning for each file that preloads libraries into a unit."""
    if about.is_brought:
        return
    for change in (*about.changes(UnitRole.FILE), *about.changes(UnitRole.DROPIN)):
        old = _own_unit(about.evidence.old, change.path, change.old)
        new = _own_unit(about.evidence.new, change.path, change.new)
        if names := new_loads(old, new):
            yield Fact(
                "security.preload", about.scope, about.unit,
                severity=Severity.HIGH, evidence=(change.path,), marks=tuple(names),
            )  # fmt: skip


def _state_facts(about: UnitChange, _: list[Fact]) -> Iterator[Fact]:
    was, now = about.was, about.now
    if about.unit == "default.target":
        before, after = _aim(about.evidence.old, was), _aim(about.evidence.new, now)
        yield about.fact("changed", before, after, Severity.NONE)
    elif now.is_masked and not was.is_masked:
        yield about.fact("masked", was.word, "masked", Severity.NONE)
    elif was.is_masked and now.links and not now.is_masked:
        yield about.fact("enabled", "masked", "enabled", _loudness(about), "unmasked")
    elif was.is_masked and not now.is_masked and not _is_told_by_file(about):
        yield about.fact("changed", "masked", now.word, Severity.NONE, "unmasked")
    elif now.links and not was.links and not now.is_masked:
        yield about.fact("enabled", was.word, "enabled", _loudness(about), *_aliases(about))
    elif was.links and not now.links and not now.is_masked:
        yield about.fact("disabled", "enabled", now.word, Severity.NONE)


def _aim(tree: Tree, state: UnitState) -> str | None:
    """Return the unit that default.target links to."""
    entry = tree.entry(state.path) if state.path else None
    if state.path is None or entry is None or entry.kind != EntryKind.SYMLINK:
        return None
    return target_of(state.path, entry).rpartition("/")[2]


def _loudness(about: UnitChange) -> str:
    """Return the severity of a unit that will start; none if a package shipped it earlier."""
    path = about.now.path
    is_local = path is not None and not path.startswith(("usr/lib/", "lib/"))
    return Severity.NOTE if is_local and not _is_told_by_file(about) else Severity.NONE


def _is_told_by_file(about: UnitChange) -> bool:
    """Return whether a fact about the unit's own file already reports other code."""
    return any(_is_own(change.path, change.new) for change in about.changes(UnitRole.FILE))


def _aliases(about: UnitChange) -> list[str]:
    """Return the new aliases of a unit."""
    changes = about.changes(UnitRole.FILE)
    return [f"alias {change.name}" for change in changes if alias_of(change.path, change.new)]


def _file_facts(about: UnitChange, said: list[Fact]) -> Iterator[Fact]:
    """Yield facts about the unit's own file and its drop-ins."""
    files = [
        change
        for change in about.changes(UnitRole.FILE)
        if _is_own(change.path, change.old) or _is_own(change.path, change.new)
    ]
    dropins = about.changes(UnitRole.DROPIN)
    if not files and not dropins:
        return
    marks = [f"drop-in {change.name}" for change in dropins][:_SHOWN]
    old = _combined(about.evidence.old, [(change.path, change.old) for change in files + dropins])
    new = _combined(about.evidence.new, [(change.path, change.new) for change in files + dropins])
    dangers = _dangers(old, new)
    if files and not any(_is_own(change.path, change.old) for change in files):
        loud = Severity.HIGH if dangers else _loudness_of_new(about, new)
        instead = ["instead of the package's"] if _hides_vendor(about) else []
        yield about.fact("added", None, new.starts, loud, *dangers, *instead, *marks)
    elif files and not any(_is_own(change.path, change.new) for change in files):
        if not any(fact.kind == "service.masked" for fact in said):
            yield about.fact("removed", old.starts, None, Severity.NONE)
    else:
        loud = Severity.NOTE if old.runs != new.runs else Severity.NONE
        keys = different_keys(old, new)
        loud = Severity.HIGH if dangers else loud
        yield about.fact("changed", old.starts, new.starts, loud, *dangers, *marks, *keys)


def _hides_vendor(about: UnitChange) -> bool:
    """Return whether a local unit overrides one in a vendor directory."""
    was, now = about.was.path, about.now.path
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


def _loudness_of_new(about: UnitChange, new: UnitFile) -> str:
    suffix = about.unit.rpartition(".")[2]
    return Severity.NOTE if suffix in _RUNNING or new.runs else Severity.NONE


def _link_facts(about: UnitChange, said: list[Fact]) -> Iterator[Fact]:
    """Yield that more or fewer units want a unit."""
    was, now = about.was.links, about.now.links
    came, went = set(now - was), set(was - now)
    for change in about.changes(UnitRole.LINK):  # a link to /dev/null cancels a package's link
        if is_mask(change.path, change.new):
            went.add(change.path)
        elif is_mask(change.path, change.old):
            came.add(change.path)
    marks = [f"+{_wanting(path)}" for path in sorted(came)]
    marks += [f"-{_wanting(path)}" for path in sorted(went)]
    if marks and not said:
        yield about.fact("changed", about.was.word, about.now.word, Severity.NONE, *marks)


def _wanting(path: str) -> str:
    """Return `multi-user.target` for a link in its `wants`, the name for an alias."""
    above, _, name = path.rpartition("/")
    parent, _, suffix = above.rpartition("/")[2].rpartition(".")
    return parent if suffix in ("wants", "requires", "upholds") else f"alias {name}"
