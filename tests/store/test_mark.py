"""Reachable objects of checkpoints, and the reverse search."""

from __future__ import annotations

import os

import pytest

from clew.errors import ObjectMissing, StoreDamaged
from clew.model.ids import CheckpointId, ObjectId, ObjectType, StateId, object_id
from clew.model.record import Coverage, Record
from clew.store.mark import ReachableObjects, Reference, follower, live_records
from clew.store.needs import who_needs
from tests.store.scratch import Scratch


def kinds(scratch: Scratch, objects: set[ObjectId]) -> dict[str, int]:
    found: dict[str, int] = {}
    for identifier in objects:
        place = scratch.store.index.locate(identifier)
        assert place is not None
        name = ObjectType.NAMES[place.kind]
        found[name] = found.get(name, 0) + 1
    return found


def test_everything_a_checkpoint_reaches_is_marked(scratch: Scratch) -> None:
    scratch.write("a/b/file", "content")
    scratch.noise("large", (1 << 20) + 1)
    for number in range(600):
        (scratch.project / f"{number}").touch()
    os.setxattr(scratch.project / "large", "user.note", b"value")
    checkpoint = scratch.save()
    marks = ReachableObjects(follower(scratch.store.objects.get))
    marks.add_new(scratch.store)
    rows = scratch.store.database.execute("SELECT id FROM objects")

    assert marks.objects == {row[0] for row in rows}
    assert marks.records == {checkpoint.id}
    found = kinds(scratch, marks.objects)
    assert found["chunklist"] == found["xattrs"] == found["record"] == found["rules"] == 1
    assert found["tree"] > 4
    assert found["blob"] > 3


def test_each_tree_is_followed_once(scratch: Scratch) -> None:
    scratch.write("a/file", "same")
    scratch.write("b/file", "same")
    for name in ("a/file", "b/file", "a", "b"):
        os.utime(scratch.project / name, ns=(1, 1))
    scratch.save()
    scratch.write("c", "more")
    scratch.save()
    followed: list[ObjectId] = []
    strict = follower(scratch.store.objects.get)

    def follow(kind: int, identifier: ObjectId) -> list[Reference]:
        followed.append(identifier)
        return strict(kind, identifier)

    marks = ReachableObjects(follow)
    marks.add_new(scratch.store)
    marks.add_new(scratch.store)

    assert len(followed) == len(set(followed)) == 5  # two roots, two tops, one shared directory


def test_deleted_checkpoints_need_nothing(scratch: Scratch) -> None:
    scratch.write("file", "1")
    doomed = scratch.save()
    scratch.write("file", "2")
    kept = scratch.save()
    scratch.bury(doomed)
    marks = ReachableObjects(follower(scratch.store.objects.get))
    marks.add_new(scratch.store)

    assert marks.records == {kept.id}
    assert object_id(ObjectType.BLOB, b"1") not in marks.objects
    assert object_id(ObjectType.BLOB, b"2") in marks.objects


def test_a_missing_tree_stops_the_marking(scratch: Scratch) -> None:
    scratch.write("directory/file", "x")
    scratch.save()
    scratch.store.database.execute(
        "DELETE FROM objects WHERE id IN (SELECT id FROM objects WHERE kind = 4 LIMIT 1)"
    )
    with pytest.raises(ObjectMissing):
        ReachableObjects(follower(scratch.store.objects.get)).add_new(scratch.store)


def test_bytes_that_are_no_tree_stop_the_marking() -> None:
    with pytest.raises(StoreDamaged, match="cannot be read"):
        follower(lambda _: b"\x07")(ObjectType.TREE, ObjectId(bytes(32)))


def test_who_needs_an_object(scratch: Scratch) -> None:
    scratch.write("deep/down/file", "1")
    first = scratch.save()
    scratch.write("other", "x")
    second = scratch.save()
    scratch.write("deep/down/file", "2")
    third = scratch.save()
    one, two, none = (object_id(ObjectType.BLOB, text) for text in (b"1", b"2", b"nobody's"))
    needs = who_needs(
        live_records(scratch.store),
        {one: frozenset({7}), two: frozenset({8, 9}), none: frozenset({10})},
        follower(scratch.store.objects.get),
    )

    assert needs.checkpoints == {7: [first.id, second.id], 8: [third.id], 9: [third.id]}
    assert needs.reached == {one, two}


def test_a_wanted_tree_is_not_read(scratch: Scratch) -> None:
    scratch.write("file", "1")
    checkpoint = scratch.save()
    tree = checkpoint.record.tree

    def follow(kind: int, identifier: ObjectId) -> list[Reference]:
        raise AssertionError("it may be damaged")

    needs = who_needs(live_records(scratch.store), {tree: frozenset({1})}, follow)

    assert needs.checkpoints == {1: [checkpoint.id]}


def test_trees_of_any_depth_are_followed() -> None:
    """Deeper than Python's recursion limit."""
    depth = 5000
    names = [ObjectId(number.to_bytes(32, "big")) for number in range(depth + 1)]

    def follow(kind: int, identifier: ObjectId) -> list[Reference]:
        number = int.from_bytes(identifier, "big")
        return [(ObjectType.TREE if number + 1 < depth else ObjectType.BLOB, names[number + 1])]

    record = Record(
        bytes(16), 1, 1, None, names[0], StateId(bytes(32)), names[0], names[0], "manual",
        "stable", Coverage(),
    )  # fmt: skip
    checkpoint = CheckpointId(b"c" * 32)
    marks = ReachableObjects(follow)
    marks.add(checkpoint, record)
    needs = who_needs([(checkpoint, record)], {names[depth]: frozenset({1})}, follow)

    assert len(marks.objects) == depth + 2
    assert needs.checkpoints == {1: [checkpoint]}
