"""Autostart detector: programs run at login, by a desktop, for a device, or by every Python.

systemd, cron and shells have their own detectors; this one covers the rest.
A file that fetches what it runs, or is loaded into every Python, is a warning; any other is a
note.  A file without a program (a udev rule that only sets a mode) is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.fetching import fetching_marks
from clew.detectors.security.security_rules import Alarm, alarm_findings, content, rules_between
from clew.model.fact import Severity

_UDEV = re.compile(rb"\b(?:RUN|PROGRAM|IMPORT)(?:\{\w{1,20}\})?\s{0,4}(?:\+|:|=)?=")
_MODPROBE = re.compile(rb"(?:install|remove)\s")
_DPKG = re.compile(rb"(?:pre|post)-invoke|status-logger")
_AUTOSTART = re.compile(rb"Exec\s{0,4}=")
_PTH = re.compile(rb"import[ \t]")
_ANY = re.compile(rb"")

_BELOW: dict[str, tuple[str, str, re.Pattern[bytes], bool]] = {
    "etc/udev/rules.d": ("udev", "runs for a device", _UDEV, False),
    "etc/modprobe.d": ("modules", "runs with a module", _MODPROBE, False),
    "etc/modules-load.d": ("modules", "loads a module", _ANY, False),
    "etc/update-motd.d": ("login", "runs at each login", _ANY, False),
    "etc/dpkg/dpkg.cfg.d": ("dpkg", "runs around every package", _DPKG, True),
    "etc/xdg/autostart": ("session", "starts with the desktop", _AUTOSTART, False),
}
"""Directories, with scope, meaning, relevant lines, and whether they raise a warning."""
_PYTHON = ("sitecustomize.py", "usercustomize.py")
_LIBRARIES = ("site-packages", "dist-packages")
_VIRTUALENV = ("_virtualenv.pth", b"import _virtualenv")
_MAX_SIZE = 1 << 20


class Autostarts:
    """Reports new programs that run automatically."""

    name = "security/autostart"
    version = 1
    kinds: tuple[str, ...] = ("security.startup",)
    watch = WatchedPaths(
        below=tuple(_BELOW), names=_PYTHON, suffixes=(".pth",), directories=("autostart",)
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        alarms: list[Alarm] = []
        for change in changes:
            if change.new is None or not change.is_content or change.is_directory:
                continue
            if change.path in evidence.owners or change.path in evidence.claimed:
                continue
            with evidence.guarded(change.path):
                alarms += _judge(evidence, change)
        yield from alarm_findings(alarms)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    found = _autostart(change)
    if found is None:
        return
    scope, meaning, relevant, is_severe = found
    rules = rules_between(
        content(evidence.old, path, _MAX_SIZE), content(evidence.new, path, _MAX_SIZE)
    )
    lines = [line for line in rules.added if relevant.search(line)]
    if lines and not _is_fresh_environment(evidence, change):
        dangers = [
            mark for line in lines for mark in fetching_marks(line.decode("utf-8", "replace"))
        ]
        severity = Severity.HIGH if is_severe or dangers else Severity.NOTE
        marks = tuple(dict.fromkeys((meaning, *dangers)))
        yield Alarm("security.startup", scope, path, severity, marks)


def _is_fresh_environment(evidence: Evidence, change: PathChange) -> bool:
    """Return whether this is a file that virtualenv and uv put into each new environment."""
    if change.name != _VIRTUALENV[0] or evidence.new.read(change.path, 64) != _VIRTUALENV[1]:
        return False
    root = change.parent.rpartition("/lib/")[0]
    config = evidence.changes.get(f"{root}/pyvenv.cfg")
    return config is not None and config.is_added


def _autostart(change: PathChange) -> tuple[str, str, re.Pattern[bytes], bool] | None:
    parent, name = change.parent, change.name
    if name in _PYTHON:
        return "python", "runs with every Python", _ANY, True
    if name.endswith(".pth"):
        is_read = parent.rpartition("/")[2] in _LIBRARIES
        return ("python", "runs with every Python", _PTH, True) if is_read else None
    if f"/{parent}".endswith("/.config/autostart") and name.endswith(".desktop"):
        return "session", "starts with the desktop", _AUTOSTART, False
    if parent == "etc/udev/rules.d" and not name.endswith(".rules"):
        return None
    return _BELOW.get(parent)
