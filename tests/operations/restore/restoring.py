"""What the tests of restores share."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.model.restore_results import RestoreResult
from clew.workspace import Workspace
from clew.worktree.metadata import BLOCKING_FLAGS
from clew.worktree.syscalls import get_inode_flags
from tests.kit.everything import release
from tests.operations.moments import chattr, save
from tests.worktree.sink import settle


@pytest.fixture(autouse=True)
def released(tmp_path: Path) -> Iterator[None]:
    """Whatever a test makes immutable can be deleted afterwards."""
    yield
    if any(map(flags_of, tmp_path.rglob("*"))):
        release(tmp_path)


def flags_of(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return 0
    try:
        return (get_inode_flags(descriptor) or 0) & BLOCKING_FLAGS
    finally:
        os.close(descriptor)


def leaves(result: RestoreResult) -> dict[bytes, str]:
    return {item.path: item.reason for item in result.skipped}


@pytest.fixture
def edited(ws: Workspace, project: Path) -> str:
    """The id of a first moment; since then a file was edited, one made, one deleted."""
    for name in ("edited", "deleted", "moded"):
        (project / name).write_text("first")
    first = save(ws)
    (project / "edited").write_text("second")
    (project / "deleted").unlink()
    (project / "made").write_text("second")
    (project / "moded").chmod(0o600)
    settle()
    return first


def set_flag(change: str, path: Path) -> None:
    try:
        chattr(change, path)
    except subprocess.CalledProcessError:
        pytest.skip("no inode flags here")


def facts_of(path: Path) -> tuple[object, ...]:
    found = path.stat()
    return (
        found.st_ino, found.st_mode, found.st_mtime_ns, path.read_text(), os.listxattr(path),
    )  # fmt: skip
