"""Conversation objects: the list of parts remains short however often it is appended to."""

from __future__ import annotations

import pytest

from clew.model.conversation import (
    GROUP,
    PART_LIMIT,
    ConversationPart,
    blobs,
    decode_parts,
    encode_parts,
    grouped,
    references,
)
from clew.model.ids import ObjectId, ObjectType, object_id


class Objects(dict[ObjectId, bytes]):
    """Objects in memory."""

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        self[identifier] = content
        return identifier


def part(objects: Objects, number: int) -> ConversationPart:
    content = b"line %d\n" % number
    return ConversationPart(0, len(content), objects.put(ObjectType.BLOB, content))


def test_what_goes_in_comes_out() -> None:
    objects = Objects()
    parts = [part(objects, number) for number in range(5)]

    assert decode_parts(encode_parts(parts)) == parts


def test_a_thousand_parts_are_a_short_list_of_the_same_bytes() -> None:
    objects = Objects()
    parts: list[ConversationPart] = []
    for number in range(1100):
        parts = grouped([*parts, part(objects, number)], objects.put)

        assert len(parts) < 3 * GROUP
    found = b"".join(objects[one.identifier] for one in blobs(parts, objects.__getitem__))
    assert found == b"".join(b"line %d\n" % number for number in range(1100))
    assert sum(one.length for one in parts) == len(found)


def test_growing_one_by_one_and_at_once_give_the_same_list() -> None:
    objects = Objects()
    every = [part(objects, number) for number in range(100)]
    slowly: list[ConversationPart] = []
    for one in every:
        slowly = grouped([*slowly, one], objects.put)

    assert slowly == grouped(every, objects.put)


def test_it_names_blobs_and_groups() -> None:
    objects = Objects()
    parts = grouped([part(objects, number) for number in range(GROUP + 1)], objects.put)

    kinds = [kind for kind, _ in references(encode_parts(parts))]

    assert kinds == [ObjectType.CONVERSATION, ObjectType.BLOB]


@pytest.mark.parametrize(
    "content",
    [
        b"x",
        encode_parts([ConversationPart(0, 0, ObjectId(bytes(32)))]),
        encode_parts([ConversationPart(0, PART_LIMIT + 1, ObjectId(bytes(32)))]),
        encode_parts([ConversationPart(200, 5, ObjectId(bytes(32)))]),
    ],
)
def test_impossible_lists_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="conversation"):
        decode_parts(content)


def test_a_group_that_does_not_get_smaller_is_refused() -> None:
    objects = Objects()
    inner = ConversationPart(1, 5, ObjectId(b"i" * 32))
    outer = objects.put(ObjectType.CONVERSATION, encode_parts([inner]))

    with pytest.raises(ValueError, match="holds itself"):
        list(blobs([ConversationPart(1, 5, outer)], objects.__getitem__))
