"""CI detector: files that a build server runs, and that images are built from.

They run elsewhere and later, usually after a review: a note.  Jobs and steps that came, went or changed
are named.  What makes checks weaker is told by `checks/check_files.py`; a file that it explains has no note
unless something else in it deserves one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.checks.pipeline_steps import step_changes
from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.security.security_rules import (
    Alarm,
    content,
    examine,
    lines_between,
    rules_between,
)
from clew.model.fact import Severity

_NAMES = (
    ".gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml", ".travis.yml",
    "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", "appveyor.yml", ".appveyor.yml",
    "cloudbuild.yaml", "buildspec.yml", ".cirrus.yml", "wercker.yml",
)  # fmt: skip
_IMAGES = ("Dockerfile", "Containerfile", "docker-compose", "compose")
_IMAGE_ENDINGS = ("yml", "yaml")
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


class CiFiles:
    """Reports changes of what a build server runs."""

    name = "security/ci"
    version = 2
    kinds: tuple[str, ...] = ("security.ci",)
    watch = WatchedPaths(
        names=_NAMES, heads=_IMAGES, suffixes=(".Dockerfile",), directories=(".github", *_DIRECTORIES)
    )  # fmt: skip

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from examine(evidence, changes, _judge)


def _judge(evidence: Evidence, change: PathChange) -> Iterator[Alarm]:
    if not change.is_content or not _is_run(change) or change.path in evidence.claimed:
        return
    texts = content(evidence.old, change.path), content(evidence.new, change.path)
    rules = rules_between(*texts)
    if not rules:
        return
    added = b"\n".join(rules.added)
    named = [mark for sign, mark in _NAMED_PATTERNS.items() if sign in added]
    if change.path in evidence.claimed and not named:
        return
    marks = (*_differences(change, *texts), *named)
    yield Alarm("security.ci", "ci", change.path, Severity.NOTE, marks)


def _differences(change: PathChange, old: bytes | None, new: bytes | None) -> tuple[str, ...]:
    """Return the jobs and steps that differ, or the number of lines."""
    if change.is_added or change.is_deleted:
        return ("new",) if change.is_added else ("removed",)
    is_pipeline = change.name.endswith((".yml", ".yaml")) and not change.name.startswith(_IMAGES)
    steps = step_changes(old or b"", new or b"") if is_pipeline else []
    return tuple(steps) or (lines_between(old, new).mark,)


def _is_run(change: PathChange) -> bool:
    """Return whether a build server or an image builder runs a file."""
    name, directories = change.name, change.parent.split("/")
    if name in _NAMES or name.endswith(".Dockerfile"):
        return True
    if name.startswith(_IMAGES):
        is_compose = name.startswith(("docker-compose", "compose"))
        return not is_compose or name.rpartition(".")[2] in _IMAGE_ENDINGS
    if ".github" in directories:
        return "workflows" in directories or "actions" in directories
    return any(one in directories for one in _DIRECTORIES)
