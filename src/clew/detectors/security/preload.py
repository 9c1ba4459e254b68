"""Preload detector: libraries loaded into every program, and the library search path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.security_rules import (
    Alarm,
    content,
    examine,
    harmless_lines,
    rules_between,
    word,
)
from clew.model.fact import Severity

_PRELOAD = ("etc/ld.so.preload", "etc/ld-musl-x86_64.path", "etc/ld-musl-aarch64.path")
_SHOWN = 4
_UNREAD = Alarm("security.preload", "loader", "", Severity.HIGH)


class Preload:
    """Reports newly loaded libraries and search directories."""

    name = "security/preload"
    version = 1
    kinds: tuple[str, ...] = ("security.preload", "config.changed", "config.removed")
    watch = WatchedPaths(paths=(*_PRELOAD, "etc/ld.so.conf"), below=("etc/ld.so.conf.d",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge, _UNREAD)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    lines = rules_between(content(evidence.old, path), content(evidence.new, path))
    if lines.added:
        is_preload = path in _PRELOAD
        sign = "+" if is_preload else "library path "
        marks = [sign + word(line) for line in lines.added[:_SHOWN]]
        more = len(lines.added) - _SHOWN
        marks += [f"{more:,} more"] if more > 0 else []
        severity = Severity.HIGH if is_preload else Severity.NOTE
        yield Alarm("security.preload", "loader", path, severity, tuple(marks))
    elif lines.removed:
        yield harmless_lines(evidence, change)
