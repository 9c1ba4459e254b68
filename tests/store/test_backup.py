"""Backup of the annotations."""

from __future__ import annotations

import os
import time

import pytest

from clew.errors import ClewError
from clew.store import schema
from clew.store.backup import MAX_AGE_NS, backup, backup_if_due
from clew.store.database import Database
from clew.store.pages import damaged_pages
from tests.store.scratch import Scratch


def test_a_backup_holds_every_annotation(scratch: Scratch) -> None:
    scratch.write("file", "x")
    scratch.save("intent", name="a-name")
    scratch.bury(scratch.save("deleted"))
    backup(scratch.store)
    copy = Database(scratch.store.layout.backup)
    tables = ("meta", *schema.ANNOTATION_TABLES)
    here = [scratch.store.database.execute(f"SELECT * FROM {table}") for table in tables]
    there = [copy.execute(f"SELECT * FROM {table}") for table in tables]
    copy.close()

    assert here == there
    assert len(there[tables.index("checkpoints")]) == 2
    assert damaged_pages(scratch.store.layout.backup) == []
    assert os.stat(scratch.store.layout.backup).st_mode & 0o777 == 0o600


def test_a_file_with_fewer_bytes_than_its_size_is_damaged() -> None:
    path = "/sys/kernel/uevent_seqnum"  # the kernel says 4096 and gives a line
    if not os.path.exists(path):
        pytest.skip(f"there is no {path}")

    assert damaged_pages(path) == [1]


def test_every_table_is_an_annotation_or_comes_back_from_the_packs(scratch: Scratch) -> None:
    rows = scratch.store.database.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )

    assert {row[0] for row in rows} == {"meta", "packs", "objects", *schema.ANNOTATION_TABLES}


def test_a_backup_is_made_when_there_is_none_and_once_an_hour(scratch: Scratch) -> None:
    made = [backup_if_due(scratch.store), backup_if_due(scratch.store)]
    old = time.time_ns() - MAX_AGE_NS - 1
    os.utime(scratch.store.layout.backup, ns=(old, old))
    made.append(backup_if_due(scratch.store))

    assert made == [True, False, True]
    assert list((scratch.root / "tmp").iterdir()) == []
    assert [path.name for path in (scratch.root / "backup").iterdir()] == ["annotations.db"]


def test_a_backup_from_the_future_is_replaced(scratch: Scratch) -> None:
    backup(scratch.store)
    future = time.time_ns() + MAX_AGE_NS
    os.utime(scratch.store.layout.backup, ns=(future, future))

    assert backup_if_due(scratch.store)


def test_a_damaged_catalogue_never_replaces_a_good_backup(scratch: Scratch) -> None:
    for number in range(30):
        scratch.write("file", f"{number}")
        scratch.save("an intent that takes some room " * 20)
    backup(scratch.store)
    before = (scratch.root / "backup" / "annotations.db").read_bytes()
    scratch.close()
    content = bytearray((scratch.root / "catalog.db").read_bytes())
    content[content.find(b"takes some room")] ^= 1
    (scratch.root / "catalog.db").write_bytes(content)
    scratch.open()
    with pytest.raises(ClewError):
        backup(scratch.store)
    os.utime(scratch.store.layout.backup, ns=(0, 0))

    assert not backup_if_due(scratch.store)
    assert (scratch.root / "backup" / "annotations.db").read_bytes() == before
    assert list((scratch.root / "tmp").iterdir()) == []
