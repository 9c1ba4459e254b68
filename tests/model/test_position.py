"""Positions in records; empty without a session."""

from __future__ import annotations

import pytest

from clew.model.bencode import Value
from clew.model.ids import ObjectId
from clew.model.position import Position

SOME = Position(
    session=bytes(range(16)),
    agent="example",
    version="1.2",
    conversation=ObjectId(b"c" * 32),
    length=1234,
    tasks=ObjectId(b"t" * 32),
    effects=7,
    forgotten=(5, 6),
)


@pytest.mark.parametrize(
    "position",
    [Position(), SOME, Position(effects=3), SOME._replace(conversation=None, tasks=None)],
)
def test_what_goes_in_comes_out(position: Position) -> None:
    assert Position.from_dict(position.as_dict()) == position


def test_no_position_takes_no_room() -> None:
    assert Position().as_dict() == {}


@pytest.mark.parametrize(
    "broken",
    [
        b"no dictionary",
        {b"id": b""},
        {**SOME.as_dict(), b"id": b"short"},
        {**SOME.as_dict(), b"conversation": b"short"},
        {**SOME.as_dict(), b"length": b"long"},
        {**SOME.as_dict(), b"forgotten": [b"x"]},
    ],
)
def test_anything_else_is_refused(broken: Value) -> None:
    with pytest.raises((KeyError, TypeError)):
        Position.from_dict(broken)
