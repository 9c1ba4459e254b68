"""Cut files: archives, images and tables that begin as such and have no end.

A download, a copy or an upload that broke leaves one under its final name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.detectors.repositories.git_tracking import GitTracking
from clew.detectors.security.test_data import is_test_data
from clew.model.amount import size_text
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_MAX_READ = 60
_SMALLEST = 1_000


class _End(NamedTuple):
    start: bytes
    end: bytes
    within: int
    """The end is in so many of the last bytes."""


_ZIP = _End(b"PK\x03\x04", b"PK\x05\x06", 66_000)
_ENDS: dict[str, _End] = {
    **dict.fromkeys(
        ("zip", "jar", "whl", "apk", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "npz"),
        _ZIP,
    ),
    "png": _End(b"\x89PNG", b"IEND", 4_096),
    "parquet": _End(b"PAR1", b"PAR1", 4),
    "xz": _End(b"\xfd7zXZ", b"YZ", 1_024),
    "pdf": _End(b"%PDF-", b"%%EOF", 4_096),
}
"""How formats begin and end, by the suffix of a name."""


def cut_files(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
    """Yield the files that have no end."""
    left = _MAX_READ
    facts = []
    for change in changes:
        end = _ENDS.get(change.name[change.name.rfind(".") + 1 :])
        if end is None or not _is_looked_at(evidence, change):
            continue
        left -= 1
        if left < 0:
            break
        with evidence.guarded(change.path):
            if _is_cut(evidence, change, end):
                facts.append(_fact(change))
    if facts:
        yield Finding(tuple(facts), tuple(fact.subject for fact in facts))


def _is_looked_at(evidence: Evidence, change: PathChange) -> bool:
    new, path = change.new, change.path
    if new is None or change.old is not None or not new.is_file or new.size < _SMALLEST:
        return False
    if path in evidence.owners or is_generated_or_vendored(path):
        return False
    return not is_test_data(path) and not evidence.once(GitTracking).tracks(path)


def _is_cut(evidence: Evidence, change: PathChange, end: _End) -> bool:
    reader = evidence.new.reader(change.path)
    size = change.new.size if change.new is not None else 0
    if reader is None or not reader.read(0, 8).startswith(end.start):
        return False
    within = min(end.within, size)
    return end.end not in reader.read(size - within, within)


def _fact(change: PathChange) -> Fact:
    size = size_text(change.new.size) if change.new is not None else None
    return Fact(
        "broken.download", "cut", change.path, None, size, severity=Severity.HIGH,
        evidence=(change.path,),
    )  # fmt: skip
