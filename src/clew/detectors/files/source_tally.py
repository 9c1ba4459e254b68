"""Totals over changed source files of one kind, as marks.

`+14 −2 lines`, `line endings only`, `layout only`, `made executable`, `3 committed`, `documents`,
`in web/src`, or `in proto (3) and README.md`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from clew.detectors.detector import PathChange
from clew.detectors.files.common_directory import common_directory
from clew.detectors.files.line_counts import LineCount, count_lines
from clew.detectors.files.source_git_status import STATUSES
from clew.detectors.files.source_languages import is_document
from clew.model.fact import Fact

_MAX_EVIDENCE = 6
_EXECUTABLE = 0o111
_NAMED = 2
"""So few files are named by the words."""
_DEPTH = 2
_SHARE = 2
"""The part of all files, as a divisor, that one directory must hold to be named."""


class Tally:
    """Files that were all edited, or all added, deleted or renamed."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.claims: list[str] = []
        self._evidence: list[str] = []
        self._origins: list[str] = []
        self._statuses: dict[str, int] = {}
        self._lines = LineCount()
        self._counted = 0
        self._uncounted = 0
        self._endings = 0
        self._spaces = 0
        self._only: dict[str, int] = {}
        self._modes = 0
        self._executable = 0
        self._owners = 0

    def add(self, old: PathChange, new: PathChange, status: str) -> None:
        self.paths.append(new.path)
        self.claims += {old.path: None, new.path: None}
        self._origins.append(old.path)
        if len(self._evidence) < _MAX_EVIDENCE:
            self._evidence += {old.path: None, new.path: None}
        if status:
            self._statuses[status] = self._statuses.get(status, 0) + 1

    def add_metadata(self, change: PathChange) -> None:
        """Count a file whose content is unchanged."""
        was, now = change.old, change.new
        if was is None or now is None:
            return
        gained = bool(now.mode & _EXECUTABLE and not was.mode & _EXECUTABLE)
        self._executable += gained
        self._modes += not gained and was.mode != now.mode
        self._owners += not gained and was.mode == now.mode

    def add_lines(self, before: bytes | None, after: bytes | None, only: str = "") -> None:
        """Count how two versions differ; None for one that was too large to read.

        `only` is what alone is different: `layout`, `comments`.
        """
        if before is None or after is None:
            self._uncounted += 1
            return
        if before and after and _same_but_endings(before, after):
            self._endings += 1
            return
        self._counted += 1
        if only:
            self._only[only] = self._only.get(only, 0) + 1
        else:
            self._spaces += bool(before and after) and before.split() == after.split()
        self._lines = self._lines.plus(count_lines(before, after))

    def fact(self, kind: str, scope: str) -> Fact:
        return Fact(
            kind, scope, scope.partition(":")[2], None, str(len(self.paths)),
            evidence=tuple(self._evidence[:_MAX_EVIDENCE]), marks=tuple(self._marks(scope)),
        )  # fmt: skip

    def _marks(self, scope: str) -> Iterator[str]:
        number = len(self.paths)
        if self._lines != LineCount() and self._uncounted <= self._counted:
            yield str(self._lines)
        if self._endings:
            yield _all_or(self._endings, number, "line endings")
        for what in ("layout", "comments", "imports"):
            if what in self._only:
                yield _all_or(self._only[what], number, what)
        if self._spaces:
            yield _all_or(self._spaces, number, "whitespace")
        if self._executable:
            some = "" if self._executable == number else f"{self._executable:,} "
            yield f"{some}made executable"
        if self._modes:
            yield _all_or(self._modes, number, "mode")
        if self._owners:
            yield _all_or(self._owners, number, "owner")
        for status in STATUSES:
            if status in self._statuses:
                yield f"{self._statuses[status]:,} {status}"
        if self._uncounted:
            few = self._uncounted <= self._counted
            noun = "file" if self._uncounted == 1 else "files"
            yield "lines not counted" + (f" for {self._uncounted:,} {noun}" if few else "")
        if all(is_document(posixpath.basename(path)) for path in self.paths):
            yield "documents"
        yield from self._places(scope.partition(":")[2])

    def _places(self, top: str) -> Iterator[str]:
        place, origin = common_directory(self.paths), common_directory(self._origins)
        if origin and place and origin != place:
            yield f"from {origin}"
            yield f"in {place}"
        elif place and place != top:
            yield f"in {place}"
        elif len(self.paths) > _NAMED and (parts := _parts(self.paths)):
            yield f"in {parts}"


def _all_or(part: int, whole: int, what: str) -> str:
    if part == whole:
        return f"{what} only"
    return f"{what} only in {part:,} file{'' if part == 1 else 's'}"


def _same_but_endings(before: bytes, after: bytes) -> bool:
    return before.replace(b"\r\n", b"\n") == after.replace(b"\r\n", b"\n")


def _parts(paths: list[str]) -> str:
    """Return the directories that hold most files, and the others by number or name."""
    numbers: dict[str, list[str]] = {}
    for path in paths:
        directory = posixpath.dirname(path)
        numbers.setdefault("/".join(directory.split("/")[:_DEPTH]) or ".", []).append(path)
    most = sorted(numbers, key=lambda name: (-len(numbers[name]), name))
    if len(numbers[most[0]]) < max(_NAMED + 1, len(paths) / _SHARE):
        return ""
    rest = [path for name in most[1:] for path in numbers[name]]
    place = common_directory(numbers[most[0]])
    if not rest or not place:
        return ""
    others = posixpath.basename(rest[0]) if len(rest) == 1 else f"{len(rest):,} elsewhere"
    return f"{place} ({len(numbers[most[0]]):,}) and {others}"
