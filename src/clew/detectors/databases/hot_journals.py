"""Hot journal detector: databases of SQLite that were left in the middle of a transaction.

A rollback journal with a valid header and at least one page in it means that the file of the database
may have pages of a transaction that never ended: its program was killed, or is writing.
The next program that opens the database takes them back, if the journal is still there.
A journal that was begun and never synced, one of `journal_mode=persist` or `truncate`, and a
write-ahead log are normal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import unpack

from clew.detectors.data.app_state import is_app_state
from clew.detectors.data.data_facts import beginning
from clew.detectors.databases.sqlite import MAGIC
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.model.fact import Fact, Severity
from clew.policy.table_losses import is_disposable

_ENDING = "-journal"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER = 28
_MAX_JOURNALS = 200


class HotJournals:
    """Reports journals that must be rolled back."""

    name = "data/hot_journals"
    version = 1
    kinds: tuple[str, ...] = ("broken.transaction",)
    watch = WatchedPaths(everything=True, own=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        journals = [change for change in changes if _may_be_hot(evidence, change)]
        for change in journals[:_MAX_JOURNALS]:
            with evidence.guarded(change.path):
                path = change.path.removesuffix(_ENDING)
                if not beginning(evidence.new, path, len(MAGIC)).startswith(MAGIC):
                    continue
                if _is_hot(evidence.new, change.path) and not _is_hot(evidence.old, change.path):
                    yield Finding((_fact(path, change.path),), (change.path,))


def _may_be_hot(evidence: Evidence, change: PathChange) -> bool:
    new = change.new
    if not change.path.endswith(_ENDING) or new is None or not new.is_file or new.size <= _HEADER:
        return False
    path = change.path.removesuffix(_ENDING)
    return not (path in evidence.owners or is_app_state(path) or is_generated_or_vendored(path))


def _is_hot(tree: Tree, path: str) -> bool:
    header = beginning(tree, path, _HEADER)
    if len(header) < _HEADER or not header.startswith(_JOURNAL_MAGIC):
        return False
    pages, _, _, sector, page = unpack(">5I", header[8:])
    return pages > 0 and _is_size(sector) and _is_size(page)


def _is_size(number: int) -> bool:
    """Return whether a number is a power of two, as sizes of sectors and pages are."""
    return 32 <= number <= 1 << 16 and not number & (number - 1)


def _fact(path: str, journal: str) -> Fact:
    severity = Severity.NOTE if is_disposable(path) else Severity.HIGH
    return Fact(
        "broken.transaction", f"sqlite:{path}", path, severity=severity,
        evidence=(journal, path), marks=("journal left",),
    )  # fmt: skip
