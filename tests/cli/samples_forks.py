"""Forks to show: one of each sort, the same in every run."""

from __future__ import annotations

from clew.model.change import ChangeCounts
from clew.model.checkpoint import ForkInfo, Labels, WorkspaceInfo
from clew.model.fork_results import (
    Directory,
    DiscardResult,
    ForkResult,
    ForkStatus,
    GitLink,
    PathReferences,
    ReferenceGroup,
)
from clew.model.ids import short
from clew.model.record import Origin
from clew.model.restore_results import SkippedPath
from tests.cli import samples

_CREATED = samples.NOW - 60 * samples.SECOND

FIRST = samples.checkpoint(
    7,
    Labels(f"forked from {short(samples.NAMED.id)} ({samples.NAMED.labels.name})", "checkpoint-1"),
    changes=ChangeCounts(),
    is_here=True,
)
INFO = WorkspaceInfo(bytes([0x88]) * 16, b"/home/me/login", 43, False, FIRST.id)
FORK = ForkInfo(INFO.uuid, samples.INFO.uuid, samples.NAMED.id, "login", False, _CREATED)

REFERENCES = PathReferences(
    samples.INFO.path,
    (ReferenceGroup(b".venv", 14, (b".venv/bin/pip", b".venv/bin/pip3")),),
    (GitLink(b".git", b"/home/me/main/.git/worktrees/project"),),
)
FORKED = ForkResult(FORK, INFO, samples.NAMED, FIRST, (), 2_100_000_000, references=REFERENCES)
SHORT = FORKED._replace(
    problems=(
        SkippedPath(b"of root", "could not be restored: owner"),
        SkippedPath(samples.HOSTILE_PATH, samples.HOSTILE),
    )
)

CHANGED = samples.checkpoint(
    8,
    Labels("use sessions", "checkpoint-2"),
    origin=Origin.AUTOMATIC,
    changes=ChangeCounts(1, 1),
    verdict=samples.verdict(0),
    is_here=True,
)._replace(headline="src/session.py added")

STANDINGS = (
    ForkStatus(FORK, INFO, samples.NAMED, CHANGED, True, Directory.PRESENT),
    ForkStatus(
        FORK._replace(workspace=bytes([0x99]) * 16, name="fork-1", managed=True),
        INFO._replace(
            uuid=bytes([0x99]) * 16, path=b"/home/me/.local/share/clew/forks/fork-1"
        ),
        samples.NAMED,
        FIRST,
        False,
        Directory.MISSING,
    ),
    ForkStatus(
        FORK._replace(workspace=bytes([0xAA]) * 16, name="update"),
        INFO._replace(uuid=bytes([0xAA]) * 16, path=b"", inode=0),
        None,
        CHANGED._replace(headline=None, verdict=None),
        True,
        Directory.NONE,
    ),
)  # fmt: skip

DISCARDED = DiscardResult(FORK, INFO, 2, removed=True)
