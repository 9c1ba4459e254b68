"""A transcript: what a person types and sees, with what differs from run to run replaced."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.kit.running import Clew

_VARYING = (
    (re.compile(r"^  unseen .*\n", re.MULTILINE), ""),
    # Each machine has other sockets.
    (re.compile(r"^  · Live unix sockets are not reachable: .*\n", re.MULTILINE), ""),
    (re.compile(r"(no live TCP services) or unix sockets"), r"\1"),
    # The log shows seconds if two neighbours have the same minute, and leaves room for them if not.
    (re.compile(r"(?<=[0-9a-f]{8} )\d\d:\d\d(:\d\d|   (?= ))?"), "<time>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "<time>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d [+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "<day>"),
    (re.compile(r"\b\d\d:\d\d\b"), "<time>"),
    (re.compile(r"\b[\d.]+ (ms|s)\b"), "<duration>"),
    (re.compile(r"[\d.]+ k?B (new|read|of(?= \d)|before)\b"), r"<size> \1"),
    (re.compile(r"^(  [a-z]+ +[\d,]+ +)[\d.]+ k?B$", re.MULTILINE), r"\1<size>"),
    (re.compile(r"((?:[Ff]reed|[Ss]ize:?|about) +)[\d.]+ k?B"), r"\1<size>"),
    # On a busy machine one checkpoint has observed less than another, which is one object more.
    (re.compile(r"\d+ objects(, \d+ checkpoints)"), r"<some> objects\1"),
    (re.compile(r"^objects      \d+$", re.MULTILINE), "objects      <some>"),
    (re.compile(r"^  signals .*$", re.MULTILINE), "  signals      <some>"),
    (re.compile(r"[\d.]+ [kMGTP]?B (of disk|are free)"), r"<size> \1"),
    (re.compile(rf"\b{os.getuid()}:{os.getgid()}\b"), "<owner>"),
)
_IDS = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{8})\b")


class Transcript:
    """Collects commands with their output; ids become `<1>`, `<2>` in the order they appear."""

    def __init__(self, clew: Clew) -> None:
        self._clew = clew
        self._ids: list[str] = []
        self._lines: list[str] = []

    def run(self, *words: str, cwd: Path | None = None) -> None:
        """Run one command; standard error is marked with `!`, a failure ends with its code."""
        ran = self._clew.run(*words, cwd=cwd)
        self._lines.append("$ clew " + " ".join(words))
        self._lines += [line.rstrip() for line in self._clean(ran.out).splitlines()]
        self._lines += ["! " + line for line in self._clean(ran.err).splitlines()]
        if ran.code:
            self._lines.append(f"[exit {ran.code}]")

    def quietly(self, *words: str) -> None:
        """Run a command that must work and is not what the page is about."""
        self._clew.ok(*words)

    def matches(self, expected: str) -> bool:
        """Compare with a page, and show the real one where they differ."""
        real = "\n".join(self._lines)
        assert real == expected.strip("\n"), f"The real transcript is:\n{real}"
        return True

    def _clean(self, text: str) -> str:
        workspace, store = self._clew.workspace, self._clew.store
        names = ((workspace, "PROJECT"), (store, "STORE"), (workspace.parent, "PLACE"))
        for path, name in names:
            text = text.replace(str(path), name)
        for pattern, replacement in _VARYING:
            text = pattern.sub(replacement, text)
        return _IDS.sub(self._number, text)

    def _number(self, found: re.Match[str]) -> str:
        short = found[0][:8]
        if short not in self._ids:
            self._ids.append(short)
        return f"<{self._ids.index(short) + 1}>" + ("…" if len(found[0]) > 8 else "")
