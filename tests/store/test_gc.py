"""Garbage collection frees unreachable objects, and nothing else."""

from __future__ import annotations

import pytest

from clew.errors import StoreDamaged
from clew.model.ids import ObjectType, object_id
from clew.operations.context import Context
from clew.operations.save.commit import SaveOptions, save
from clew.store.limits import DEFAULT
from clew.testing import RecordingTransport, use_transport
from tests.store.scratch import QUIET, Scratch

MIB = 1 << 20


def test_a_deleted_checkpoint_gives_its_bytes_back(scratch: Scratch) -> None:
    scratch.noise("big", 2 * MIB)
    doomed = scratch.save()
    scratch.remove("big")
    scratch.write("small", "kept")
    scratch.save()
    scratch.bury(doomed)
    before = scratch.store.size()
    result = scratch.gc()

    assert result.freed_bytes > 2 * MIB
    assert result.freed_bytes == before - scratch.store.size()
    assert result.store_bytes == scratch.store.size()
    assert result.removed_packs == 1
    assert result.removed_objects > 2
    scratch.assert_whole()


def test_what_another_checkpoint_needs_stays(scratch: Scratch) -> None:
    scratch.noise("shared", MIB)
    scratch.noise("mine", 3 * MIB)
    doomed = scratch.save()
    scratch.remove("mine")
    kept = scratch.save()
    scratch.bury(doomed)
    scratch.gc()

    assert scratch.pack_bytes() < 2 * MIB
    assert scratch.held(kept.id) == scratch.files()
    scratch.assert_whole()


def test_a_pack_that_is_mostly_live_stays_as_it_is(scratch: Scratch) -> None:
    scratch.noise("shared", MIB)
    scratch.noise("little", 1000)
    doomed = scratch.save()
    scratch.remove("little")
    scratch.save()
    before, generation = scratch.packs(), scratch.store.generation
    scratch.bury(doomed)
    result = scratch.gc()

    assert scratch.packs() == before
    assert scratch.store.generation == generation
    assert (result.removed_objects, result.removed_packs) == (0, 0)


def test_a_collection_with_nothing_to_do_leaves_the_generation_and_reads_no_pack_the_second_time(
    scratch: Scratch,
) -> None:
    scratch.write("file", "content")
    scratch.save()
    scratch.gc()
    generation = scratch.store.generation
    recording = RecordingTransport(scratch.store.transport)
    use_transport(scratch.store, recording)
    scratch.gc()

    assert scratch.store.generation == generation
    assert recording.count("read") == 0


def test_a_collection_after_a_new_deletion_looks_again(scratch: Scratch) -> None:
    scratch.noise("big", MIB)
    doomed = scratch.save()
    scratch.remove("big")
    scratch.save()
    scratch.gc()
    scratch.gc()
    scratch.bury(doomed)

    assert scratch.gc().freed_bytes > MIB


def test_caches_learn_that_something_moved(scratch: Scratch) -> None:
    scratch.noise("big", MIB)
    doomed = scratch.save()
    scratch.remove("big")
    scratch.save()
    generation = scratch.store.generation
    scratch.bury(doomed)
    scratch.gc()
    scratch.write("more", "so that the next save has something to do")
    scratch.save()

    assert scratch.store.generation > generation
    scratch.assert_whole()


def test_many_small_packs_become_one(scratch: Scratch) -> None:
    for number in range(DEFAULT.small_packs):
        scratch.write("file", f"{number}")
        scratch.save()
    assert len(scratch.packs()) == DEFAULT.small_packs
    result = scratch.gc()

    assert len(scratch.packs()) == 1
    assert result.removed_packs == DEFAULT.small_packs
    scratch.assert_whole()


def test_survivors_are_copied_a_little_at_a_time(
    scratch: Scratch,
) -> None:
    """The extra space needed is at most one batch, however much there is to collect."""
    scratch.host.store_limits.batch_bytes = MIB
    doomed = []
    for number in range(6):
        scratch.noise(f"kept {number}", MIB // 2)
        scratch.noise(f"gone {number}", 3 * MIB)
        doomed.append(scratch.save())
        scratch.remove(f"gone {number}")
    scratch.save()
    scratch.bury(*doomed)
    before = largest = scratch.pack_bytes()

    class Watching(RecordingTransport):
        def _note(self, verb: str, name: str) -> None:
            nonlocal largest
            largest = max(largest, scratch.pack_bytes())
            super()._note(verb, name)

    watching = Watching(scratch.store.transport)
    use_transport(scratch.store, watching)
    scratch.gc()

    assert watching.count("write_new") >= 3
    assert largest < before + 2 * MIB
    assert scratch.pack_bytes() < 4 * MIB
    scratch.assert_whole()


def test_a_purge_leaves_no_dead_byte(scratch: Scratch) -> None:
    scratch.noise("shared", MIB)
    scratch.noise("secret", 5000)
    secret = (scratch.project / "secret").read_bytes()[1000:1100]
    doomed = scratch.save()
    scratch.remove("secret")
    scratch.save()
    assert scratch.holds(secret)
    scratch.bury(doomed)
    scratch.gc()
    assert scratch.holds(secret)
    scratch.gc(purge=True)

    assert not scratch.holds(secret)
    scratch.assert_whole()


def test_a_purge_of_a_clean_store_rewrites_nothing(scratch: Scratch) -> None:
    scratch.noise("file", MIB)
    scratch.save()
    before = scratch.packs()
    scratch.gc(purge=True)

    assert scratch.packs() == before


def test_the_checkpoints_of_all_workspaces_are_kept(scratch: Scratch) -> None:
    other = scratch.project.with_name("other")
    other.mkdir()
    (other / "file").write_bytes(b"another project")
    info = scratch.store.workspaces.add(bytes(other), other.stat().st_ino, machine=False)
    theirs = save(Context(scratch.store, info, scratch.host), SaveOptions(), QUIET).checkpoint
    scratch.write("file", "this project")
    doomed = scratch.save()
    scratch.write("file", "changed")
    scratch.save()
    scratch.bury(doomed)
    scratch.gc()

    assert scratch.held(theirs.id) == {"file": b"another project"}
    scratch.assert_whole()


def test_a_store_that_lacks_an_object_is_not_collected(scratch: Scratch) -> None:
    """Its pack would look dead, and bytes that a rebuild could recover would be deleted."""
    scratch.noise("file", MIB // 2)
    saved = scratch.save()
    scratch.noise("other", MIB)
    doomed = scratch.save()
    scratch.remove("other")
    scratch.save()
    scratch.bury(doomed)
    scratch.store.database.execute("DELETE FROM objects WHERE kind = 1")
    before = scratch.packs()
    with pytest.raises(StoreDamaged):
        scratch.gc()

    assert scratch.packs() == before
    assert scratch.context.find(saved.id)


def test_a_store_with_an_unreadable_tree_is_not_collected(scratch: Scratch) -> None:
    scratch.write("directory/file", "x")
    scratch.save()
    (pack,) = scratch.packs()
    scratch.noise("other", MIB)
    doomed = scratch.save()
    scratch.remove("other")
    scratch.save()
    scratch.bury(doomed)
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.write_bytes(content)
    before = scratch.packs()
    scratch.reopen()
    with pytest.raises(StoreDamaged):
        scratch.gc()

    assert scratch.packs() == before


def test_a_damaged_file_keeps_its_pack_and_the_rest_is_freed(scratch: Scratch) -> None:
    scratch.noise("damaged", 2 * MIB)
    scratch.noise("going with it", 5 * MIB)
    first = scratch.save()
    pack = scratch.packs()[0]
    scratch.remove("going with it")
    scratch.noise("big", 3 * MIB)
    second = scratch.save()
    scratch.remove("big")
    scratch.save()
    scratch.bury(first, second)
    content = bytearray(pack.read_bytes())
    at = content.find((scratch.project / "damaged").read_bytes()[700_000:700_020])
    assert at > 0
    content[at] ^= 1
    pack.write_bytes(content)
    scratch.reopen()
    result = scratch.gc()

    assert pack in scratch.packs()
    assert result.freed_bytes > 3 * MIB
    assert "left as they are" in result.notes[0]


def test_the_catalogue_shrinks_when_most_of_it_is_free(scratch: Scratch) -> None:
    for number in range(1500):
        scratch.write(f"many/{number % 40}/{number}", f"{number}")
    doomed = scratch.save()
    scratch.remove("many")
    scratch.save()
    scratch.reopen()
    before = (scratch.root / "catalog.db").stat().st_size
    scratch.bury(doomed)
    scratch.gc()

    assert (scratch.root / "catalog.db").stat().st_size < 0.7 * before
    assert scratch.store.database.execute("PRAGMA freelist_count") == [(0,)]
    scratch.assert_whole()


def test_numbers_of_packs_are_never_given_twice(scratch: Scratch) -> None:
    """Another process may have cached the pack of a number."""
    scratch.noise("file", 1000)
    doomed = scratch.save()
    scratch.noise("file", 2000)
    scratch.save()
    numbers = {row[0] for row in scratch.store.database.execute("SELECT id FROM packs")}
    scratch.bury(doomed)
    scratch.gc(purge=True)
    scratch.noise("file", 3000)
    scratch.save()
    later = {row[0] for row in scratch.store.database.execute("SELECT id FROM packs")}

    assert max(later) > max(numbers)
    assert len(later - numbers) >= 1


def test_a_pack_that_the_catalogue_is_wrong_about_is_not_repacked(scratch: Scratch) -> None:
    """The row of a live object points into the pack, but to a wrong position."""
    scratch.noise("kept", MIB // 2)
    scratch.noise("gone", MIB)
    doomed = scratch.save()
    (pack,) = scratch.packs()
    scratch.remove("gone")
    scratch.save()
    scratch.bury(doomed)
    blob = object_id(ObjectType.BLOB, (scratch.project / "kept").read_bytes())
    scratch.store.database.execute("UPDATE objects SET position = 7 WHERE id = ?", (blob,))
    result = scratch.gc()

    assert pack in scratch.packs()
    assert "The catalogue is wrong about what is in" in result.notes[0]
