"""A copy is read back before it is believed: what falls short is listed, anything else is no copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from clew.errors import CopyMismatch
from clew.model.checkpoint import Checkpoint
from clew.monitor import Monitor
from clew.operations.copies.materialize_copy import prove
from clew.workspace import Workspace
from clew.worktree.cache import WorktreeCache
from tests.operations.copies.copying import saved, small
from tests.operations.forks.forked import needs_root

Spoil = Callable[[Path], object]


@pytest.fixture
def checkpoint(ws: Workspace, project: Path) -> Checkpoint:
    small(project)
    os.link(project / "marker", project / "sub" / "twin")
    ws.settings.set("exclude", "build")
    (project / "build").mkdir()
    return saved(ws)


@pytest.fixture
def copy(project: Path, checkpoint: Checkpoint, tmp_path: Path) -> Path:
    """A copy by other means, which keeps everything but hard links."""
    ignore = shutil.ignore_patterns("build")
    return Path(shutil.copytree(project, tmp_path / "copy", symlinks=True, ignore=ignore))


def proved(ws: Workspace, checkpoint: Checkpoint, copy: Path) -> list[tuple[bytes, str]]:
    cache = WorktreeCache(str(copy.parent / "cache"), "test")
    with closing(cache):
        found = prove(ws._access.context, checkpoint, os.fsencode(copy), [], cache, Monitor())
    return [tuple(item) for item in found.problems]  # type: ignore[misc]


def relink(copy: Path) -> None:
    moment = (copy / "sub").stat().st_mtime_ns
    (copy / "sub" / "twin").unlink()
    os.link(copy / "marker", copy / "sub" / "twin")
    os.utime(copy / "sub", ns=(moment, moment))


def test_a_faithful_copy_has_no_problems(ws: Workspace, checkpoint: Checkpoint, copy: Path) -> None:
    relink(copy)

    assert proved(ws, checkpoint, copy) == []


def test_lost_links_are_listed(ws: Workspace, checkpoint: Checkpoint, copy: Path) -> None:
    assert proved(ws, checkpoint, copy) == [(b"marker", "could not be restored: links to 1 names")]


def test_what_metadata_is_lost_is_listed_by_its_name(
    ws: Workspace, checkpoint: Checkpoint, copy: Path
) -> None:
    relink(copy)
    (copy / "sub" / "script").chmod(0o644)
    os.utime(copy / "sub" / "script", ns=(0, 5))

    assert proved(ws, checkpoint, copy) == [(b"sub/script", "could not be restored: mode, mtime")]


@needs_root
def test_an_owner_is_metadata_too(ws: Workspace, checkpoint: Checkpoint, copy: Path) -> None:
    relink(copy)
    os.chown(copy / "sub" / "script", 12, 34)

    assert proved(ws, checkpoint, copy) == [(b"sub/script", "could not be restored: owner")]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda copy: (copy / "sub" / "file").write_text("other"),
        lambda copy: (copy / "sub" / "file").unlink(),
        lambda copy: (copy / "sub" / "more").write_text("x"),
        lambda copy: (copy / "build").mkdir(),
        lambda copy: (copy / "sub" / "file").rename(copy / "elsewhere"),
    ],
    ids=["other bytes", "missing", "too much", "what was not covered", "moved"],
)
def test_anything_else_is_no_copy(
    ws: Workspace, checkpoint: Checkpoint, copy: Path, spoil: Spoil
) -> None:
    relink(copy)
    spoil(copy)

    with pytest.raises(CopyMismatch):
        proved(ws, checkpoint, copy)


def test_proving_writes_nothing_to_the_store(
    ws: Workspace, checkpoint: Checkpoint, copy: Path
) -> None:
    before = ws.store.stats()
    proved(ws, checkpoint, copy)

    assert ws.store.stats() == before
