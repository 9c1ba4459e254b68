"""Sudo detector: sudo, doas and polkit rules that no package ships.

A rule names accounts and commands, neither of which is secret; only the accounts are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.key_names import shown_name
from clew.detectors.security.security_rules import (
    Alarm,
    became_world_writable,
    content,
    examine,
    lines_between,
    word,
)
from clew.model.fact import Severity

_SHOWN = 4
_UNREAD = Alarm("security.sudoers", "sudo", "", Severity.HIGH)


class Sudoers:
    """Reports added and removed privilege rules."""

    name = "security/sudoers"
    version = 1
    kinds: tuple[str, ...] = ("security.sudoers",)
    watch = WatchedPaths(
        paths=("etc/sudoers", "etc/doas.conf", "usr/local/etc/sudoers", "usr/local/etc/doas.conf"),
        below=(
            "etc/sudoers.d", "usr/local/etc/sudoers.d", "etc/doas.d", "etc/polkit-1/rules.d",
            "etc/polkit-1/localauthority", "var/lib/polkit-1/localauthority",
        ),
    )  # fmt: skip

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge, _UNREAD)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    lines = lines_between(content(evidence.old, change.path), content(evidence.new, change.path))
    added = [line for line in map(_rule, lines.added) if line]
    removed = [line for line in map(_rule, lines.removed) if line]
    marks = list(dict.fromkeys(map(_shown, added[:_SHOWN])))
    marks += [f"{len(added) - _SHOWN:,} more rules"] if len(added) > _SHOWN else []
    marks += [f"−{len(removed):,} rules"] if removed else []
    if became_world_writable(change):
        marks.append("writable by others")
    if marks:
        severity = Severity.HIGH if len(marks) > bool(removed) else Severity.NOTE
        yield Alarm("security.sudoers", "sudo", change.path, severity, tuple(marks))


def _rule(line: bytes) -> bytes:
    """Return a rule; `#include` and `#1000` are not comments in sudoers."""
    text = b" ".join(line.split())
    if text.startswith(b"#") and not text.startswith(b"#include") and not text[1:2].isdigit():
        return b""
    return b"" if text.startswith(b"//") else text


def _shown(rule: bytes) -> str:
    """Return the account of a rule, and whether it requires no password."""
    first, _, rest = rule.partition(b" ")
    if first in (b"permit", b"deny"):  # doas names the account last
        words = [one for one in rest.split(b" ") if one not in (b"nopass", b"persist", b"keepenv")]
        first = b" ".join([first, *words[:1]])
    name = shown_name(word(first))
    has_password = (
        b"NOPASSWD" not in rule and b"nopass" not in rule and b"!authenticate" not in rule
    )
    return name if has_password else f"{name} without password"
