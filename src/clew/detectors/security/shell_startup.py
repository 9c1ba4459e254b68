"""Shell startup detector: `.bashrc` and similar files, `/etc/profile`, `/etc/environment`.

Version managers often write here, so a changed PATH is a note.  Loading a library into every
program, or running a download, is a warning.
A new home is a copy of `/etc/skel`; lines from there are not new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.fetching import FETCHING
from clew.detectors.security.security_rules import (
    Alarm,
    content,
    examine,
    harmless_lines,
    rules_between,
)
from clew.model.fact import Severity

_NAMES = (
    ".bashrc", ".profile", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc",
    ".login", ".xprofile", ".xinitrc", ".xsessionrc", "config.fish",
)  # fmt: skip
_PATHS = (
    "etc/profile", "etc/bash.bashrc", "etc/bashrc", "etc/environment", "etc/zshenv", "etc/zshrc",
    "etc/zprofile", "etc/csh.cshrc", "etc/csh.login", "etc/security/pam_env.conf",
)  # fmt: skip

_SEVERE = (
    (re.compile(rb"\bLD_(?:PRELOAD|AUDIT)\b"), "LD_PRELOAD"),
    *FETCHING,
    (re.compile(rb"(?:^|[;&\s])(?:alias (?:sudo|su|ssh|doas|passwd)=|(?:function )?(?:sudo|su|ssh|doas|passwd)\s?\(\))"), "stands in for sudo or ssh"),
)  # fmt: skip
_NOTED = (
    (re.compile(rb"\bPATH\s?\+?=|\bfish_add_path\b|\bset (?:-\w+ )*PATH\b|\bpath\+?=\("), "PATH"),
    (re.compile(rb"^alias |;\s?alias "), "alias"),
    (re.compile(rb"\beval\b"), "eval"),
    (re.compile(rb"\bLD_LIBRARY_PATH\b"), "LD_LIBRARY_PATH"),
    (re.compile(rb"\b(?:PROMPT_COMMAND|BASH_ENV|PYTHONSTARTUP|NODE_OPTIONS|GIT_SSH_COMMAND|PERL5OPT|RUBYOPT)\b"), "runs more by environment"),
    (re.compile(rb"^(?:\.|source) |(?:&&|;|then)\s?(?:\.|source) "), "reads another file"),
    (re.compile(rb"\b\w{0,10}_proxy=", re.I), "proxy"),
    (re.compile(rb"^(?:nohup|setsid) |[^&>]&$"), "starts something in the background"),
)  # fmt: skip
_LINE = 4_096
_MAX_LINES = 20_000


class ShellStartup:
    """Reports changes of shell startup."""

    name = "security/startup"
    version = 1
    kinds: tuple[str, ...] = (
        "security.startup", "config.added", "config.changed", "config.removed",
    )  # fmt: skip
    watch = WatchedPaths(
        paths=_PATHS,
        below=("etc/profile.d", "etc/zsh", "etc/fish"),
        names=_NAMES,
        directories=("conf.d",),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        unread = Alarm("security.startup", "shell", "", Severity.HIGH)
        yield from examine(evidence, changes, _judge, unread)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    path = change.path
    if not change.is_content or not _is_read_at_start(change):
        return
    if _is_skeleton(evidence, change):
        return  # added or removed with a home, which is reported with its account
    rules = rules_between(_before(evidence, change), content(evidence.new, path))
    added = [line[:_LINE] for line in rules.added[:_MAX_LINES]]
    severe = _found(_SEVERE, added) or (["too long to look into"] if _hides(rules.added) else [])
    noted = _found(_NOTED, added)
    if severe or noted:
        severity = Severity.HIGH if severe else Severity.NOTE
        yield Alarm("security.startup", "shell", path, severity, tuple(severe or noted))
    elif not (
        path.startswith("etc/environment") or path.endswith(".conf")
    ):  # other detectors report keys
        yield harmless_lines(evidence, change)


def _is_read_at_start(change: PathChange) -> bool:
    path = change.path
    if change.name == "config.fish" or "/conf.d/" in path:
        return f"/{path}".find("/fish/") >= 0
    return True


def _is_skeleton(evidence: Evidence, change: PathChange) -> bool:
    """Return whether an added or removed file is an unmodified copy from `/etc/skel`."""
    if (change.is_added or change.is_deleted) and not change.path.startswith("etc/"):
        tree = evidence.new if change.is_added else evidence.old
        entry, skeleton = change.new or change.old, tree.entry(f"etc/skel/{change.name}")
        return bool(entry and skeleton and entry.same_content(skeleton))
    return False


def _before(evidence: Evidence, change: PathChange) -> bytes | None:
    if not change.is_added or change.path.startswith("etc/"):
        return content(evidence.old, change.path)
    return content(evidence.new, f"etc/skel/{change.name}")


def _found(signs: Sequence[tuple[re.Pattern[bytes], str]], lines: list[bytes]) -> list[str]:
    return list(dict.fromkeys(mark for sign, mark in signs for line in lines if sign.search(line)))


def _hides(lines: list[bytes]) -> bool:
    return len(lines) > _MAX_LINES or any(len(line) > _LINE for line in lines)
