"""A new database file is put in place only if it is whole, however little room there is for it.

The free space is swept in small steps around the size of the catalogue, so that each write of a
rebuild and of a backup meets the full disk at some step.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.errors import ClewError
from clew.model.verdict import Verdict
from clew.store import schema
from clew.store.backup import backup
from clew.store.database import Database
from clew.store.layout import Layout
from clew.store.limits import StoreLimits
from clew.store.pages import damaged_pages
from clew.store.rebuild import rebuild
from clew.store.store import Store
from tests.kit import filesystems
from tests.kit.killing import ALL
from tests.store.scratch import QUIET, Scratch

STEP = 8 << 10 if ALL else 56 << 10
TABLES = schema.ANNOTATION_TABLES


class NoReserve(StoreLimits):
    """The reserve would take a quarter of the room, and be given up in the middle."""

    reserve_bytes = 0


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A healthy store that knows much more than its backup does."""
    place = tmp_path_factory.mktemp("kept")
    scratch = Scratch(place, NoReserve())
    for number in range(3):
        scratch.write("file", f"{number}")
        scratch.save(f"before the backup {number}")
    backup(scratch.store)
    for number in range(60):
        scratch.write("file", f"after the backup {number}")
        found = scratch.save("said after the backup " * 80, name=f"name-{number}")
        verdict = Verdict("make test", 0, 5, "fine" * 300, number, "workspace", found.record.state)
        scratch.store.verdicts.add(found.id, verdict)
    scratch.store.settings.set(scratch.context.workspace, "keep-last", "7")
    doomed = next(iter(scratch.moments))
    with scratch.store.database.transaction():
        scratch.store.checkpoints.bury([doomed], purge=False)
    scratch.close()
    (scratch.root / "reserve").unlink(missing_ok=True)  # it would not fit
    return scratch.root


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    if reason := filesystems.missing_for("tmpfs"):
        pytest.skip(reason)
    with filesystems.mounted("tmpfs", tmp_path, 16, "small") as place:
        yield place


def test_a_rebuild_with_little_room_loses_nothing(kept: Path, small: Path) -> None:
    before = _annotations(kept / "catalog.db")
    outcomes = set()
    for free in _steps(kept):
        root = _copied(kept, small, free)
        try:
            rebuild(Layout(str(root), NoReserve()), QUIET)
            outcomes.add("rebuilt")
        except ClewError as error:
            outcomes.add(error.kind)
        (small / "filler").unlink()
        _assert_opens_whole(root, before, free)

    assert outcomes == {"rebuilt", "store-full"}


def test_a_backup_with_little_room_leaves_a_whole_one(kept: Path, small: Path) -> None:
    now, before = _annotations(kept / "catalog.db"), _annotations(kept / "backup/annotations.db")
    outcomes = set()
    for free in _steps(kept):
        root = _copied(kept, small, 3 << 20)
        store = Store.open(str(root), limits=NoReserve())
        _fill(small, free)
        try:
            backup(store)
            outcomes.add("backed up")
        except ClewError as error:
            outcomes.add(error.kind)
        store.close()
        (small / "filler").unlink()

        assert damaged_pages(str(root / "backup/annotations.db")) == [], free
        assert _annotations(root / "backup/annotations.db") in (now, before), free
        assert list((root / "tmp").iterdir()) == [], free

    assert outcomes == {"backed up", "store-full"}


def _steps(kept: Path) -> range:
    return range(0, 4 * (kept / "catalog.db").stat().st_size, STEP)


def _copied(kept: Path, small: Path, free: int) -> Path:
    shutil.rmtree(small / "store", ignore_errors=True)
    shutil.copytree(kept, small / "store")
    _fill(small, free)
    return small / "store"


def _fill(place: Path, leave: int) -> None:
    """Take all the room but so many bytes."""
    (place / "filler").unlink(missing_ok=True)
    space = os.statvfs(place)
    with open(place / "filler", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(space.f_bfree * space.f_frsize - leave, 1))


def _annotations(path: Path) -> dict[str, list[tuple[object, ...]]]:
    database = Database(str(path))
    try:
        return {table: database.execute(f"SELECT * FROM {table}") for table in TABLES}
    finally:
        database.close()


def _assert_opens_whole(root: Path, before: dict[str, list[tuple[object, ...]]], free: int) -> None:
    store = Store.open(str(root), limits=NoReserve())
    try:
        found = {table: store.database.execute(f"SELECT * FROM {table}") for table in TABLES}

        assert found == before, free
        assert store.database.execute("PRAGMA integrity_check") == [("ok",)], free
        assert damaged_pages(str(root / "catalog.db")) == [], free
    finally:
        store.close()
