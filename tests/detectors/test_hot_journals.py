"""Journals of SQLite, written by SQLite, at the moments at which a program may be killed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from clew.detectors.databases.hot_journals import HotJournals
from clew.story.words import phrase
from tests.kit.losses import alarms
from tests.kit.moments import Moment, facts, file, problems

WIPED = b"\0" * 600


def _moments(place: Path, *settings: str, spill: bool = True) -> tuple[Moment, Moment]:
    """Return a database at rest, and in the middle of a transaction."""
    connection = sqlite3.connect(place / "shop.db", isolation_level=None)
    for setting in (*settings, f"PRAGMA cache_size={5 if spill else 5000}"):
        connection.execute(setting)
    connection.execute("CREATE TABLE orders(id INTEGER PRIMARY KEY, year INT, note TEXT)")
    rows = ((2024, f"a note about order {n}") for n in range(20_000))
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO orders(year, note) VALUES (?, ?)", rows)
    connection.execute("COMMIT")
    before = _moment(place)
    connection.execute("BEGIN")
    connection.execute("UPDATE orders SET year = 1")
    during = _moment(place)
    connection.execute("ROLLBACK")
    connection.close()
    return before, during


def _moment(place: Path) -> Moment:
    return {f"data/{path.name}": path.read_bytes() for path in sorted(place.iterdir())}


def test_a_journal_that_must_be_rolled_back_is_a_warning(tmp_path: Path) -> None:
    before, during = _moments(tmp_path)

    (fact,) = facts(HotJournals(), before, during)

    assert (fact.kind, fact.severity) == ("broken.transaction", "high")
    assert phrase("broken", [fact]).short == "data/shop.db: unfinished transaction (journal left)"
    assert facts(HotJournals(), during, {**during, "a": b"1"}) == []
    assert facts(HotJournals(), during, before) == []


def test_a_database_of_tests_is_no_warning(tmp_path: Path) -> None:
    _, during = _moments(tmp_path)
    inside = {path.replace("data/", "tests/"): content for path, content in during.items()}

    assert [fact.severity for fact in facts(HotJournals(), {}, inside)] == ["note"]


def test_a_write_ahead_log_is_normal(tmp_path: Path) -> None:
    before, during = _moments(tmp_path, "PRAGMA journal_mode=WAL")

    assert any(path.endswith("-wal") for path in during)
    assert alarms(before, during) == []


@pytest.mark.parametrize("mode", ["persist", "truncate"])
def test_a_journal_that_its_program_keeps_is_normal(tmp_path: Path, mode: str) -> None:
    before, _ = _moments(tmp_path, f"PRAGMA journal_mode={mode}")

    assert "data/shop.db-journal" in before
    assert facts(HotJournals(), {}, before) == []


def test_a_transaction_that_has_not_written_yet_is_normal(tmp_path: Path) -> None:
    before, during = _moments(tmp_path, spill=False)

    assert facts(HotJournals(), before, during) == []


@pytest.mark.parametrize(
    "journal",
    [b"", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", WIPED, b"canary " * 100, b"\xff" * 600,
     b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\xff" * 600],
)  # fmt: skip
def test_other_files_are_no_journals(journal: bytes) -> None:
    database = {"a.db": b"SQLite format 3\0" + WIPED}

    assert facts(HotJournals(), database, {**database, "a.db-journal": journal}) == []
    assert problems(HotJournals(), database, {**database, "a.db-journal": journal}) == []


def test_a_journal_counts_only_beside_a_database_and_not_in_a_cache(tmp_path: Path) -> None:
    before, during = _moments(tmp_path)
    journal = during["data/shop.db-journal"]

    assert facts(HotJournals(), {}, {"data/my-journal": journal}) == []
    assert facts(HotJournals(), {}, {"shop.db": b"text", "shop.db-journal": journal}) == []
    inside = {path.replace("data/", ".cache/"): content for path, content in during.items()}
    assert facts(HotJournals(), {}, inside) == []
    assert (
        facts(HotJournals(), before, {**during, "data/shop.db-journal": file(size=1 << 40)}) == []
    )
