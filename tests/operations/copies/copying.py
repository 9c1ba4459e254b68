"""Short words for tests of copies and of forks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew import opening
from clew.model.checkpoint import Checkpoint, ForkInfo
from clew.monitor import Monitor
from clew.operations.copies.copies import throwaway_copy
from clew.operations.copies.copy_cache import Slots
from clew.workspace import Workspace
from clew.worktree.sandbox_mounts import OverlayCopy
from tests.kit.removing import remove
from tests.kit.tools import require


def small(project: Path, marker: str = "first") -> None:
    """Fill a project with a few files, one of which says which moment it is."""
    (project / "sub").mkdir(exist_ok=True)
    (project / "marker").write_text(marker)
    (project / "sub" / "file").write_text("unchanged\n")
    (project / "sub" / "script").write_text("#!/bin/sh\n")
    (project / "sub" / "script").chmod(0o750)


def saved(ws: Workspace, intent: str = "") -> Checkpoint:
    return ws.save(intent).checkpoint


@contextmanager
def copy_of(ws: Workspace, checkpoint: Checkpoint, *, whole: bool = True) -> Iterator[Path]:
    """Give the directory of a copy; of an overlay, its base."""
    with throwaway_copy(ws._access.context, checkpoint, Monitor(), whole=whole) as copy:
        yield Path(os.fsdecode(copy.base if isinstance(copy, OverlayCopy) else copy.directory))


def require_overlays(place: Path) -> None:
    """Skip the running test where no overlay can be mounted."""
    require("unshare", "mount")
    for name in ("lower", "upper", "work", "merged"):
        (place / "trial" / name).mkdir(parents=True)
    command = "mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged"
    tried = subprocess.run(
        ["unshare", "--mount", "sh", "-c", command], cwd=place / "trial", capture_output=True
    )
    remove(place / "trial")
    if tried.returncode:
        pytest.skip("no overlay can be mounted here")


def slots(ws: Workspace) -> list[str]:
    """Return the names of the copies that are kept."""
    return sorted(slot.name for slot in Slots(ws._access.store.layout.copies).all())


def fork_rows(ws: Workspace) -> list[int]:
    """Return how many rows each table has that a fork adds to."""
    tables = ("workspaces", "forks", "checkpoints", "labels", "trail", "config", "objects", "packs")
    counts = [ws._access.store.database.one(f"SELECT count(*) FROM {table}") for table in tables]
    return [count[0] for count in counts if count is not None]


@pytest.fixture
def grown(ws: Workspace, project: Path, tmp_path: Path) -> ForkInfo:
    """A fork called `login`, in a directory of its own."""
    small(project)
    saved(ws, "before auth")
    return ws.forks.create("@", str(tmp_path / "login")).fork


def work_in_fork(tmp_path: Path, store: Path, text: str, *, save: bool = True) -> None:
    """Change a file in that fork."""
    (tmp_path / "login" / "marker").write_text(text)
    if save:
        with opening.open(tmp_path / "login", store=store) as own:
            own.save(text)
