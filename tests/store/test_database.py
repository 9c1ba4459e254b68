"""Database: durable transactions, and verified pages."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import apsw
import pytest

from clew.errors import ClewError, StoreDamaged, StoreReadOnly
from clew.store.database import CHECKSUM_BYTES, CHECKSUM_VFS, Database, load_checksum_vfs
from clew.store.pages import damaged_pages


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a database of some pages, half of them free."""
    path = tmp_path / "catalog.db"
    database = Database(str(path))
    database.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")
    with database.transaction():
        database.execute_many(
            "INSERT INTO t VALUES (?, ?)",
            [(number, random.Random(number).randbytes(400)) for number in range(200)],
        )
    database.execute("DELETE FROM t WHERE k >= 100")
    database.close()
    return path


def delete_and_fail(database: Database, statement: str | None) -> None:
    with database.transaction():
        database.execute("DELETE FROM t")
        if statement is None:
            raise RuntimeError
        database.execute(statement)


def test_a_transaction_that_fails_leaves_nothing(path: Path) -> None:
    database = Database(str(path))
    with pytest.raises(RuntimeError):
        delete_and_fail(database, None)
    with pytest.raises(ClewError):
        delete_and_fail(database, "INSERT INTO nowhere VALUES (1)")

    assert database.one("SELECT count(*) FROM t") == (100,)


def test_two_connections_see_each_other_s_commits(path: Path) -> None:
    first, second = Database(str(path)), Database(str(path))
    with first.transaction():
        first.execute("DELETE FROM t WHERE k = 1")
        before = second.one("SELECT count(*) FROM t")

    assert before == (100,)
    assert second.one("SELECT count(*) FROM t") == (99,)


def test_what_is_deleted_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    database = Database(str(path))
    database.execute("CREATE TABLE t (v TEXT)")
    database.execute("INSERT INTO t VALUES ('a very secret thing')")
    database.execute("DELETE FROM t")
    database.close()

    assert b"a very secret thing" not in path.read_bytes()


def test_a_flipped_bit_in_any_page_is_found_on_that_page(
    path: Path,
) -> None:
    whole = path.read_bytes()
    luck = random.Random(1)
    places = [*range(100), *(luck.randrange(len(whole)) for _ in range(400))]
    assert damaged_pages(str(path)) == []
    for at in places:
        content = bytearray(whole)
        content[at] ^= 1 << (at % 8)
        path.write_bytes(content)

        assert damaged_pages(str(path), retry_pause=0) == [at // 4096 + 1], at


@pytest.mark.parametrize(("size", "page"), [(0, 1), (99, 1), (4095, 1), (4096 * 5 + 7, 6)])
def test_a_cut_file_is_found(path: Path, size: int, page: int) -> None:
    path.write_bytes(path.read_bytes()[:size])

    assert damaged_pages(str(path)) == [page]


def test_a_missing_file_is_damaged(tmp_path: Path) -> None:
    assert damaged_pages(str(tmp_path / "none")) == [1]


def test_reading_a_damaged_page_is_refused(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 + 500] ^= 1
    path.write_bytes(content)
    database = Database(str(path))

    with pytest.raises(StoreDamaged, match="catalogue is damaged"):
        database.execute("SELECT * FROM t")


def test_a_file_that_says_it_has_no_checksums_is_refused(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for bit in range(8):
        content[20] = 8 ^ 1 << bit
        path.write_bytes(content)

        with pytest.raises(StoreDamaged):
            Database(str(path))


def test_rows_before_damage_arrive_one_by_one(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[content.find(random.Random(50).randbytes(400))] ^= 1
    path.write_bytes(content)
    database = Database(str(path))
    found: list[int] = []
    with pytest.raises(StoreDamaged):
        found.extend(row[0] for row in database.stream("SELECT k FROM t ORDER BY k"))

    assert found == list(range(len(found)))
    assert 30 < len(found) <= 50


def test_a_read_only_file_can_be_read_and_not_written(path: Path) -> None:
    database = Database(str(path), writable=False)

    assert database.one("SELECT count(*) FROM t") == (100,)
    with pytest.raises(StoreReadOnly):
        database.execute("DELETE FROM t")


def test_a_place_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClewError):
        Database(str(tmp_path / "none" / "catalog.db"))


def test_whoever_makes_the_same_file_is_waited_for(tmp_path: Path) -> None:
    load_checksum_vfs()
    maker = apsw.Connection(str(tmp_path / "new.db"), vfs=CHECKSUM_VFS)
    maker.reserve_bytes("main", CHECKSUM_BYTES)
    maker.execute("CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(Database, str(tmp_path / "new.db"))
        wait([opening], timeout=0.3)  # without waiting it would have failed long before
        maker.execute("COMMIT")
        database = opening.result()

    assert database.execute("SELECT x FROM t") == [(1,)]
    database.close()
    maker.close()
