"""Files above the size limit: not captured, never touched, and never silently."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption, RestoreBlocked, UncapturedFiles
from clew.model.entry import Reason
from clew.model.restore_results import RestoreResult, SkipReason
from clew.workspace import Workspace
from tests.kit.walker import differences, look
from tests.operations.moments import rescues, save

LIMIT = 1000
SMALL, OTHER = b"s" * 900, b"o" * 800
LARGE = b"L" * 1001


@pytest.fixture
def limited(ws: Workspace) -> Workspace:
    ws.settings.set("exclude-larger-than", str(LIMIT))
    return ws


def too_large(ws: Workspace, ref: str = "@") -> list[bytes]:
    coverage = ws.resolve(ref).record.coverage
    return [item.path for item in coverage.uncovered if item.reason == Reason.LARGE]


def skipped(result: RestoreResult) -> dict[bytes, str]:
    return {item.path: item.reason for item in result.skipped}


# The setting


@pytest.mark.parametrize("value", ["0", "lots", "-1", "0B"])
def test_a_limit_is_a_size_of_at_least_a_byte(ws: Workspace, value: str) -> None:
    with pytest.raises(BadOption):
        ws.settings.set("exclude-larger-than", value)

    assert ws.settings.all()["exclude-larger-than"] == ""


def test_an_empty_limit_is_none(limited: Workspace, project: Path) -> None:
    limited.settings.set("exclude-larger-than", "")
    (project / "file").write_bytes(LARGE)
    save(limited)

    assert too_large(limited) == []


# Capture


def test_a_file_above_the_limit_is_not_captured_and_said_so(
    limited: Workspace, project: Path
) -> None:
    (project / "model.bin").write_bytes(LARGE)
    (project / "just.bin").write_bytes(bytes(LIMIT))
    found = limited.save().checkpoint

    coverage = found.record.coverage
    assert too_large(limited) == [b"model.bin"]
    assert coverage.counts == (("too large", 1),)
    assert coverage.complete
    assert coverage.total_bytes == LIMIT


def test_a_file_above_the_limit_does_not_make_unsaved_changes(
    limited: Workspace, project: Path
) -> None:
    (project / "a").write_text("1")
    save(limited)
    (project / "model.bin").write_bytes(LARGE)

    assert not limited.save(skip_unchanged=True).created
    (project / "model.bin").unlink()
    assert not limited.save(skip_unchanged=True).created


def test_the_live_diff_has_what_is_too_large(limited: Workspace, project: Path) -> None:
    (project / "data").write_bytes(SMALL)
    save(limited)
    (project / "data").write_bytes(LARGE)
    found = limited.diff()

    assert found.changes == ()
    assert found.coverage is not None
    assert found.coverage.counts == (("too large", 1),)


# A file that grows over the limit


def test_a_file_that_grew_over_the_limit_is_not_overwritten(
    limited: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(SMALL)
    (project / "a").write_text("1")
    first = save(limited)
    (project / "data").write_bytes(LARGE)
    (project / "a").write_text("2")
    preview = limited.preview(first)
    result = limited.restore(first)

    assert (project / "data").read_bytes() == LARGE
    assert (project / "a").read_text() == "1"
    assert skipped(result) == {b"data": SkipReason.LARGE}
    assert [(item.path, item.reason) for item in preview.skipped] == [(b"data", SkipReason.LARGE)]
    assert result.verified
    assert not result.is_partial


def test_a_file_that_grew_over_the_limit_is_not_overwritten_when_it_is_chosen(
    limited: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(SMALL)
    first = save(limited)
    (project / "data").write_bytes(LARGE)
    result = limited.restore(first, paths=[str(project / "data")])

    assert (project / "data").read_bytes() == LARGE
    assert skipped(result) == {b"data": SkipReason.LARGE}


def test_moved_out_of_the_way_the_older_content_comes_back(
    limited: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(SMALL)
    first = save(limited)
    (project / "data").write_bytes(LARGE)
    (project / "data").rename(project / "data.large")
    limited.restore(first)

    assert (project / "data").read_bytes() == SMALL
    assert (project / "data.large").read_bytes() == LARGE


def test_without_the_limit_it_is_rescued_and_replaced_and_undone(
    limited: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(SMALL)
    first = save(limited)
    (project / "data").write_bytes(LARGE)
    limited.settings.unset("exclude-larger-than")
    limited.restore(first)
    restored = (project / "data").read_bytes()
    limited.undo()

    assert restored == SMALL
    assert (project / "data").read_bytes() == LARGE


def test_undo_and_redo_leave_it_alone_too(limited: Workspace, project: Path) -> None:
    (project / "a").write_text("1")
    first = save(limited)
    (project / "a").write_text("2")
    (project / "data").write_bytes(LARGE)
    limited.restore(first)
    (project / "data").write_bytes(LARGE + b"more")
    limited.undo()

    assert (project / "data").read_bytes() == LARGE + b"more"
    assert (project / "a").read_text() == "2"
    limited.redo()
    assert (project / "data").read_bytes() == LARGE + b"more"
    assert (project / "a").read_text() == "1"


# A file that shrinks back


def test_a_file_that_shrank_is_captured_again_and_left_alone_by_a_restore(
    limited: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(LARGE)
    first = save(limited)
    (project / "data").write_bytes(SMALL)
    second = save(limited)
    result = limited.restore(first)

    assert too_large(limited, second) == []
    assert (project / "data").read_bytes() == SMALL
    assert skipped(result) == {b"data": SkipReason.LARGE}


def test_grown_and_shrunk_between_two_checkpoints_everything_captured_comes_back(
    limited: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(SMALL)
    first = save(limited)
    (project / "data").write_bytes(LARGE)
    save(limited)
    (project / "data").write_bytes(OTHER)
    third = save(limited)
    limited.restore(first)
    assert (project / "data").read_bytes() == SMALL
    limited.restore(third)

    assert (project / "data").read_bytes() == OTHER


# What a restore would delete


def test_a_file_above_the_limit_and_the_directory_above_it_are_not_removed(
    limited: Workspace, project: Path
) -> None:
    (project / "a").write_text("1")
    first = save(limited)
    (project / "new").mkdir()
    (project / "new" / "model.bin").write_bytes(LARGE)
    (project / "new" / "small").write_text("x")
    result = limited.restore(first)

    assert (project / "new" / "model.bin").read_bytes() == LARGE
    assert not (project / "new" / "small").exists()
    assert skipped(result) == {b"new/model.bin": SkipReason.LARGE}


def test_a_file_above_the_limit_blocks_a_file_in_the_place_of_its_directory(
    limited: Workspace, project: Path
) -> None:
    (project / "x").write_text("1")
    first = save(limited)
    (project / "x").unlink()
    (project / "x").mkdir()
    (project / "x" / "model.bin").write_bytes(LARGE)
    before = look(project)

    with pytest.raises(RestoreBlocked):
        limited.restore(first)

    assert differences(before, look(project)) == []


# A captured file, and then a lower limit


def test_a_captured_file_is_left_alone_once_the_limit_is_lower(
    ws: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(LARGE)
    first = save(ws)
    ws.settings.set("exclude-larger-than", str(LIMIT))
    (project / "data").write_bytes(LARGE + b"more")
    result = ws.restore(first)

    assert (project / "data").read_bytes() == LARGE + b"more"
    assert skipped(result) == {b"data": SkipReason.LARGE}
    ws.settings.unset("exclude-larger-than")
    ws.restore(first)
    assert (project / "data").read_bytes() == LARGE
    ws.undo()
    assert (project / "data").read_bytes() == LARGE + b"more"


@pytest.mark.parametrize("now", [SMALL, None])
def test_what_the_limit_in_force_excludes_is_not_written_so_that_undo_is_exact(
    ws: Workspace, project: Path, now: bytes | None
) -> None:
    (project / "data").write_bytes(LARGE)
    (project / "a").write_text("1")
    first = save(ws)
    ws.settings.set("exclude-larger-than", str(LIMIT))
    (project / "data").unlink()
    if now is not None:
        (project / "data").write_bytes(now)
    (project / "a").write_text("2")
    before = look(project)
    result = ws.restore(first)

    assert skipped(result) == {b"data": SkipReason.LARGE}
    assert result.verified
    ws.undo()
    assert differences(before, look(project)) == []
    ws.settings.unset("exclude-larger-than")
    ws.restore(first)
    assert (project / "data").read_bytes() == LARGE


def test_a_deleted_workspace_comes_back_up_to_the_limit(ws: Workspace, project: Path) -> None:
    (project / "data").write_bytes(LARGE)
    (project / "a").write_text("1")
    first = save(ws)
    ws.settings.set("exclude-larger-than", str(LIMIT))
    shutil.rmtree(project)
    preview = ws.preview(first)
    result = ws.restore(first)

    assert os.listdir(project) == ["a"]
    assert skipped(result) == {b"data": SkipReason.LARGE}
    assert [item.path for item in preview.skipped] == [b"data"]


# Databases


def database(path: Path, rows: int) -> None:
    """Add rows to a database in WAL mode, and leave its log beside it, as a killed program does."""
    aside = path.with_name("aside")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE IF NOT EXISTS t (x TEXT)")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.executemany("INSERT INTO t VALUES (?)", [("x" * 100,)] * rows)
    connection.commit()
    aside.mkdir()
    for name in (path.name, f"{path.name}-wal"):
        shutil.copy(path.with_name(name), aside / name)
    connection.close()
    for name in (path.name, f"{path.name}-wal"):
        shutil.move(aside / name, path.with_name(name))
    aside.rmdir()


def count(path: Path) -> int:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (number,) = connection.execute("SELECT count(*) FROM t").fetchone()
    return int(number)


def test_a_database_and_its_log_are_left_alone_together(ws: Workspace, project: Path) -> None:
    ws.settings.set("exclude-larger-than", "100k")
    path = project / "x.db"
    database(path, 10)
    first = save(ws)
    assert too_large(ws) == []
    database(path, 5000)  # its log is above the limit now
    result = ws.restore(first)
    names = set(skipped(result))

    assert {b"x.db", b"x.db-wal"} <= names
    assert set(skipped(result).values()) == {SkipReason.LARGE}
    assert count(path) == 5010


def test_no_log_is_put_beside_a_larger_database(ws: Workspace, project: Path) -> None:
    ws.settings.set("exclude-larger-than", "100k")
    path = project / "x.db"
    database(path, 10)
    first = save(ws)
    database(path, 5000)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    (project / "x.db-wal").unlink(missing_ok=True)
    result = ws.restore(first)

    assert skipped(result)[b"x.db-wal"] == SkipReason.LARGE
    assert not (project / "x.db-wal").exists()
    assert count(path) == 5010


def test_the_log_of_a_database_that_shrank_is_not_deleted(ws: Workspace, project: Path) -> None:
    ws.settings.set("exclude-larger-than", "100k")
    path = project / "x.db"
    database(path, 5000)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    (project / "x.db-wal").unlink(missing_ok=True)
    first = save(ws)
    path.unlink()
    database(path, 10)
    ws.restore(first)

    assert count(path) == 10


def test_a_diary_beside_a_large_file_is_restored(limited: Workspace, project: Path) -> None:
    (project / "daily").write_bytes(SMALL)
    (project / "daily-journal").write_text("monday")
    first = save(limited)
    (project / "daily").write_bytes(LARGE)
    (project / "daily-journal").write_text("tuesday")
    result = limited.restore(first)

    assert (project / "daily-journal").read_text() == "monday"
    assert skipped(result) == {b"daily": SkipReason.LARGE}


# Forks and merges


@pytest.fixture
def place(limited: Workspace, project: Path, tmp_path: Path) -> Path:
    """The directory of a fork, made of a workspace with a file above the limit."""
    (project / "model.bin").write_bytes(LARGE)
    (project / "data").write_bytes(SMALL)
    (project / "a").write_text("1")
    limited.forks.create(save(limited), str(tmp_path / "fork"), name="fork")
    return tmp_path / "fork"


@pytest.fixture
def fork(place: Path, store: Path) -> Iterator[Workspace]:
    with opening.open(place, store=store) as opened:
        yield opened


def test_a_fork_has_the_limit_and_lacks_what_is_above_it(fork: Workspace, place: Path) -> None:
    assert fork.settings.all()["exclude-larger-than"] == str(LIMIT)
    assert not (place / "model.bin").exists()
    assert (place / "data").read_bytes() == SMALL


def test_adopting_a_fork_leaves_files_above_the_limit_alone(
    limited: Workspace, project: Path, place: Path
) -> None:
    (place / "a").write_text("fork")
    (place / "data").write_bytes(LARGE)
    (place / "new.bin").write_bytes(LARGE)
    result = limited.forks.adopt("fork")

    assert (project / "a").read_text() == "fork"
    assert (project / "model.bin").read_bytes() == LARGE
    assert (project / "data").read_bytes() == SMALL
    assert not (project / "new.bin").exists()
    assert skipped(result) == {b"data": SkipReason.LARGE, b"new.bin": SkipReason.LARGE}


def test_adopting_a_fork_does_not_overwrite_what_grew_here(
    limited: Workspace, project: Path, place: Path
) -> None:
    (place / "data").write_bytes(OTHER)
    (project / "data").write_bytes(LARGE)
    result = limited.forks.adopt("fork")

    assert (project / "data").read_bytes() == LARGE
    assert skipped(result) == {b"data": SkipReason.LARGE}


def test_adopting_a_fork_without_the_limit_takes_nothing_above_ours(
    limited: Workspace, project: Path, place: Path, fork: Workspace
) -> None:
    fork.settings.unset("exclude-larger-than")
    (place / "data").write_bytes(LARGE)
    (place / "a").write_text("fork")
    preview = limited.forks.preview_adopt("fork")
    result = limited.forks.adopt("fork")

    assert (project / "a").read_text() == "fork"
    assert (project / "data").read_bytes() == SMALL
    assert skipped(result) == {b"data": SkipReason.LARGE}
    assert [item.path for item in preview.skipped] == [b"data"]
    limited.settings.unset("exclude-larger-than")
    limited.forks.adopt("fork")
    assert (project / "data").read_bytes() == SMALL  # adopted already, without it


def test_a_fork_with_a_file_above_the_limit_is_not_discarded_without_asking(
    limited: Workspace, place: Path
) -> None:
    (place / "new.bin").write_bytes(LARGE)

    with pytest.raises(UncapturedFiles):
        limited.forks.discard("fork", files=True)

    assert (place / "new.bin").read_bytes() == LARGE


def test_keeping_mine_leaves_what_is_above_the_limit_alone(
    limited: Workspace, project: Path
) -> None:
    (project / "data").write_bytes(SMALL)
    (project / "a").write_text("1")
    first = save(limited)
    (project / "data").write_bytes(OTHER)
    (project / "a").write_text("2")
    save(limited)
    (project / "data").write_bytes(LARGE)
    result = limited.restore(first, keep_mine=True)

    assert (project / "a").read_text() == "1"
    assert (project / "data").read_bytes() == LARGE
    assert skipped(result) == {b"data": SkipReason.LARGE}


def test_the_rescue_does_not_hold_what_is_above_the_limit(
    limited: Workspace, project: Path
) -> None:
    (project / "a").write_text("1")
    first = save(limited)
    (project / "a").write_text("2")
    (project / "model.bin").write_bytes(LARGE)
    limited.restore(first)
    (rescue,) = rescues(limited)

    assert too_large(limited, rescue) == [b"model.bin"]
