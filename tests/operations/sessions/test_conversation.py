"""A conversation is taken as it grows, costs what was added, and comes back byte for byte."""

from __future__ import annotations

import io
import random

import pytest

from clew.model.conversation import PART_LIMIT
from clew.model.ids import ObjectId, ObjectType
from clew.operations.sessions.conversation import Taken, content, extend, lines, take
from tests.model.test_conversation import Objects


def taken(objects: Objects, text: bytes, previous: ObjectId | None = None) -> Taken:
    return take(previous, io.BytesIO(text).read, objects.__getitem__, objects.put)


def whole(objects: Objects, found: Taken) -> bytes:
    return b"".join(content(found.conversation, objects.__getitem__))


def noise(seed: int, length: int) -> bytes:
    return random.Random(seed).randbytes(length)


@pytest.mark.parametrize("length", [0, 1, PART_LIMIT, PART_LIMIT + 1, 3 * PART_LIMIT + 7])
def test_every_length_comes_back(length: int) -> None:
    objects = Objects()
    text = noise(length, length)

    found = taken(objects, text)

    assert whole(objects, found) == text
    assert found.length == length


def test_what_was_there_costs_nothing_again() -> None:
    objects = Objects()
    text = noise(1, 2 * PART_LIMIT)
    first = taken(objects, text)
    before = sum(map(len, objects.values()))

    second = taken(objects, text + b"more\n", first.conversation)

    assert whole(objects, second) == text + b"more\n"
    assert sum(map(len, objects.values())) - before < 200


def test_nothing_new_is_the_same_conversation() -> None:
    objects = Objects()
    first = taken(objects, b"one\ntwo\n")

    assert taken(objects, b"one\ntwo\n", first.conversation) == first._replace(kept=8)


@pytest.mark.parametrize("seed", range(40))
def test_a_rewritten_transcript_is_stored_as_it_is(seed: int) -> None:
    """Growth, truncation, compaction and edits in the middle, in any order."""
    objects, chance = Objects(), random.Random(seed)
    text, found = b"", Taken(None, 0)
    for _ in range(60):
        match chance.randrange(6):
            case 0:
                text = text[: chance.randrange(len(text) + 1)]
            case 1:
                at = chance.randrange(len(text) + 1)
                text = text[:at] + b"#" + text[at + 1 :]
            case _:
                text += chance.randbytes(chance.randrange(300))
        found = taken(objects, text, found.conversation)

        assert whole(objects, found) == text
        assert found.length == len(text)


def test_a_truncated_transcript_keeps_what_both_share() -> None:
    objects = Objects()
    text = noise(2, 4 * PART_LIMIT)
    first = taken(objects, text)
    kinds: list[int] = []

    def put(kind: int, piece: bytes) -> ObjectId:
        kinds.append(kind)
        return objects.put(kind, piece)

    take(first.conversation, io.BytesIO(text[: 2 * PART_LIMIT]).read, objects.__getitem__, put)

    assert ObjectType.BLOB not in kinds


def test_lines_are_added_one_by_one() -> None:
    objects = Objects()
    found = Taken(None, 0)
    for number in range(100):
        found = extend(
            found.conversation, [b'{"n": %d}' % number], objects.__getitem__, objects.put
        )

    assert list(lines(found.conversation, objects.__getitem__)) == [
        b'{"n": %d}' % number for number in range(100)
    ]


def test_the_last_line_may_be_cut_short() -> None:
    objects = Objects()
    found = taken(objects, b'{"a": 1}\n{"b"')

    assert list(lines(found.conversation, objects.__getitem__)) == [b'{"a": 1}', b'{"b"']
