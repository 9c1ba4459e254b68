"""Older copies: a database whose file was replaced by an earlier version of itself.

Each transaction raises a counter in the header of the file, and nothing lowers it.  A lower counter
in a file with mostly the same pages is an earlier version of it: a backup that was copied back.
In a database with a write-ahead log the counter moves seldom; then nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.detectors.detector import ContentReader, Evidence
from clew.detectors.losses.copies import Copies
from clew.detectors.repositories.git_contents import is_in_git
from clew.model.fact import Fact, Severity
from clew.policy.table_losses import are_more_than_few, has_passing_rows

OLDER_COPY = "replaced by an older copy"

_COUNTER = slice(24, 28)
_SAMPLED = 32
"""How many pages of both versions are compared."""
_HEADER = 100


def is_older_copy(evidence: Evidence, path: str) -> bool:
    """Return whether the file of a database is an earlier version of itself."""
    old, new = evidence.old.reader(path), evidence.new.reader(path)
    if old is None or new is None:
        return False
    before, after = old.read(0, _HEADER), new.read(0, _HEADER)
    if len(before) < _HEADER or len(after) < _HEADER or before[16:18] != after[16:18]:
        return False
    return after[_COUNTER] < before[_COUNTER] and _are_mostly_equal(old, new, after)


def _are_mostly_equal(old: ContentReader, new: ContentReader, header: bytes) -> bool:
    size = int.from_bytes(header[16:18], "big")
    size = 65536 if size == 1 else size
    if size < 512:
        return False
    pages = range(1, min(old.size, new.size) // size)  # the first holds the counter
    sample = pages[:: max(1, len(pages) // _SAMPLED)][:_SAMPLED]
    equal = sum(old.read(page * size, size) == new.read(page * size, size) for page in sample)
    return bool(sample) and 2 * equal >= len(sample)


def as_older_copy(evidence: Evidence, path: str, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts with the mark of an older copy, and warnings about lost rows."""
    is_kept = _has_copy(evidence, path) or is_in_git(evidence, path)
    return [
        fact._replace(
            marks=(OLDER_COPY, *fact.marks),
            severity=_severity(fact) if not is_kept else Severity.NONE,
        )
        for fact in facts
    ]


def _severity(fact: Fact) -> str:
    before, after = fact.before or "", fact.after or ""
    if fact.kind != "table.changed" or not before.isdigit() or not after.isdigit():
        return fact.severity
    is_loss = are_more_than_few(int(before) - int(after)) and not has_passing_rows(fact.subject)
    return Severity.HIGH if is_loss else fact.severity


def _has_copy(evidence: Evidence, path: str) -> bool:
    entry = evidence.old.entry(path)
    return entry is not None and bool(evidence.once(Copies).find({entry.content}))
