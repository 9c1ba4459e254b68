"""Download detector: files that a browser or a program has not received completely.

`*.crdownload`, `*.aria2`, `*.incomplete` and the like are always downloads.  `*.part` and `*.partial`
are also names of templates: those count only if git does not track them and they are no small text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, WatchedPaths
from clew.detectors.repositories.git_tracking import GitTracking
from clew.model.amount import size_text
from clew.model.fact import Fact, Severity

_CERTAIN = (".crdownload", ".aria2", ".incomplete", ".opdownload", ".filepart", ".!qB", ".!ut",
            ".fdmdownload", ".bc!", ".xltd")  # fmt: skip
_AMBIGUOUS = (".part", ".partial", ".download")
_CONTROL = ".aria2"
"""Next to a file that is received, this one says what is missing."""
_SMALL = 64 << 10
_MAX_FACTS = 50


class Downloads:
    """Reports downloads that are incomplete."""

    name = "files/downloads"
    version = 1
    kinds: tuple[str, ...] = ("broken.download",)
    watch = WatchedPaths(suffixes=(*_CERTAIN, *_AMBIGUOUS))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        facts: list[Fact] = []
        claims: list[str] = []
        for change in changes:
            if change.new is None or not change.new.is_file or change.path in evidence.owners:
                continue
            with evidence.guarded(change.path):
                if _is_download(evidence, change):
                    claims.append(change.path)
                    facts.append(_fact(evidence, change))
        if facts:
            yield Finding(tuple(facts[:_MAX_FACTS]), claims)


def _is_download(evidence: Evidence, change: PathChange) -> bool:
    if change.name.endswith(_CERTAIN):
        return True
    if change.new is None or evidence.once(GitTracking).tracks(change.path):
        return False
    if change.new.size >= _SMALL:
        return True
    try:
        content = evidence.new.read(change.path, _SMALL) or b""
    except TooLarge:
        return True
    return b"\0" in content[:8_000]


def _fact(evidence: Evidence, change: PathChange) -> Fact:
    path, old, new = change.path, change.old, change.new
    if path.endswith(_CONTROL):
        path = path.removesuffix(_CONTROL)
        old, new = evidence.old.entry(path), evidence.new.entry(path)
    return Fact(
        "broken.download", "download", path,
        size_text(old.size) if old is not None and old.is_file else None,
        size_text(new.size) if new is not None and new.is_file else None,
        severity=Severity.NOTE, evidence=(change.path,),
    )  # fmt: skip
