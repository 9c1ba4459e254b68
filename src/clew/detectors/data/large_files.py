"""Large file detector: the size of large files that no other detector knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import file_finding, split_crowds, unclaimed_files
from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.model.amount import size_text
from clew.model.entry import Entry

_LARGE = 10_000_000


class LargeFiles:
    """Reports the size of large files."""

    name = "data/large"
    version = 1
    kinds: tuple[str, ...] = ("data.changed",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        large = [change for change in changes if _size(change) >= _LARGE]
        alone, crowded = split_crowds("file", unclaimed_files(evidence, large))
        yield from crowded
        for change in alone:
            before, after = _text(change.old), _text(change.new)
            yield file_finding("file", change.path, before, after, "content changed")


def _size(change: PathChange) -> int:
    return max(entry.size for entry in (change.old, change.new) if entry is not None)


def _text(entry: Entry | None) -> str | None:
    return size_text(entry.size) if entry is not None and entry.is_file else None
