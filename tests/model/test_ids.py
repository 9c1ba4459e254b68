"""Ids depend on the bytes and the type of an object."""

from __future__ import annotations

from clew.model.ids import ID_BYTES, ObjectType, object_id, short, state_id


def test_the_id_of_a_blob_never_changes() -> None:
    identifier = object_id(ObjectType.BLOB, b"hello\n")

    assert identifier.hex() == "60200926b98f21cddd0dc4fb5c05e6a4d7ab691b9c8b01295ebefe1daca3bbe5"


def test_the_type_is_part_of_the_id_so_a_file_cannot_pass_for_a_tree() -> None:
    ids = {object_id(kind, b"\x00") for kind in ObjectType.NAMES} | {state_id(b"\x00")}

    assert len(ids) == len(ObjectType.NAMES) + 1
    assert {len(identifier) for identifier in ids} == {ID_BYTES}


def test_people_see_eight_digits() -> None:
    assert short(bytes(range(32))) == "00010203"
