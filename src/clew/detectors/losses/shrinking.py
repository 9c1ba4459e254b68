"""Shrinking detector: files that still exist but have lost their content, or most of their records.

* Emptied: no bytes, no records, or only zeros where there was data.
* Shrunk: at least half of the records are gone, or at least a thousand and a fifth (`records.py`).

A warning is raised if nothing can give the old content back.  If git has it, the change is data that
is different, told with a note; but a file of data that is empty and not committed so is a warning
even then: nobody empties a file to keep it.
Sources that git tracks, logs, build output, caches and settings have their own detectors; but
settings that are empty are told here (`emptied_settings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import beginning, data_fact
from clew.detectors.databases.sqlite import MAGIC
from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.config_files import LOCK_FILES
from clew.detectors.losses.audit_names import is_audit_trail
from clew.detectors.losses.builders import is_built, is_compiled
from clew.detectors.losses.copies import Copies
from clew.detectors.losses.data_kinds import (
    AUDIT,
    DATABASE,
    OTHER,
    PROSE,
    RECORDS,
    SECRET,
    SOURCE,
    STATE,
    VALUABLE,
    kind_of,
)
from clew.detectors.losses.emptied_settings import COMMON_SETTINGS, is_emptied
from clew.detectors.losses.file_formats import (
    MAGIC_SIZE,
    format_change,
    has_magic,
)
from clew.detectors.losses.names import NOTHING, what_is
from clew.detectors.losses.places import Places
from clew.detectors.losses.record_places import are_settings, holds_records, is_transient
from clew.detectors.losses.records import Amounts, Records
from clew.detectors.losses.rotated_copies import RotatedCopies
from clew.detectors.repositories.git_contents import GitContents, Keeper
from clew.detectors.repositories.git_tracking import GitTracking
from clew.model.amount import counted, size_text
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_FEW = 3
"""More losses of one kind in one directory are one fact."""
_FEW_COUNTED = 12
"""More files that lost records in one directory are one fact."""
_EVIDENCE = 5
_MAX_EXAMINED = 20_000
_MAX_COUNTED = 200
"""How many files are read to count their records."""
_MAX_ZEROS = 200
_SAMPLE = 4096
_MAX_TRAIL = 64 << 20
"""Lines of larger audit trails are not counted."""
_TEXT_LOST = 1_000
"""An emptied text or anonymous file of this size is a loss."""
_ANONYMOUS_LOST = 100_000
"""An anonymous file of this size that was cut short is a loss."""
_TESTS = frozenset(("test", "tests", "fixtures", "__fixtures__", "testdata", "test-data", "spec"))
_OF_PEOPLE = frozenset(("Bookmarks",))
"""Files of people among those of programs."""
GIT_HAS_IT = "git has it"


class Shrunken(NamedTuple):
    """A file that has lost its content, or most of it."""

    change: PathChange
    kind: str
    """`loss.emptied`, `loss.shrunk`, or `data.changed` if the content is not lost."""
    amounts: Amounts
    severity: str
    marks: tuple[str, ...] = ()
    formats: tuple[str, str] | None = None
    """What it held and what it holds, if that is something else."""


class Shrinking:
    """Reports emptied and shortened files of data."""

    name = "losses/shrinking"
    version = 3
    kinds: tuple[str, ...] = ("loss.emptied", "loss.shrunk", "data.changed")
    watch = WatchedPaths(everything=True, existed=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        candidates = [change for change in changes if _may_have_lost(change)]
        if not candidates:
            return
        examination = _Examination(evidence)
        groups: dict[tuple[str, str, str], list[Shrunken]] = {}
        for change in candidates[:_MAX_EXAMINED]:
            found = examination.result(change)
            if found is not None:
                key = found.kind, found.severity, change.parent
                groups.setdefault(key, []).append(found)
        for group in groups.values():
            if len(group) > _most_alone(group[0]):
                yield _together(group, is_cut=len(candidates) > _MAX_EXAMINED)
            else:
                yield from (_finding(found) for found in group)


def _most_alone(found: Shrunken) -> int:
    """Return how many such losses in one directory are told one by one."""
    if found.kind == "data.changed":
        return _MAX_EXAMINED
    return _FEW if found.kind == "loss.emptied" or not found.amounts.noun else _FEW_COUNTED


def _may_have_lost(change: PathChange) -> bool:
    old, new = change.old, change.new
    if old is None or new is None or not old.is_file or not new.is_file or not old.size:
        return False
    if old.content == new.content:
        return False
    # less than a tenth fewer bytes: no loss of records, but maybe zeros, or lines of an audit trail
    if 10 * new.size <= 9 * old.size:
        return True
    if new.size == old.size:
        name = change.name
        if has_magic(name):
            return True
        return name.endswith(COMMON_SETTINGS) or kind_of(name) in VALUABLE - {DATABASE}
    return has_magic(change.name) or (new.size < old.size and is_audit_trail(change.path))


class _Examination:
    """Examines changed files, within limits."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._records = Records(evidence)
        self._git = evidence.once(GitContents)
        self._tracking = evidence.once(GitTracking)
        self._places = evidence.once(Places)
        self._written = evidence.once(Copies).written
        self._counts_left = _MAX_COUNTED
        self._zeros_left = _MAX_ZEROS
        self._formats_left = _MAX_ZEROS

    def result(self, change: PathChange) -> Shrunken | None:
        """Return what a file has lost, or None."""
        if self._zeros_left < 1 and _size(change.old) == _size(change.new):
            return None
        place = self._places.of(change.parent)
        if place.is_made or (place.is_others and change.name not in _OF_PEOPLE):
            return None
        kind = what_is(place, change.name)
        if kind == NOTHING or not self._is_mine(change, kind):
            return None
        keeper = place.keeper
        is_tracked = keeper is not None and keeper.tracked(change)
        if kind not in VALUABLE and self._is_emptied(change):
            amounts = Amounts(_size(change.old), 0, "")
            return self._judged(change, amounts, keeper if is_tracked else None)
        if kind == SOURCE and (is_tracked or change.new is None or change.new.size):
            return None
        if kind in (RECORDS, OTHER) and is_tracked and not holds_records(change):
            return None
        if kind == RECORDS and are_settings(change.name):
            return None
        other = self._other_format(change)
        if other is not None:
            if is_tracked or self._git.stores(change) or _is_of_tests(change.path):
                return None
            amounts = Amounts(_size(change.old), _size(change.new), "format")
            return Shrunken(change, "loss.shrunk", amounts, Severity.HIGH, formats=other)
        found = self._amounts(change, kind)
        if found is None or not self._is_worth(change, kind, found):
            return None
        if kind == PROSE and is_tracked and not found.is_hardly_left:
            return None
        if kind == AUDIT and self._is_put_aside(change):
            return None
        return self._judged(change, found, keeper if is_tracked else None)

    def _other_format(self, change: PathChange) -> tuple[str, str] | None:
        """Return what a file holds now, if a program overwrote it with something else."""
        if not has_magic(change.name) or self._formats_left < 1 or not _size(change.new):
            return None
        if change.old is not None and change.old.content in self._written:
            return None
        self._formats_left -= 1
        was = beginning(self._evidence.old, change.path, MAGIC_SIZE)
        return format_change(
            change.name, was, beginning(self._evidence.new, change.path, MAGIC_SIZE)
        )

    def _is_emptied(self, change: PathChange) -> bool:
        """Return whether a file of settings was emptied; only some of the same size are read."""
        if change.new is None or (change.new.size and self._zeros_left < 1):
            return False
        self._zeros_left -= bool(change.new.size)
        return is_emptied(self._evidence, change)

    def _is_mine(self, change: PathChange, kind: str) -> bool:
        path = change.path
        if path in self._evidence.claimed or path in self._evidence.owners:
            return False
        if change.new is None or change.name in LOCK_FILES:
            return False
        if is_compiled(change.name, change.new):
            return False
        return not (is_built(change.name, kind, change.new) and self._tracking.ignores(path))

    def _amounts(self, change: PathChange, kind: str) -> Amounts | None:
        old, new = change.old, change.new
        if old is None or new is None or self._is_sqlite(change, kind):
            return None
        if not new.size:
            return Amounts(old.size, 0, "")
        if kind == AUDIT:
            return self._lines(change) if new.size < old.size else None
        if new.size < old.size and kind not in (SECRET, SOURCE, STATE):
            self._counts_left -= 1
            if self._counts_left >= 0:
                return self._records.compare(change, kind)
            return Amounts(old.size, new.size, "")
        return self._zeros(change) if kind in VALUABLE else None

    def _lines(self, change: PathChange) -> Amounts:
        """Return the number of lines of an audit trail, of which each counts."""
        old, new = change.old, change.new
        sizes = old.size if old is not None else 0, new.size if new is not None else 0
        if sizes[0] > _MAX_TRAIL:
            return Amounts(*sizes, "")
        before, after = (
            sum(piece.count(b"\n") for piece in tree.pieces(change.path))
            for tree in (self._evidence.old, self._evidence.new)
        )
        return Amounts(before, after, "line") if after < before else Amounts(*sizes, "")

    def _is_sqlite(self, change: PathChange, kind: str) -> bool:
        if kind not in (DATABASE, OTHER):
            return False
        return next(self._evidence.old.pieces(change.path), b"").startswith(MAGIC)

    def _zeros(self, change: PathChange) -> Amounts | None:
        """Return that a file holds only zeros, as after a crash, if that is so."""
        self._zeros_left -= 1
        if self._zeros_left < 0 or change.old is None:
            return None
        now = beginning(self._evidence.new, change.path, _SAMPLE)
        was = beginning(self._evidence.old, change.path, _SAMPLE)
        is_wiped = len(now) >= 16 and not now.strip(b"\0") and was.strip(b"\0")
        return Amounts(change.old.size, 0, "") if is_wiped else None

    def _is_worth(self, change: PathChange, kind: str, amounts: Amounts) -> bool:
        if kind == OTHER and not amounts.is_empty and amounts.before < _ANONYMOUS_LOST:
            return self._is_document(change) and amounts.is_much_less and amounts.is_tenth_left
        if not amounts.is_empty:
            return kind == AUDIT or amounts.is_much_less
        size = change.old.size if change.old is not None else 0
        return kind in VALUABLE or size >= _TEXT_LOST

    def _is_document(self, change: PathChange) -> bool:
        """Return whether a file of no known kind may be a person's, and not a program's own."""
        if self._evidence.machine and change.path.startswith("var/"):
            return False
        return not change.path.startswith(".") and "/." not in change.path

    def _is_put_aside(self, change: PathChange) -> bool:
        """Return whether an audit trail was rotated: its old content is kept."""
        is_copied = change.old is not None and change.old.content in self._written
        return is_copied or self._evidence.once(RotatedCopies).has(change.path)

    def _judged(self, change: PathChange, amounts: Amounts, keeper: Keeper | None) -> Shrunken:
        kind = "loss.emptied" if amounts.is_empty else "loss.shrunk"
        if change.old is not None and change.old.content in self._written:
            return Shrunken(change, "data.changed", amounts, Severity.NONE, ("copy kept",))
        if keeper is None:
            if is_transient(change.name) or self._git.stores(change):
                return Shrunken(change, "data.changed", amounts, Severity.NOTE, ())
            return Shrunken(change, kind, amounts, Severity.HIGH)
        # zeros have the size of the old content, so that the index proves nothing
        is_meant = _size(change.old) != _size(change.new) and keeper.has_staged(change)
        is_gone = amounts.is_empty or (amounts.is_text and amounts.is_hardly_left)
        if is_gone and not is_meant and not _is_of_tests(change.path):
            return Shrunken(change, kind, amounts, Severity.HIGH, (GIT_HAS_IT,))
        return Shrunken(change, "data.changed", amounts, Severity.NOTE)


def _size(entry: Entry | None) -> int:
    return entry.size if entry is not None else 0


def _is_of_tests(path: str) -> bool:
    return not _TESTS.isdisjoint(path.split("/"))


def _finding(found: Shrunken) -> Finding:
    path = found.change.path
    before, after = found.formats or found.amounts.texts
    if found.kind == "data.changed":
        fact = data_fact("records", path, before, after, (), found.severity)
        return Finding((fact,), (path,))
    fact = Fact(
        found.kind, "file", path, before, after, severity=found.severity,
        evidence=(path,), marks=found.marks,
    )  # fmt: skip
    return Finding((fact,), (path,))


def _together(group: Sequence[Shrunken], *, is_cut: bool) -> Finding:
    """Return the finding about many emptied or shortened files of one directory."""
    paths = [found.change.path for found in group]
    before = sum(found.change.old.size for found in group if found.change.old is not None)
    after = sum(found.change.new.size for found in group if found.change.new is not None)
    is_shrunk = group[0].kind == "loss.shrunk"
    kinds = {kind_of(found.change.name) for found in group} if is_shrunk else set()
    noun = kinds.pop() if len(kinds) == 1 else "file"
    fact = Fact(
        group[0].kind, "files", common_directory(paths) or ".",
        f"{'more than ' * is_cut}{counted(len(paths), noun)}, {size_text(before)}",
        size_text(after) if is_shrunk else None, severity=group[0].severity,
        evidence=tuple(paths[:_EVIDENCE]), marks=group[0].marks,
    )  # fmt: skip
    return Finding((fact,), paths)
