r"""Refs and reflogs: HEAD, branches, other refs, and the log of each.

A ref is a file below `refs/`, or a line of `packed-refs`; the file takes precedence.
A log (`logs/HEAD`, `logs/refs/heads/main`) has one line for each move, the oldest first:

    <old id> <new id> <who> <seconds> <zone>\t<action>: <detail>

An id has 40 digits (SHA-1) or 64 (SHA-256).
Details contain commit messages and URLs, which must not reach a fact unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from clew.detectors.detector import Tree
from clew.model.named_tuple import NamedTuple

SHORT = 8
_ID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_MAX_REFS = 20_000
_MAX_DEPTH = 24
_SMALL = 1 << 12
"""The size limit for ref files and HEAD."""


class LogLine(NamedTuple):
    """One move of a ref."""

    old: str
    """All zeros if the ref did not exist."""
    new: str
    action: str
    """`commit (amend)`, `merge topic`, `checkout`; empty if git recorded no reason."""
    detail: str

    @property
    def verb(self) -> str:
        return self.action.partition(" ")[0]

    @property
    def moves(self) -> bool:
        return self.old != self.new


class Head(NamedTuple):
    """The checked-out branch, or a commit if HEAD is detached."""

    branch: str | None = None
    commit: str | None = None


class Refs:
    """Refs of one git directory in one tree."""

    def __init__(self, tree: Tree, git_dir: str) -> None:
        self._tree = tree
        self._dir = git_dir

    def head(self, below: str = "") -> Head | None:
        """Return the parsed HEAD; `below` is a worktree's directory inside the git directory."""
        content = _read(self._tree, f"{self._dir}/{below}HEAD")
        if content is None:
            return None
        found = content.strip()
        if found.startswith(b"ref:"):
            ref = _text(found[4:].strip())
            return Head(ref.removeprefix("refs/heads/"), self.all.get(ref))
        return Head(None, found.decode("ascii")) if _ID.match(found) else None

    @cached_property
    def all(self) -> dict[str, str]:
        """Every ref's id by its full name."""
        found = dict(_packed(self._tree.read(f"{self._dir}/packed-refs")))
        found.update(self._loose())
        return found

    def below(self, prefix: str) -> dict[str, str]:
        """Return the refs below a prefix, without it."""
        return {
            name[len(prefix) :]: value
            for name, value in self.all.items()
            if name.startswith(prefix)
        }

    def log(self, ref: str) -> bytes:
        return self._tree.read(f"{self._dir}/logs/{ref}") or b""

    def _loose(self) -> Iterator[tuple[str, str]]:
        waiting = [("refs", 0)]
        number = 0
        while waiting and number < _MAX_REFS:
            name, depth = waiting.pop()
            for child, entry in self._tree.entries(f"{self._dir}/{name}").items():
                number += 1
                if entry.is_directory and depth < _MAX_DEPTH:
                    waiting.append((f"{name}/{child}", depth + 1))
                elif entry.is_file and entry.size <= _SMALL:
                    content = _read(self._tree, f"{self._dir}/{name}/{child}") or b""
                    if _ID.match(content.strip()):
                        yield f"{name}/{child}", content.strip().decode("ascii")


def log_lines(content: bytes) -> list[LogLine]:
    """Return the parsed lines of a log; malformed lines are skipped."""
    return [line for raw in content.split(b"\n") if (line := _log_line(raw)) is not None]


def new_log_lines(before: bytes, now: bytes) -> list[LogLine] | None:
    """Return the lines appended since, or None if the old lines are gone.

    Old lines expire, so the old log need not be a prefix of the new one.
    """
    if now.startswith(before):
        return log_lines(now[len(before) :])
    last = before.rstrip(b"\n").rpartition(b"\n")[2]
    at = now.rfind(last)
    return log_lines(now[at + len(last) :]) if at >= 0 else None


def is_none(commit: str) -> bool:
    """Return whether an id of a log is the null id."""
    return not commit.strip("0")


def short(commit: str | None) -> str | None:
    return None if commit is None or is_none(commit) else commit[:SHORT]


def _packed(content: bytes | None) -> Iterator[tuple[str, str]]:
    for line in (content or b"").split(b"\n")[:_MAX_REFS]:
        value, space, name = line.rstrip(b"\r").partition(b" ")
        if space and _ID.match(value):
            yield _text(name), value.decode("ascii")


def _log_line(raw: bytes) -> LogLine | None:
    who, _, message = raw.partition(b"\t")
    ids = who.split(b" ", 2)
    if len(ids) < 3 or not _ID.match(ids[0]) or not _ID.match(ids[1]):
        return None
    action, _, detail = _text(message).partition(": ")
    return LogLine(ids[0].decode("ascii"), ids[1].decode("ascii"), action, detail)


def _read(tree: Tree, path: str) -> bytes | None:
    entry = tree.entry(path)
    if entry is None or not entry.is_file or entry.size > _SMALL:
        return None
    return tree.read(path, _SMALL)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
