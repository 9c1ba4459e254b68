"""CI detector: files that a build server runs.

They run elsewhere and later, usually after a review: a note.  One that runs code for requests of
strangers, with the rights of the repository, is a warning, and so is one that runs a program from a
host that is not known for it.  What makes checks weaker is told by
`checks/checks.py`; a file that it explains has no note unless something else in it deserves one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.fetched_programs import Fetches, fetches
from clew.detectors.security.security_rules import (
    Alarm,
    content,
    examine,
    lines_between,
    rules_between,
)
from clew.detectors.security.workflow_changes import workflow_changes
from clew.model.fact import Severity

_NAMES = (
    ".gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml", ".travis.yml",
    "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", "appveyor.yml", ".appveyor.yml",
    "cloudbuild.yaml", "buildspec.yml", ".cirrus.yml", "wercker.yml",
)  # fmt: skip
_DIRECTORIES = (".circleci", ".buildkite", ".woodpecker", ".gitea", ".forgejo")
_NAMED_PATTERNS = {
    b"pull_request_target": "pull_request_target",
    b"self-hosted": "self-hosted",
    b"secrets.": "uses secrets",
    b"write-all": "write-all",
    b"curl ": "runs curl",
    b"privileged": "privileged",
    b"/var/run/docker.sock": "docker.sock",
}
"""Patterns that are named if a new line matches."""
_SENDS = rb"\b(?:curl|wget|nc|ncat|Invoke-WebRequest|iwr)\b"
_ALL = rb"(?:toJSON\(\s*secrets\s*\)|\$\(\s*(?:env|printenv)\s*\)|\bprintenv\b|@\.env\b)"
_ALL_SECRETS = re.compile(
    _SENDS + rb"[^\n]{0,500}?" + _ALL + rb"|" + _ALL + rb"[^\n]{0,500}?" + _SENDS
    + rb"|(?:^|[\s;&|])env\s*\|[^\n]{0,200}?" + _SENDS,
    re.I,
)  # fmt: skip


class CiFiles:
    """Reports changes of what a build server runs."""

    name = "security/ci"
    version = 4
    kinds: tuple[str, ...] = ("security.ci",)
    watch = WatchedPaths(names=_NAMES, directories=(".github", *_DIRECTORIES))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    if not change.is_content or not _is_run(change):
        return
    texts = content(evidence.old, change.path), content(evidence.new, change.path)
    rules = rules_between(*texts)
    if not rules:
        return
    found = workflow_changes(change.name, *texts)
    added = b"\n".join(rules.added)
    named = [mark for sign, mark in _NAMED_PATTERNS.items() if sign in added]
    program = fetches(rules.added) if change.old is not None else Fetches()
    severity = Severity.HIGH if program.severity == Severity.HIGH else found.severity
    gives_away = _ALL_SECRETS.search(added) is not None
    severity = Severity.HIGH if gives_away else severity
    if change.path in evidence.claimed and not named and severity != Severity.HIGH:
        return
    state = "new" if change.is_added else "removed" if change.is_deleted else ""
    marks = [state] if state else [*found.marks] or [lines_between(*texts).mark]
    marks = [program.mark, *marks] if program.mark else marks
    marks = ["sends every secret elsewhere", *marks] if gives_away else marks
    said = " ".join(marks)
    marks += [mark for mark in named if mark not in said]
    yield Alarm("security.ci", "ci", change.path, severity, tuple(marks))


def _is_run(change: PathChange) -> bool:
    """Return whether a build server runs a file."""
    name, directories = change.name, change.parent.split("/")
    if name in _NAMES:
        return True
    if ".github" in directories:
        return "workflows" in directories or "actions" in directories
    return any(one in directories for one in _DIRECTORIES)
