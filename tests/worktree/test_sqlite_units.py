"""A SQLite database and its journals are one unit, read between equal stats of all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.entry import Reason
from clew.model.small_objects import Rules
from clew.worktree.sqlite_units import companions, is_companion
from tests.worktree.sink import Hook, Sink, scan_into, settle

HEADER = b"SQLite format 3\x00"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "data.db").write_bytes(HEADER + b"page one")
    (tmp_path / "place" / "data.db-wal").write_bytes(b"frame one")
    (tmp_path / "place" / "other").write_text("nothing to do with it")
    return tmp_path / "place"


@pytest.mark.parametrize("name", [b"data.db", b"data.db-wal", b"data.db-journal"])
def test_every_member_names_the_same_unit(name: bytes) -> None:
    assert companions(name) == (b"data.db", b"data.db-wal", b"data.db-journal")


def test_only_journals_are_companions() -> None:
    assert [is_companion(name) for name in (b"x", b"x-wal", b"x-journal", b"x-shm", b"wal")] == [
        False, True, True, False, False,
    ]  # fmt: skip


def test_a_unit_at_rest_is_stable(place: Path) -> None:
    sink = Sink()

    found = scan_into(place, sink)

    assert found.coverage.unstable == ()
    assert sink.content(sink.entries(found)[b"data.db"]) == HEADER + b"page one"


def _append_to(path: Path, text: bytes, seen: bytes, times: int) -> Hook:
    """Append when content that starts with `seen` was read, the given number of times."""
    left = [times]

    def hook(_: int, content: bytes) -> None:
        if content.startswith(seen) and left[0]:
            left[0] -= 1
            with open(path, "ab") as file:
                file.write(text)

    return hook


def test_a_log_that_grows_after_the_database_was_read_is_read_again(place: Path) -> None:
    sink = Sink(_append_to(place / "data.db-wal", b", frame two", HEADER, 1))

    found = scan_into(place, sink)

    assert found.coverage.unstable == ()
    entries = sink.entries(found)
    assert sink.content(entries[b"data.db-wal"]) == b"frame one, frame two"
    assert entries[b"data.db-wal"].size == 20


def test_a_database_that_changes_after_its_log_was_read_is_read_again(place: Path) -> None:
    sink = Sink(_append_to(place / "data.db", b", page two", b"frame", 1))

    found = scan_into(place, sink)

    assert found.coverage.unstable == ()
    assert sink.content(sink.entries(found)[b"data.db"]) == HEADER + b"page one, page two"


def test_a_unit_that_never_rests_is_said_to_be_unstable(place: Path) -> None:
    sink = Sink(_append_to(place / "data.db-wal", b"+", HEADER, 1000))

    found = scan_into(place, sink)

    assert b"data.db" in found.coverage.unstable
    assert not found.coverage.complete


def test_a_unit_that_never_rests_is_looked_at_again_next_time(place: Path) -> None:
    from clew.worktree.cache import WorktreeCache

    cache = WorktreeCache(str(place.parent / "cache"), "owner")
    sink = Sink(_append_to(place / "data.db-wal", b"+", HEADER, 1000))
    scan_into(place, sink, cache)
    settle()
    sink.hook = None

    found = scan_into(place, sink, cache)

    assert found.coverage.complete
    entries = sink.entries(found)
    assert sink.content(entries[b"data.db-wal"]) == (place / "data.db-wal").read_bytes()
    cache.close()


def test_a_log_that_was_folded_in_meanwhile_is_absent(place: Path) -> None:
    def fold(_: int, content: bytes) -> None:
        if content == HEADER + b"page one":
            (place / "data.db").write_bytes(HEADER + b"page one and two")
            (place / "data.db-wal").unlink()

    sink = Sink(fold)

    found = scan_into(place, sink)

    entries = sink.entries(found)
    assert b"data.db-wal" not in entries
    assert sink.content(entries[b"data.db"]) == HEADER + b"page one and two"
    assert found.coverage.unstable == ()


def test_a_directory_named_like_a_log_is_a_directory(place: Path) -> None:
    (place / "notes-journal").mkdir()
    (place / "notes-journal" / "monday").write_text("x")
    (place / "notes").write_text("y")
    sink = Sink()

    entries = sink.entries(scan_into(place, sink))

    assert {b"notes", b"notes-journal", b"notes-journal/monday"} <= set(entries)


WAL = b"\x37\x7f\x06\x82"


def left_out(place: Path, limit: int) -> set[bytes]:
    sink = Sink()
    entries = sink.entries(scan_into(place, sink, rules=Rules(larger_than=limit)))
    return {path for path, entry in entries.items() if entry.reason == Reason.LARGE}


@pytest.mark.parametrize("large", ["data.db", "data.db-wal"])
def test_a_unit_with_a_file_above_the_limit_is_left_out_whole(place: Path, large: str) -> None:
    (place / "data.db-wal").write_bytes(WAL + b"frame")
    (place / "data.db-shm").write_bytes(b"index")
    (place / large).write_bytes((place / large).read_bytes() + bytes(1000))

    assert left_out(place, 1000) == {b"data.db", b"data.db-wal", b"data.db-shm"}


def test_a_file_that_is_only_named_like_a_journal_is_captured(place: Path) -> None:
    (place / "daily").write_bytes(bytes(1001))
    (place / "daily-journal").write_text("a diary")
    (place / "weekly-wal").mkdir()
    (place / "weekly").write_bytes(bytes(1001))

    assert left_out(place, 1000) == {b"daily", b"weekly"}


def test_an_excluded_database_is_not_captured_because_of_its_log(place: Path) -> None:
    sink = Sink()

    entries = sink.entries(scan_into(place, sink, rules=Rules((b"data.db",))))

    assert entries[b"data.db"].reason == Reason.EXCLUDED
    assert sink.content(entries[b"data.db-wal"]) == b"frame one"
