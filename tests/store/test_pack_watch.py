"""Damaged packs are detected, and the objects they lost are stored again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.model.ids import ObjectType, object_id
from clew.store.pack_watch import PackWatch
from tests.store.scratch import Scratch


@pytest.fixture
def saved(scratch: Scratch) -> Scratch:
    """Return a store with two packs."""
    for number in range(2):
        scratch.noise(f"noise {number}", 3000)
        scratch.save()
    return scratch


def watch(scratch: Scratch) -> PackWatch:
    store = scratch.store
    return PackWatch(store.layout, store.transport, store.database, writable=True)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(content)


def test_a_healthy_store_has_no_stamp(saved: Scratch) -> None:
    assert watch(saved).damaged() == {}
    assert watch(saved).stamp({}) == ""


def test_a_pack_that_is_gone_or_cut_is_damaged(saved: Scratch) -> None:
    gone, cut = saved.packs()
    gone.unlink()
    os.truncate(cut, 100)

    assert watch(saved).damaged() == {gone.name: "missing", cut.name: "its length has changed"}


def test_a_pack_that_was_changed_is_read_and_stays_damaged(saved: Scratch) -> None:
    pack = saved.packs()[0]
    flip(pack)
    first = watch(saved).damaged()

    assert first == {pack.name: "damaged"}
    assert watch(saved).damaged() == first
    assert watch(saved).stamp(first) == watch(saved).stamp(first) != ""


def test_the_stamp_changes_with_further_damage(saved: Scratch) -> None:
    flip(saved.packs()[0])
    one = watch(saved).stamp(watch(saved).damaged())
    flip(saved.packs()[1])
    two = watch(saved).stamp(watch(saved).damaged())

    assert one != two


def test_a_pack_that_was_only_touched_is_good(saved: Scratch) -> None:
    for pack in saved.packs():
        os.utime(pack)

    assert watch(saved).damaged() == {}


def test_a_pack_that_was_never_seen_is_read(saved: Scratch) -> None:
    (saved.root / "cache" / "packs.seen").unlink()
    flip(saved.packs()[0])

    assert list(watch(saved).damaged()) == [saved.packs()[0].name]


def test_what_is_too_much_for_one_look_is_read_by_the_next(
    saved: Scratch,
) -> None:
    saved.host.store_limits.read_at_once = saved.packs()[0].stat().st_size + 1000
    for pack in saved.packs():
        flip(pack)
    found = [len(watch(saved).damaged()) for _ in range(3)]

    assert found == [1, 2, 2]


def test_a_reported_pack_is_damaged_although_nothing_shows_it(saved: Scratch) -> None:
    name = saved.packs()[1].name
    saved.store.pack_watch.report(name, 16)
    first = watch(saved).stamp(watch(saved).damaged())
    saved.store.pack_watch.report(name, 16)
    again = watch(saved).stamp(watch(saved).damaged())
    saved.store.pack_watch.report(name, 5000)
    further = watch(saved).stamp(watch(saved).damaged())

    assert watch(saved).damaged() == {name: "damaged"}
    assert (
        first == again
    )  # otherwise each read of an old checkpoint would make the next save read all files
    assert first != further


def test_garbage_among_what_was_seen_does_not_matter(saved: Scratch) -> None:
    (saved.root / "cache" / "packs.seen").write_bytes(b"\xff garbage\n\n" + b"x" * 3000)
    flip(saved.packs()[0])

    assert list(watch(saved).damaged()) == [saved.packs()[0].name]


def test_what_was_seen_does_not_grow_for_ever(saved: Scratch) -> None:
    for _ in range(200):
        saved.store.pack_watch.record_written([saved.packs()[0].name])
    damaged = watch(saved).damaged()
    lines = (saved.root / "cache" / "packs.seen").read_bytes().splitlines()

    assert damaged == {}
    assert len(lines) == len(saved.packs())


def test_a_read_that_fails_reports_its_pack(saved: Scratch) -> None:
    noise = (saved.project / "noise 0").read_bytes()
    location = saved.store.index.locate(object_id(ObjectType.BLOB, noise))
    assert location is not None
    path = saved.root / "packs" / location.pack
    content = path.read_bytes()
    path.write_bytes(content.replace(noise[:50], bytes(50)))
    saved.store.pack_watch.record_written([location.pack])  # as if no time had changed
    seen = watch(saved).damaged()
    with pytest.raises(Exception, match="checksum"):
        saved.store.objects.get(object_id(ObjectType.BLOB, noise))

    assert seen == {}
    assert watch(saved).damaged() == {location.pack: "damaged"}


def test_an_object_whose_frame_is_damaged_is_written_again_and_found_there(
    saved: Scratch,
) -> None:
    noise = (saved.project / "noise 0").read_bytes()
    identifier = object_id(ObjectType.BLOB, noise)
    old = saved.store.index.locate(identifier)
    assert old is not None
    os.truncate(saved.root / "packs" / old.pack, 60)
    with saved.store.writing() as writer:
        writer.put(ObjectType.BLOB, noise)
        writer.finish()
        saved.store.commit_objects(writer)
    new = saved.store.index.locate(identifier)

    assert new is not None
    assert new.pack != old.pack
    assert saved.store.objects.get(identifier) == noise


def test_a_good_object_keeps_its_row_when_somebody_else_stored_it_too(saved: Scratch) -> None:
    with saved.store.writing() as first, saved.store.writing() as second:
        for writer in (first, second):
            identifier = writer.put(ObjectType.BLOB, b"twice")
            writer.finish()
        saved.store.commit_objects(first)
        place = saved.store.index.locate(identifier)
        saved.store.commit_objects(second)

    assert saved.store.index.locate(identifier) == place
