"""Commit point: committed checkpoints are complete, others leave nothing harmful."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import StoreDamaged
from clew.model.checkpoint import Checkpoint
from clew.model.story import Story
from clew.store import schema
from clew.store.database import Database
from clew.store.store import Store
from clew.testing import Died, DyingTransport, use_transport
from tests.kit import filesystems
from tests.store.scratch import Scratch


def write_and_be_interrupted(scratch: Scratch, *, committed: bool) -> None:
    with scratch.store.writing() as writer:
        writer.put(1, b"x")
        writer.finish()
        if committed:
            scratch.store.commit_objects(writer)
        raise KeyboardInterrupt


def test_a_save_that_is_interrupted_before_its_commit_takes_its_packs_back(
    scratch: Scratch,
) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_and_be_interrupted(scratch, committed=False)

    assert scratch.packs() == []


def test_an_interruption_right_after_the_commit_takes_nothing_back(scratch: Scratch) -> None:
    """The rows are committed: later saves would rely on packs that are removed now."""
    with pytest.raises(KeyboardInterrupt):
        write_and_be_interrupted(scratch, committed=True)

    assert len(scratch.packs()) == 1
    scratch.assert_whole()


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("change", [1, 2])
def test_a_save_that_dies_loses_only_itself(scratch: Scratch, change: int, after: bool) -> None:
    scratch.write("file", "first")
    scratch.save()
    moments = dict(scratch.moments)
    scratch.write("file", "second")
    use_transport(scratch.store, DyingTransport(scratch.store.transport, change, after=after))
    with pytest.raises(Died):
        scratch.save()
    scratch.reopen()
    timeline = list(scratch.store.checkpoints.newest_first(scratch.context.workspace))

    assert len(timeline) == change  # the second change comes after the commit
    scratch.moments = moments
    scratch.assert_whole()
    scratch.save()
    scratch.assert_whole()


@pytest.mark.parametrize("content", [None, b""], ids=["gone", "empty"])
def test_packs_without_a_catalogue_are_no_empty_timeline(
    scratch: Scratch, content: bytes | None
) -> None:
    scratch.write("file", "x")
    scratch.save()
    scratch.close()
    catalogue = scratch.root / "catalog.db"
    catalogue.unlink()
    if content is not None:
        catalogue.write_bytes(content)

    with pytest.raises(StoreDamaged, match="missing"):
        Store.open(str(scratch.root))
    scratch.store = Store.open(str(Path(scratch.root).with_name("other")), create=True)


def test_the_size_leaves_the_reserve_out(scratch: Scratch) -> None:
    before = scratch.store.size()
    scratch.store.layout.release_reserve()

    assert scratch.store.size() == before


def test_a_store_of_an_unknown_version_is_refused(scratch: Scratch) -> None:
    scratch.store.database.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    scratch.close()
    with pytest.raises(StoreDamaged, match="unknown version"):
        Store.open(str(scratch.root))
    scratch.store = Store.open(str(Path(scratch.root).with_name("other")), create=True)


def age(scratch: Scratch) -> None:
    """Turn the catalogue into one of the first version."""
    columns = "".join(
        f"ALTER TABLE verdicts DROP COLUMN {one};" for one in ("ended", "changed", "details")
    )
    columns += "ALTER TABLE checkpoints DROP COLUMN rule;"
    first = schema.tables_of(1)
    dropped = "".join(
        f"DROP TABLE {one};" for one in schema.tables_of(schema.VERSION) if one not in first
    )
    scratch.store.database.script(f"{columns} {dropped} PRAGMA user_version = 1")
    scratch.close()


def tables(store: Store) -> set[str]:
    rows = store.database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {row[0] for row in rows}


def test_an_older_catalogue_gains_what_it_lacks_when_it_is_opened(scratch: Scratch) -> None:
    scratch.write("file", "x")
    saved = scratch.save("kept")
    age(scratch)
    scratch.open()

    assert {"stories", "forks"} <= tables(scratch.store)
    assert scratch.store.database.one("PRAGMA user_version") == (schema.VERSION,)
    scratch.store.stories.put(saved.id, None, "1", Story("told"))
    assert scratch.store.stories.get(saved.id) is not None
    scratch.assert_whole()


def test_an_older_catalogue_that_cannot_be_written_is_read_as_it_is(
    scratch: Scratch, tmp_path: Path
) -> None:
    if reason := filesystems.missing_for("tmpfs"):
        pytest.skip(reason)
    scratch.write("file", "x")
    saved = scratch.save("kept")
    age(scratch)
    with filesystems.bound(scratch.root, scratch.root, read_only=True):
        _assert_read_as_it_is(scratch, saved)


def _assert_read_as_it_is(scratch: Scratch, saved: Checkpoint) -> None:
    scratch.store = store = Store.open(str(scratch.root))

    assert not store.writable
    assert store.stories.get(saved.id) is None
    assert store.stories.headlines(scratch.context.workspace) == {}
    assert [one.id for one in store.checkpoints.newest_first(scratch.context.workspace)] == [
        saved.id
    ]
    on_disk = Database(store.layout.catalog, writable=False)
    assert on_disk.one("PRAGMA user_version") == (1,)
    on_disk.close()


def test_a_version_below_none_is_refused(scratch: Scratch) -> None:
    scratch.store.database.execute("PRAGMA user_version = -1")
    scratch.close()
    with pytest.raises(StoreDamaged, match="unknown version"):
        Store.open(str(scratch.root))
    scratch.store = Store.open(str(Path(scratch.root).with_name("other")), create=True)
