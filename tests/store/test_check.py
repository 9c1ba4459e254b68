"""Integrity check: finds a flipped byte anywhere, with its place and the affected checkpoints."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from clew.errors import StoreDamaged
from clew.model.ids import short
from clew.model.results import CheckResult, Damage
from clew.monitor import Monitor
from clew.operations.maintenance.check import check_root
from clew.store.backup import backup
from clew.store.check import check
from clew.store.store import Store
from clew.testing import RecordingTransport, use_transport
from tests.store.scratch import QUIET, Scratch


@pytest.fixture
def saved(scratch: Scratch) -> Scratch:
    """Return a reopened store with two checkpoints of a few files, one of them large."""
    scratch.noise("large", (1 << 20) + 5000)
    scratch.write("directory/file", "first")
    scratch.save()
    scratch.write("directory/file", "second")
    scratch.save()
    backup(scratch.store)
    scratch.reopen()
    return scratch


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << (at % 8)
    path.write_bytes(content)


def test_a_whole_store_is_whole(saved: Scratch) -> None:
    result = saved.check()

    assert result.whole
    assert result.notes == ()
    assert (result.packs, result.checkpoints) == (2, 2)
    assert result.objects == saved.store.database.execute("SELECT count(*) FROM objects")[0][0]
    assert result.read_bytes > 1 << 20


def test_an_empty_store_is_whole(scratch: Scratch) -> None:
    assert scratch.check() == CheckResult((), (), 0, 0, 0, 0)


def test_a_quick_check_reads_the_outlines_only(saved: Scratch) -> None:
    recording = RecordingTransport(saved.store.transport)
    use_transport(saved.store, recording)
    result = saved.check(read_data=False)

    assert result.whole
    assert result.read_bytes < 10_000


def test_a_flipped_byte_anywhere_in_a_pack_is_located(saved: Scratch) -> None:
    pack = min(saved.packs(), key=lambda path: path.stat().st_size)
    whole = pack.read_bytes()
    for at in {*range(0, len(whole), 5), *range(60), len(whole) - 1}:
        flip(pack, at)
        saved.store.objects.forget()
        damages = saved.check().damages
        pack.write_bytes(whole)

        assert damages, at
        assert all(pack.name in damage.location for damage in damages), (at, damages)
    assert saved.check().whole


def test_damaged_content_names_the_checkpoints_that_need_it(saved: Scratch) -> None:
    first, second = saved.moments
    content = random.Random("large").randbytes(5000)[2000:2020]
    (pack,) = (path for path in saved.packs() if content in path.read_bytes())
    flip(pack, pack.read_bytes().find(content))
    (damage,) = saved.check().damages

    assert damage.description == "stored bytes do not match their checksum"
    assert damage.location.startswith(f"packs/{pack.name} at ")
    assert damage.checkpoints == (short(first), short(second))
    assert saved.check(read_data=False).whole, "content is only read when asked to"


def test_only_those_who_need_it_are_named(saved: Scratch) -> None:
    _, second = saved.moments
    pack = min(saved.packs(), key=lambda path: path.stat().st_size)
    pack.write_bytes(b"")
    result = saved.check(read_data=False)

    assert {damage.location.split(" ")[0] for damage in result.damages} == {f"packs/{pack.name}"}
    assert {name for damage in result.damages for name in damage.checkpoints} == {short(second)}


def test_a_missing_pack_is_named_once(saved: Scratch) -> None:
    first, second = map(short, saved.moments)
    pack = max(saved.packs(), key=lambda path: path.stat().st_size)
    pack.unlink()
    result = saved.check(read_data=False)

    assert result.damages == (Damage(f"packs/{pack.name}", "the pack is missing", (first, second)),)


def test_a_damaged_tree_is_found_without_reading_the_content(saved: Scratch) -> None:
    database = saved.store.database
    number, frame = database.execute("SELECT pack, frame FROM objects WHERE kind = 4")[0]
    (name,) = database.execute("SELECT name FROM packs WHERE id = ?", (number,))[0]
    pack = saved.root / "packs" / name
    outline = len(pack.read_bytes()) - 20
    flip(pack, outline)
    result = saved.check(read_data=False)

    assert [damage.location for damage in result.damages] == [f"packs/{name} at {frame}"]


@pytest.mark.parametrize("number", range(60))
def test_a_flipped_byte_anywhere_in_the_catalogue_is_found(
    tmp_path: Path, template: Path, number: int
) -> None:
    catalogue = tmp_path / "store" / "catalog.db"
    _copy(template, tmp_path / "store")
    size = catalogue.stat().st_size
    at = [*range(24), 60, 4095, size - 1][number] if number < 27 else _lucky(number, size)
    flip(catalogue, at)

    assert _damages(tmp_path / "store"), at


def test_a_flipped_byte_in_a_free_page_is_found(tmp_path: Path, template: Path) -> None:
    _copy(template, tmp_path / "store")
    store = Store.open(str(tmp_path / "store"))
    store.database.execute("CREATE TABLE x AS SELECT randomblob(40000)")
    store.database.execute("DROP TABLE x")
    free = store.database.execute("PRAGMA freelist_count")[0][0]
    pages = store.database.execute("PRAGMA page_count")[0][0]
    store.close()
    assert free >= 9
    flip(tmp_path / "store" / "catalog.db", (pages - 2) * 4096 + 100)
    (damage,) = _damages(tmp_path / "store")

    assert damage == f"catalog.db, page {pages - 1}"


@pytest.mark.parametrize("size", [0, 50, 4096, -1])
def test_a_cut_catalogue_is_found(tmp_path: Path, template: Path, size: int) -> None:
    _copy(template, tmp_path / "store")
    catalogue = tmp_path / "store" / "catalog.db"
    catalogue.write_bytes(catalogue.read_bytes()[:size])

    assert _damages(tmp_path / "store")


def test_a_row_that_points_elsewhere_is_found(saved: Scratch) -> None:
    saved.store.database.execute(
        "UPDATE objects SET position = position + 1"
        " WHERE id = (SELECT max(id) FROM objects WHERE kind = 1)"
    )
    (damage,) = saved.check(read_data=False).damages

    assert damage.location.startswith("catalog.db, objects in packs/")
    assert damage.description == "rows point where no such object is"
    assert damage.checkpoints


def test_a_row_that_names_no_pack_is_found(saved: Scratch) -> None:
    saved.store.database.execute(
        "UPDATE objects SET pack = 99 WHERE id = (SELECT max(id) FROM objects WHERE kind = 1)"
    )
    (damage,) = saved.check(read_data=False).damages

    assert "a pack that it does not name" in damage.location


def test_a_missing_row_is_found(saved: Scratch) -> None:
    saved.store.database.execute("DELETE FROM objects WHERE kind = 2")
    damages = saved.check(read_data=False).damages

    assert [damage.description for damage in damages] == ["objects that packs hold have no row"]
    assert damages[0].checkpoints == tuple(map(short, saved.moments))


def test_rows_of_what_was_deleted_are_no_damage(saved: Scratch) -> None:
    first = saved.context.find(next(iter(saved.moments)))
    saved.bury(first)
    saved.store.database.execute("DELETE FROM objects WHERE id = ?", (first.id,))

    assert saved.check().whole


def test_a_record_that_was_changed_is_found(saved: Scratch) -> None:
    first, second = saved.moments
    saved.store.database.execute(
        "UPDATE checkpoints SET record = (SELECT record FROM checkpoints WHERE id = ?)"
        " WHERE id = ?",
        (first, second),
    )
    (damage,) = saved.check(read_data=False).damages

    assert damage == Damage(f"catalog.db, checkpoint {short(second)}", "is not what was saved")


def test_a_column_that_was_changed_is_found(saved: Scratch) -> None:
    saved.store.database.execute("UPDATE checkpoints SET sequence = 77 WHERE sequence = 1")

    assert not saved.check(read_data=False).whole


def test_a_checkpoint_that_the_catalogue_lost_is_found(saved: Scratch) -> None:
    _, second = saved.moments
    saved.store.database.execute("DELETE FROM checkpoints WHERE id = ?", (second,))
    (damage,) = saved.check(read_data=False).damages

    assert damage.description == f"holds checkpoint {short(second)}, which the catalogue has lost"


def test_a_pack_that_was_committed_and_is_no_longer_named_is_found(saved: Scratch) -> None:
    """As after losing the catalogue's write-ahead log."""
    _, second = saved.moments
    pack = min(saved.packs(), key=lambda path: path.stat().st_size)
    database = saved.store.database
    number = database.execute("SELECT id FROM packs WHERE name = ?", (pack.name,))[0][0]
    database.execute("DELETE FROM objects WHERE pack = ?", (number,))
    database.execute("DELETE FROM packs WHERE id = ?", (number,))
    database.execute("DELETE FROM checkpoints WHERE id = ?", (second,))
    (damage,) = saved.check(read_data=False).damages

    assert damage.location == f"packs/{pack.name}"


def test_what_a_save_left_that_was_cut_short_is_a_note(saved: Scratch) -> None:
    with saved.store.writing() as writer:
        record = saved.context.find(next(iter(saved.moments))).record
        writer.put(8, record._replace(sequence=99).encode())
        writer.finish()
    result = saved.check()

    assert result.whole
    assert result.notes == ("1 packs are not in use; a collection sweeps them",)


def test_a_damaged_backup_is_named_with_what_mends_it(saved: Scratch) -> None:
    whole = saved.check()
    flip(saved.root / "backup" / "annotations.db", 9000)
    (damage,) = saved.check().damages

    assert whole.notes == ()
    assert damage.location == "backup/annotations.db"
    assert "Page 3" in damage.description
    assert "next hourly backup" in damage.description


def test_a_backup_that_lacks_its_last_pages_is_damaged(saved: Scratch) -> None:
    """As for a copy without its write-ahead log: every existing page is intact."""
    path = saved.root / "backup" / "annotations.db"
    path.write_bytes(path.read_bytes()[: 3 * 4096])

    assert [damage.location for damage in saved.check().damages] == ["backup/annotations.db"]


def test_a_missing_backup_is_said(saved: Scratch) -> None:
    (saved.root / "backup" / "annotations.db").unlink()
    result = saved.check()

    assert result.whole
    assert result.notes == ("There is no backup of the catalogue; the next save writes one",)


def test_a_save_during_a_check_is_no_damage(saved: Scratch) -> None:
    other = saved.beside()

    class Saving(Monitor):
        def progress(self, phase: str, done: int, total: int | None, size: int = 0) -> None:
            saved.write("directory/file", f"{phase} {done}")
            other.save()

    result = check(saved.store, True, Saving())
    other.close()

    assert result.whole
    assert result.notes == ()
    saved.assert_whole()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of some pages, to be copied and damaged."""
    scratch = Scratch(tmp_path_factory.mktemp("template"))
    for number in range(60):
        scratch.write(f"{number % 7}/{number}", f"{number}")
    scratch.save("one")
    scratch.write("more", "x")
    scratch.save("two")
    scratch.close()
    return scratch.root


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("reserve"))


def _lucky(number: int, size: int) -> int:
    return random.Random(number).randrange(size)


def _damages(root: Path) -> list[str]:
    try:
        return [damage.location for damage in check_root(str(root), False, QUIET).damages]
    except StoreDamaged as error:
        return [str(error)]
