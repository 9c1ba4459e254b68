"""Secret detector: secrets in files that git will commit.

A token is recognised by its format or by the name it is assigned to; only that name is shown.
Runs last: claimed files are not read, and at most a few megabytes are.
The file itself is not claimed, because its other content is not explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.repositories.git_tracking import GitTracking
from clew.detectors.repositories.repositories import Repositories
from clew.detectors.security.committed_secrets import committed_secrets
from clew.detectors.security.secret_values import SEARCHED_SIZE, secrets_in
from clew.detectors.security.security_rules import (
    Alarm,
    alarm_findings,
    in_fresh_clone,
    is_dependency,
)
from clew.detectors.security.test_data import is_test_data
from clew.model.fact import Severity

_MAX_BYTES = 4 << 20
_MAX_FILES = 2_000
_SHOWN = 4
_KEY = "a private key"
"""Test data has keys that protect nothing."""


class PlantedSecrets:
    """Reports secrets in files that git will commit."""

    name = "security/secrets"
    version = 2
    kinds: tuple[str, ...] = ("security.secret",)
    watch = WatchedPaths(everything=True, own=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        alarms: list[Alarm] = []
        budget = _SearchBudget()
        committed = {alarm.path for alarm in evidence.once(committed_secrets)}
        for change in _candidates(evidence, changes):
            if change.path in committed:
                continue
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
        if new is None or not new.is_file or not 0 < new.size <= SEARCHED_SIZE:
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


def _new_secrets(evidence: Evidence, change: PathChange) -> list[str]:
    """Return the names of secrets that are new in a file."""
    found = secrets_in(evidence.new.read(change.path, SEARCHED_SIZE) or b"")
    if not found:
        return []
    old = change.old
    is_readable = old is not None and old.is_file and old.size <= SEARCHED_SIZE
    text = (evidence.old.read(change.path) or b"") if is_readable else b""
    new = {secret.name for secret in found if secret.value not in text}
    return sorted(new - {_KEY} if is_test_data(change.path) else new)
