"""Secret detector: secrets in files that git will commit.

A token is recognised by its format or by the name it is assigned to; only that name is shown.
Runs last: claimed files are not read, and at most a few megabytes are.
The file itself is not claimed, because its other content is not explained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.key_names import shown_name
from clew.detectors.repositories.git_tracking import GitTracking
from clew.detectors.repositories.repositories import Repositories
from clew.detectors.security.security_rules import (
    Alarm,
    alarm_findings,
    in_fresh_clone,
    is_dependency,
)
from clew.detectors.security.test_data import is_test_data
from clew.model.fact import Severity
from clew.model.named_tuple import NamedTuple

_MAX_FILE_SIZE = 256 << 10
_MAX_BYTES = 4 << 20
_MAX_FILES = 2_000
_SHOWN = 4
_KEY = "a private key"
"""Test data has keys that protect nothing."""

_SHAPES = re.compile(
    rb"(?<![A-Za-z0-9_-])(?:(?P<aws>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])"
    rb"|(?P<github>gh[oprsu]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{40,}+)"
    rb"|(?P<gitlab>glpat-[A-Za-z0-9_-]{20,}+)"
    rb"|(?P<npm>npm_[A-Za-z0-9]{36,}+)"
    rb"|(?P<huggingface>hf_[A-Za-z0-9]{34,}+)"
    rb"|(?P<pypi>pypi-[A-Za-z0-9_-]{60,}+)"
    rb"|(?P<google>AIza[A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])"
    rb"|(?P<slack>xox[abprs]-[A-Za-z0-9-]{20,}+)"
    rb"|(?P<stripe>[rs]k_live_[A-Za-z0-9]{20,}+)"
    rb"|(?P<anthropic>sk-ant-[A-Za-z0-9_-]{40,}+)"
    rb"|(?P<openai>sk-(?:proj-)?[A-Za-z0-9_-]{40,}+))"
)
_HINTS = (b"AKIA", b"ASIA", b"gh", b"glpat-", b"npm_", b"hf_", b"pypi-", b"AIza", b"xox", b"k_live_",
          b"sk-", b"PRIVATE KEY-----")  # fmt: skip
_WORDS = (
    b"secret",
    b"token",
    b"passw",
    b"apikey",
    b"api_key",
    b"api-key",
    b"access_key",
    b"private_key",
)
_ASSIGNMENT = re.compile(
    rb"(?<![\w.-])([\w.-]{0,40}(?:secret|token|passw|api_?-?key|access_?key|private_?key)[\w.-]{0,40}+)"
    rb"[\"']?\s{0,3}[=:]{1,2}>?\s{0,3}[\"']?([A-Za-z0-9+/=_.~-]{20,200}+)(?=[\"'\s,;]|$)",
    re.I | re.M,
)
_EXAMPLES = (
    b"example",
    b"xxxx",
    b"changeme",
    b"your",
    b"placeholder",
    b"dummy",
    b"sample",
    b"00000",
    b"test",
)


class PlantedSecrets:
    """Reports secrets in files that git will commit."""

    name = "security/secrets"
    version = 2
    kinds: tuple[str, ...] = ("security.secret",)
    watch = WatchedPaths(everything=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        alarms: list[Alarm] = []
        budget = _SearchBudget()
        for change in _candidates(evidence, changes):
            if not budget.allows(change):
                break
            with evidence.guarded(change.path):
                names = _new_secrets(evidence, change) if _is_in_git(evidence, change.path) else []
                if names:
                    marks = tuple(names[:_SHOWN])
                    alarms.append(
                        Alarm(
                            "security.secret",
                            "secret",
                            change.path,
                            Severity.NOTE,
                            marks,
                            claims=(),
                        )
                    )
        yield from alarm_findings(alarms)


class _SearchBudget:
    """The remaining read budget."""

    def __init__(self) -> None:
        self._files = _MAX_FILES
        self._bytes = _MAX_BYTES

    def allows(self, change: PathChange) -> bool:
        self._files -= 1
        self._bytes -= change.new.size if change.new is not None else 0
        return self._files >= 0 and self._bytes >= 0


def _candidates(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[PathChange]:
    """Yield small, unclaimed files with changed content outside git directories."""
    skipped_directories: dict[str, bool] = {}
    for change in changes:
        new = change.new
        if new is None or not new.is_file or not 0 < new.size <= _MAX_FILE_SIZE:
            continue
        if not change.is_content or change.path in evidence.owners:
            continue
        parent = change.parent
        if parent not in skipped_directories:
            skipped_directories[parent] = "/.git/" in f"/{parent}/" or is_dependency(change.path)
        if not skipped_directories[parent]:
            yield change


def _is_in_git(evidence: Evidence, path: str) -> bool:
    """Return whether git tracks a file, or would after `git add`."""
    if evidence.once(Repositories).of(path) is None or in_fresh_clone(evidence, path):
        return False
    return not evidence.once(GitTracking).ignores(path)


class _Secret(NamedTuple):
    name: str
    value: bytes


def _new_secrets(evidence: Evidence, change: PathChange) -> list[str]:
    """Return the names of secrets that are new in a file."""
    found = _secrets(evidence.new.read(change.path, _MAX_FILE_SIZE) or b"")
    if not found:
        return []
    old = change.old
    is_readable = old is not None and old.is_file and old.size <= _MAX_FILE_SIZE
    text = (evidence.old.read(change.path) or b"") if is_readable else b""
    new = {secret.name for secret in found if secret.value not in text}
    return sorted(new - {_KEY} if is_test_data(change.path) else new)


def _secrets(text: bytes) -> set[_Secret]:
    if b"\0" in text[:8_000]:
        return set()
    found = set()
    if any(hint in text for hint in _HINTS):
        for match in _SHAPES.finditer(text):
            if not _is_example(match[0]):
                found.add(_Secret(f"a token ({match.lastgroup})", match[0]))
        if b"-----BEGIN " in text and b"PRIVATE KEY-----\n" in text:
            found.add(_Secret(_KEY, b"PRIVATE KEY-----\n"))
    small = text.lower()
    if any(word in small for word in _WORDS):
        for match in _ASSIGNMENT.finditer(text):
            if _looks_random(match[2]):
                name = match[1].decode("ascii", "replace").strip(".-")
                found.add(_Secret(shown_name(name), match[2]))
    return found


def _is_example(value: bytes) -> bool:
    small = value.lower()
    return any(word in small for word in _EXAMPLES)


def _looks_random(value: bytes) -> bool:
    """Return whether a value looks like a key: mixed letters and digits, many distinct ones."""
    if _is_example(value) or value.count(b".") > 2:
        return False
    digits = sum(48 <= byte <= 57 for byte in value)
    letters = sum(65 <= byte <= 90 or 97 <= byte <= 122 for byte in value)
    return digits >= 3 and letters >= 3 and len(set(value)) >= 10
