"""Records of a file: how many there were and are, or its sizes if its format is not known.

Rows, array members, messages, cells, keys and members of archives are counted in both versions, within
a budget of bytes.  For other files the size must do: most bytes of a text are records, so half of it
is much; a binary file may be written more compactly, so nine tenths of it are.
"""

from __future__ import annotations

from clew.detectors.data.archives import archive_members
from clew.detectors.data.data_facts import beginning
from clew.detectors.data.redis import dump_keys
from clew.detectors.data.tabular import table_rows
from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.losses.data_kinds import ARCHIVE, MAIL, OTHER, PROSE
from clew.detectors.losses.packed_formats import npy_rows, npz_rows, sheet_rows
from clew.detectors.losses.record_formats import FORMATS, PLURALS
from clew.model.amount import counted, size_text
from clew.model.named_tuple import NamedTuple

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_SHEETS = (".xlsx", ".xlsm", ".ods")
_PACKED = (".gz", ".xz", ".bz2", ".zst")
_TEXTS = frozenset((*FORMATS, *_TABLES[:4], ".txt", ".md", ".json5", ".tex", ".rst", ".org"))
"""Suffixes of files whose size is proportional to what they say."""
_TEXT_LIMIT = 8 << 20
"""Larger texts are not parsed."""
_PARSED = 24 << 20
"""The total number of bytes that are parsed."""
_SCANNED = 192 << 20
"""The total number of bytes of tables and archives that are read."""

_SAMPLE = 4096

FEW = 20
"""Fewer records than this are no loss unless all of them are gone."""
_LARGE = 4_000
"""Fewer bytes than this are no loss unless all of them are gone."""


class Amounts(NamedTuple):
    """How much a file had and has."""

    before: int
    after: int
    noun: str
    """What was counted; empty for bytes."""
    is_text: bool = False

    @property
    def is_empty(self) -> bool:
        return self.after == 0 and self.before > 0

    @property
    def is_much_less(self) -> bool:
        """Return whether at least half is gone, or a thousand and a fifth."""
        if not self.noun:
            share = 2 if self.is_text else 10
            return self.before >= _LARGE and share * self.after <= self.before
        lost = self.before - self.after
        is_part = lost >= 1_000 and 5 * lost >= self.before
        return self.before >= FEW and (2 * self.after <= self.before or is_part)

    @property
    def is_tenth_left(self) -> bool:
        """Return whether a tenth or less is left, of records or of text."""
        return bool(self.noun or self.is_text) and 10 * self.after <= self.before

    @property
    def is_hardly_left(self) -> bool:
        """Return whether a hundredth or less of much is left."""
        return self.before >= (FEW if self.noun else _LARGE) and 100 * self.after <= self.before

    @property
    def texts(self) -> tuple[str, str]:
        """Return both amounts in words."""
        return self._text(self.before), self._text(self.after)

    def _text(self, number: int) -> str:
        if not self.noun:
            return size_text(number)
        return counted(number, self.noun, PLURALS.get(self.noun, ""))


class Records:
    """Counts records within a budget."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._parse_left = _PARSED
        self._scan_left = _SCANNED

    def compare(self, change: PathChange, kind: str) -> Amounts:
        """Return the amounts of a file that is in both trees."""
        old, new = change.old, change.new
        before, after = old.size if old is not None else 0, new.size if new is not None else 0
        suffix = _suffix(change.name.lower())
        # what is packed shrinks as its content does
        inner = _suffix(change.name.lower().removesuffix(suffix)) if suffix in _PACKED else suffix
        is_text = inner in _TEXTS or kind == PROSE
        if kind == OTHER and not is_text:
            suffix, is_text = self._sniffed(change.path, suffix)
        found = None
        if after:
            with self._evidence.guarded(change.path):
                found = self._counted(change.path, suffix, kind, before + after)
        return found or Amounts(before, after, "", is_text)

    def _sniffed(self, path: str, suffix: str) -> tuple[str, bool]:
        """Return the format of a file whose name does not tell it, and whether it is text."""
        start = beginning(self._evidence.old, path, _SAMPLE)
        if not is_plain_text(start):
            return suffix, False
        # JSON that cannot be read is a program's own
        return (".json", False) if start.lstrip()[:1] in (b"{", b"[") else (suffix, True)

    def _counted(self, path: str, suffix: str, kind: str, size: int) -> Amounts | None:
        if kind == MAIL and suffix not in FORMATS:
            suffix = ".mbox"
        if suffix in FORMATS:
            return self._parsed(path, suffix, size)
        self._scan_left -= size
        if self._scan_left < 0:
            return None
        old, new = self._evidence.old, self._evidence.new
        if suffix in _TABLES:
            before = table_rows(old, path, _size(old, path))
            return _amounts(before, table_rows(new, path, _size(new, path)), "row")
        if suffix == ".rdb":
            return _amounts(dump_keys(old, path, at_least=True), dump_keys(new, path), "key")
        if suffix in (".npy", ".npz", *_SHEETS) and size <= 2 * _TEXT_LIMIT:
            count = npy_rows if suffix == ".npy" else npz_rows if suffix == ".npz" else sheet_rows
            return _amounts(count(old.read(path) or b""), count(new.read(path) or b""), "row")
        if kind == ARCHIVE:
            return _amounts(archive_members(old, path), archive_members(new, path), "file")
        return None

    def _parsed(self, path: str, suffix: str, size: int) -> Amounts | None:
        if size > 2 * _TEXT_LIMIT or size > self._parse_left:
            return None
        self._parse_left -= size
        count, noun = FORMATS[suffix]
        old = count(self._evidence.old.read(path) or b"")
        new = count(self._evidence.new.read(path) or b"")
        if not old or new is None:
            return None
        label = max(old, key=lambda one: (old[one], one))
        return Amounts(old[label], new.get(label, 0), noun) if old[label] else None


def is_plain_text(start: bytes) -> bool:
    """Return whether the first bytes of a file are text in UTF-8."""
    if not start or b"\0" in start:
        return False
    try:
        start[:-4].decode()  # the last letter may be cut
    except UnicodeDecodeError:
        return False
    return True


def _suffix(name: str) -> str:
    return name[name.rfind(".") :] if "." in name else ""


def _amounts(before: int | None, after: int | None, noun: str) -> Amounts | None:
    if before is None or after is None or not before:
        return None
    return Amounts(before, after, noun)


def _size(tree: Tree, path: str) -> int:
    entry = tree.entry(path)
    return entry.size if entry is not None else 0
