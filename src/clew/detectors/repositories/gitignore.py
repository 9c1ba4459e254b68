"""Gitignore rules: which untracked paths git ignores.

`.gitignore` of every directory from the path up to the repository's root, the innermost first;
then `.git/info/exclude`.  Within a file the last matching line decides; `!` re-includes a path.
Everything in an ignored directory is ignored, and no line can re-include it.
A user's own file (`core.excludesFile`) is outside the repository and is not read.

`clew.model.pattern` parses single patterns; a line that it rejects matches nothing.
Consecutive lines with the same sign are matched together, so a long file needs few matches.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import groupby

from clew.detectors.detector import TooLarge, Tree
from clew.model.named_tuple import NamedTuple
from clew.model.pattern import Patterns, check_pattern

_LIMIT = 1 << 17
_MAX_LINES = 5_000
_MAX_PATTERN_LENGTH = 250
_MAX_WILD = 1 << 15
"""Bytes of wildcard patterns in all files of a repository: these are compiled."""


class IgnoreRules(NamedTuple):
    """Rules of one file."""

    all: Patterns
    """Every pattern, either sign: most paths match none."""
    runs: tuple[tuple[bool, Patterns], ...]
    """Runs of patterns, the last first: whether they ignore, and the patterns."""

    def decision(self, path: bytes, is_directory: bool) -> bool | None:
        """Return whether a path is ignored, or None if no pattern matches."""
        if len(self.runs) > 1 and not self.all.excludes(path, is_directory):
            return None
        for sign, patterns in self.runs:
            if patterns.excludes(path, is_directory):
                return sign
        return None


class Ignored:
    """Ignore rules of one repository in one tree."""

    def __init__(self, tree: Tree, directory: str, git_dir: str) -> None:
        self._tree = tree
        self._root = directory
        self._wild_left = _MAX_WILD
        self._exclude = self._read(f"{git_dir}/info/exclude")
        self._directories: dict[str, bool] = {"": False}
        self._chains: dict[str, tuple[tuple[int, IgnoreRules], ...]] = {}

    def covers(self, path: str) -> bool:
        """Return whether a path, relative to the repository's root, is ignored."""
        parent = posixpath.dirname(path)
        return self._is_ignored_directory(parent) or self._decide(path, is_directory=False)

    def _is_ignored_directory(self, directory: str) -> bool:
        missing: list[str] = []
        while directory not in self._directories:
            missing.append(directory)
            directory = posixpath.dirname(directory)
        ignored = self._directories[directory]
        for path in reversed(missing):
            ignored = ignored or self._decide(path, is_directory=True)
            self._directories[path] = ignored
        return ignored

    def _decide(self, path: str, *, is_directory: bool) -> bool:
        raw = path.encode("utf-8", "surrogateescape")
        for start, rules in self._chain(path.rpartition("/")[0]):
            decision = rules.decision(raw[start:], is_directory)
            if decision is not None:
                return decision
        return bool(self._exclude.decision(raw, is_directory))

    def _chain(self, directory: str) -> tuple[tuple[int, IgnoreRules], ...]:
        """Return the rules for a directory, innermost first, with the offset of relative paths."""
        missing: list[str] = []
        while directory and directory not in self._chains:
            missing.append(directory)
            directory = directory.rpartition("/")[0]
        if directory not in self._chains:
            self._chains[""] = self._own("", 0)
        chain = self._chains[directory]
        for path in reversed(missing):
            size = len(path.encode("utf-8", "surrogateescape"))
            self._chains[path] = chain = (*self._own(path, size + 1), *chain)
        return chain

    def _own(self, directory: str, start: int) -> tuple[tuple[int, IgnoreRules], ...]:
        rules = self._read(posixpath.join(self._root, directory, ".gitignore"))
        return ((start, rules),) if rules.runs else ()

    def _read(self, path: str) -> IgnoreRules:
        try:
            content = self._tree.read(path, _LIMIT)
        except TooLarge:
            content = None
        rules = parse_rules(content or b"", self._wild_left)
        self._wild_left -= sum(map(_wild_size, rules.all.patterns))
        return rules


def parse_rules(content: bytes, wild_limit: int = _MAX_WILD) -> IgnoreRules:
    """Return the rules of one file, with at most `wild_limit` bytes of wildcard patterns."""
    lines: list[tuple[bool, bytes]] = []
    for sign, pattern in _lines(content):
        wild_limit -= _wild_size(pattern)
        if wild_limit >= 0 or not _wild_size(pattern):
            lines.append((sign, pattern))
    runs = [
        (sign, Patterns(pattern for _, pattern in run))
        for sign, run in groupby(lines, key=lambda line: line[0])
    ]
    return IgnoreRules(Patterns(pattern for _, pattern in lines), tuple(reversed(runs)))


def _wild_size(pattern: bytes) -> int:
    return len(pattern) if any(byte in b"*?[\\" for byte in pattern) else 0


def _lines(content: bytes) -> Iterator[tuple[bool, bytes]]:
    """Yield each pattern, and whether it ignores."""
    for raw in content.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_LINES]:
        line = _without_trailing_spaces(raw.removesuffix(b"\r"))
        if not line or line.startswith(b"#") or len(line) > _MAX_PATTERN_LENGTH:
            continue
        sign = not line.startswith(b"!")
        pattern = line if sign else line[1:]
        if pattern.startswith(b"!"):
            pattern = b"\\" + pattern  # only the first `!` negates
        if pattern.startswith(b"/**/"):
            pattern = pattern[1:]
        try:
            check_pattern(pattern)
        except ValueError:
            continue
        yield sign, pattern


def _without_trailing_spaces(line: bytes) -> bytes:
    stripped = line.rstrip(b" ")
    if stripped.endswith(b"\\") and len(stripped) < len(line):
        return line[: len(stripped) + 1]  # `\ ` preserves one space
    return stripped
