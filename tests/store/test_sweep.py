"""Sweep: leftovers of crashes are removed, unless the catalogue may have lost rows."""

from __future__ import annotations

from clew.model.record import Record
from tests.store.scratch import Scratch


def leave_pack(scratch: Scratch, record: Record | None = None) -> str:
    """Write a pack that is not committed, like a killed save."""
    with scratch.store.writing() as writer:
        writer.put(1, f"left over {len(scratch.packs())}".encode())
        if record is not None:
            writer.put(8, record.encode())
        writer.finish()
    return writer.packs[0].name


def test_scratch_files_and_left_over_packs_go(scratch: Scratch) -> None:
    scratch.write("file", "x")
    scratch.save()
    (scratch.root / "tmp" / "half a pack").write_bytes(bytes(100_000))
    leave_pack(scratch)
    result = scratch.gc()

    assert list((scratch.root / "tmp").iterdir()) == []
    assert len(scratch.packs()) == 1
    assert list((scratch.root / "quarantine").iterdir()) == []
    assert result.freed_bytes > 90_000
    scratch.assert_whole()


def test_a_left_over_pack_with_a_known_checkpoint_goes(scratch: Scratch) -> None:
    """As after a collection that was killed before it removed the old packs."""
    scratch.write("file", "x")
    record = scratch.save().record
    leave_pack(scratch, record)
    scratch.gc()

    assert len(scratch.packs()) == 1
    assert list((scratch.root / "quarantine").iterdir()) == []


def test_a_left_over_pack_with_an_unknown_checkpoint_is_set_aside_with_all_others(
    scratch: Scratch,
) -> None:
    scratch.write("file", "x")
    record = scratch.save().record
    names = {leave_pack(scratch), leave_pack(scratch, record._replace(sequence=5))}
    result = scratch.gc()

    assert {path.name for path in (scratch.root / "quarantine").iterdir()} == names
    assert result.notes == ("2 packs that are not in the catalogue were moved to quarantine/",)
    assert len(scratch.packs()) == 1
    scratch.assert_whole()


def test_a_left_over_that_cannot_be_read_is_set_aside(scratch: Scratch) -> None:
    scratch.write("file", "x")
    scratch.save()
    (scratch.root / "packs" / f"{'0' * 32}.pack").write_bytes(b"CLEWPACK and then nothing")
    scratch.gc()

    assert [path.name for path in (scratch.root / "quarantine").iterdir()] == [f"{'0' * 32}.pack"]


def test_a_left_over_is_swept_also_when_there_is_nothing_else_to_do(scratch: Scratch) -> None:
    scratch.write("file", "x")
    scratch.save()
    scratch.gc()
    scratch.gc()
    leave_pack(scratch)
    generation = scratch.store.generation
    scratch.gc()

    assert len(scratch.packs()) == 1
    assert scratch.store.generation == generation
