"""Rebuild: a new catalogue from the packs recovers everything that is recoverable."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.model.checkpoint import Labels
from clew.model.ids import CheckpointId, ObjectType, object_id
from clew.model.results import CheckResult
from clew.model.verdict import Verdict
from clew.operations.maintenance.delete import delete
from clew.store.backup import backup
from clew.store.frame import StoredObject, encode_frame
from clew.store.layout import Layout
from clew.store.rebuild import rebuild
from tests.store.scratch import QUIET, Scratch

Damage = Callable[[Path], None]


@pytest.fixture
def saved(scratch: Scratch) -> Scratch:
    """Return a store with four labelled checkpoints, one deleted; backed up after the third."""
    for number in range(4):
        scratch.write("directory/file", f"{number}")
        scratch.noise(f"noise {number}", 3000)
        scratch.save(f"intent {number}", name=f"name-of-{number}" if number == 1 else None)
        if number == 2:
            first = next(iter(scratch.moments))
            delete(scratch.context, [first], False, QUIET)
            del scratch.moments[first]
            backup(scratch.store)
    return scratch


def rebuilt(scratch: Scratch) -> CheckResult:
    """Rebuild, with the store closed."""
    scratch.close()
    try:
        return rebuild(Layout(str(scratch.root)), QUIET)
    finally:
        scratch.open()


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x10
    path.write_bytes(content)


def intents(scratch: Scratch) -> list[str]:
    timeline = scratch.store.checkpoints.newest_first(scratch.context.workspace)
    return [checkpoint.labels.intent for checkpoint in timeline]


def test_a_whole_store_is_the_same_afterwards(saved: Scratch) -> None:
    tables = ("workspaces", "checkpoints", "labels", "counts", "trail", "verdicts", "config")
    before = [saved.store.database.execute(f"SELECT * FROM {table}") for table in tables]
    generation = saved.store.generation
    result = rebuilt(saved)
    after = [saved.store.database.execute(f"SELECT * FROM {table}") for table in tables]

    assert result.whole
    assert result.rebuilt
    assert after == before
    assert saved.store.generation == generation + 1
    saved.assert_whole()


def test_the_old_catalogue_is_set_aside(saved: Scratch) -> None:
    result = rebuilt(saved)
    (aside,) = (saved.root / "quarantine").iterdir()

    assert aside.name.startswith("catalog-")
    assert f"The old catalogue is quarantine/{aside.name}" in result.notes


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"garbage" * 1000),
        lambda path: flip(path, 0),
        lambda path: flip(path, 20),
        lambda path: flip(path, 70),
    ],
    ids=["gone", "empty", "garbage", "magic", "no checksums", "header"],
)
def test_a_catalogue_that_cannot_be_opened_comes_back_from_packs_and_backup(
    saved: Scratch, damage: Damage
) -> None:
    here = saved.context.here
    saved.close()
    damage(saved.root / "catalog.db")
    result = rebuild(Layout(str(saved.root)), QUIET)
    saved.open()

    assert result.whole
    assert intents(saved) == ["", "intent 2", "intent 1"]  # the newest is younger than the backup
    assert saved.context.here == here._replace(labels=Labels(name="checkpoint-4"), changes=None)  # type: ignore[union-attr]
    saved.assert_whole()


def test_without_a_backup_the_checkpoints_come_back_without_their_labels(saved: Scratch) -> None:
    saved.close()
    (saved.root / "backup" / "annotations.db").unlink()
    (saved.root / "catalog.db").unlink()
    result = rebuild(Layout(str(saved.root)), QUIET)
    saved.open()
    uuid = saved.context.workspace
    lost = [info for info in saved.store.workspaces.all() if info.uuid != uuid]

    assert result.whole
    assert [info.path for info in lost] == [b""]
    known = {found.id for found in saved.store.checkpoints.newest_first(lost[0].uuid)}
    assert saved.moments.keys() <= known
    assert lost[0].here in known
    saved.assert_whole()


@pytest.mark.parametrize("page", range(2, 12))
def test_a_damaged_page_costs_no_checkpoint_and_no_label(saved: Scratch, page: int) -> None:
    backup(saved.store)
    before = intents(saved)
    saved.close()
    flip(saved.root / "catalog.db", (page - 1) * 4096 + 200)
    result = rebuild(Layout(str(saved.root)), QUIET)
    saved.open()

    assert result.whole, page
    assert intents(saved) == before
    saved.assert_whole()


def test_rows_around_a_damaged_page_come_from_the_catalogue_itself(scratch: Scratch) -> None:
    """A table read from both ends loses only the damaged page."""
    scratch.write("file", "x")
    checkpoint = scratch.save()
    database = scratch.store.database
    with database.transaction():
        for number in range(3000):
            database.execute("INSERT INTO config VALUES (?, ?, 'v')", (b"w", f"{number:05}"))
    scratch.close()
    catalogue = scratch.root / "catalog.db"
    at = catalogue.read_bytes().find(b"01500v")
    assert at > 0
    flip(catalogue, at)
    rebuild(Layout(str(scratch.root)), QUIET)
    scratch.open()
    left = {row[0] for row in scratch.store.database.execute("SELECT key FROM config")}

    assert 2500 < len(left) < 3000
    assert {"00000", "02999"} <= left
    assert scratch.context.here == checkpoint._replace(is_here=False)


def test_deleted_checkpoints_stay_deleted(saved: Scratch) -> None:
    tombstones = saved.store.database.execute(
        "SELECT id FROM checkpoints WHERE deleted IS NOT NULL"
    )
    saved.close()
    (saved.root / "catalog.db").unlink()
    rebuild(Layout(str(saved.root)), QUIET)
    saved.open()

    assert len(tombstones) == 1
    assert saved.store.checkpoints.get(CheckpointId(tombstones[0][0])) is None


def test_what_was_deleted_after_the_backup_and_collected_is_no_damage(saved: Scratch) -> None:
    second = next(iter(saved.moments))
    old = (saved.root / "backup" / "annotations.db").read_bytes()
    delete(saved.context, [second], True, QUIET)
    del saved.moments[second]
    saved.close()
    (saved.root / "backup" / "annotations.db").write_bytes(old)
    (saved.root / "catalog.db").unlink()
    result = rebuild(Layout(str(saved.root)), QUIET)
    saved.open()

    assert result.whole
    assert "1 checkpoints of the backup are gone" in result.notes
    assert saved.store.checkpoints.get(second) is None
    saved.assert_whole()


def test_a_restore_of_an_hour_ago_is_not_finished(saved: Scratch) -> None:
    saved.store.journal.begin(saved.context.workspace, ".clew-x", b"a plan")
    backup(saved.store)
    saved.store.journal.end(saved.context.workspace)
    saved.close()
    (saved.root / "catalog.db").unlink()
    rebuild(Layout(str(saved.root)), QUIET)
    saved.open()

    assert saved.store.journal.unfinished(saved.context.workspace) is None


def test_an_unfinished_restore_survives_when_the_catalogue_can_be_read(saved: Scratch) -> None:
    saved.store.journal.begin(saved.context.workspace, ".clew-x", b"a plan")
    rebuilt(saved)

    assert saved.store.journal.unfinished(saved.context.workspace) is not None


def test_verdicts_and_settings_survive(saved: Scratch) -> None:
    newest = saved.context.find(list(saved.moments)[-1])
    verdict = Verdict("make test", 0, 5, "fine", 6, "workspace", newest.record.state)
    saved.store.verdicts.add(newest.id, verdict)
    saved.store.settings.set(saved.context.workspace, "keep-last", "7")
    rebuilt(saved)

    assert saved.context.find(newest.id).verdict == verdict
    assert saved.store.settings.all(saved.context.workspace) == {"keep-last": "7"}


def test_a_damaged_pack_is_set_aside_and_what_is_good_in_it_stays(saved: Scratch) -> None:
    noise = (saved.project / "noise 3").read_bytes()
    (pack,) = (path for path in saved.packs() if noise[:50] in path.read_bytes())
    saved.close()
    flip(pack, pack.read_bytes().find(noise[:50]))
    result = rebuild(Layout(str(saved.root)), QUIET)
    saved.open()

    assert not pack.exists()
    assert (saved.root / "quarantine" / pack.name).exists()
    assert [damage.description for damage in result.damages] == ["objects are missing"]
    for identifier, files in list(saved.moments.items())[:-1]:
        assert saved.held(identifier) == files


def test_the_next_save_heals_what_was_lost(saved: Scratch) -> None:
    noise = (saved.project / "noise 3").read_bytes()
    (pack,) = (path for path in saved.packs() if noise[:50] in path.read_bytes())
    saved.close()
    flip(pack, pack.read_bytes().find(noise[:50]))
    result = rebuild(Layout(str(saved.root)), QUIET)
    saved.open()
    saved.save("healing")

    assert not result.whole
    saved.assert_whole()


@pytest.mark.parametrize("at", [2, 9, 17, 21, 30, 60, -3], ids=str)
def test_frames_after_a_damaged_header_are_found_again(saved: Scratch, at: int) -> None:
    pack = max(saved.packs(), key=lambda path: path.stat().st_size)
    frames = saved.store.database.execute(
        "SELECT count(DISTINCT frame) FROM objects JOIN packs ON packs.id = objects.pack"
        " WHERE packs.name = ?",
        (pack.name,),
    )[0][0]
    assert frames == 2
    saved.close()
    flip(pack, at)
    rebuild(Layout(str(saved.root)), QUIET)
    saved.open()
    trees = saved.store.database.execute(
        "SELECT count(*) FROM objects WHERE kind = ?", (ObjectType.TREE,)
    )

    assert trees[0][0] >= 9
    saved.save("healing")
    assert saved.check().whole


def test_a_file_that_looks_like_a_pack_makes_no_checkpoint(scratch: Scratch) -> None:
    """Hostile content found by the search for frames after damage proves no checkpoint."""
    scratch.write("file", "x")
    forged = scratch.save("a record to copy").record._replace(sequence=66)
    content = forged.encode()
    stored = StoredObject(8, object_id(8, content), content)
    frame, _ = encode_frame([stored])
    scratch.write("hostile", os.urandom(3000) + frame + os.urandom(3000))
    scratch.save("hostile")
    (pack,) = (path for path in scratch.packs() if frame in path.read_bytes())
    scratch.close()
    flip(pack, 20)
    rebuild(Layout(str(scratch.root)), QUIET)
    scratch.open()

    assert not scratch.store.checkpoints.is_known(forged.id)


def test_the_caches_go(saved: Scratch) -> None:
    assert list((saved.root / "cache").iterdir())
    rebuilt(saved)

    assert list((saved.root / "cache").iterdir()) == []


def test_a_rebuild_leaves_no_file_open(saved: Scratch) -> None:
    saved.close()
    before = os.listdir("/proc/self/fd")
    rebuild(Layout(str(saved.root)), QUIET)
    after = os.listdir("/proc/self/fd")
    saved.open()

    assert len(after) == len(before)
