"""Labels can be mended later; the record they hang on cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import BadName, UnknownReference
from clew.policy.labels import INTENT_LIMIT
from clew.workspace import Workspace
from tests.operations.moments import save


def test_one_label_is_changed_and_the_others_stay(ws: Workspace) -> None:
    first = save(ws, "intent", name="name", description="words", meta={"k": "v"})

    edited = ws.edit(first, intent="better")

    assert edited.labels == ws.resolve(first).labels
    assert edited.labels.intent == "better"
    assert (edited.labels.name, edited.labels.description) == ("name", "words")
    assert edited.labels.meta == (("k", "v"),)
    assert edited.is_here


def test_a_name_given_later_counts_as_named(ws: Workspace) -> None:
    first = save(ws)
    assert not ws.resolve(first).labels.named

    ws.edit(first, name="release 1")

    assert ws.resolve("release 1").labels.named
    assert ws.resolve("release 1").id.hex() == first


def test_pin_and_unpin(ws: Workspace) -> None:
    first = save(ws)

    assert ws.edit(first, pin=True).labels.pinned
    assert ws.edit(first, intent="x").labels.pinned
    assert not ws.edit(first, pin=False).labels.pinned


NO_NAMES = (
    "", "latest", "10:27", "2026-11-15", "abcd", "@", "-x", "id:x", "a\nb", "checkpoint-3",
)  # fmt: skip


def test_a_name_that_reads_as_something_else_is_refused(ws: Workspace) -> None:
    first = save(ws, name="good name")

    for name in NO_NAMES:
        with pytest.raises(BadName):
            ws.edit(first, name=name)
        with pytest.raises(BadName):
            ws.save("x", name=name)

    assert ws.resolve(first).labels.name == "good name"
    assert len(ws.log().checkpoints) == 1


def test_the_record_does_not_change(ws: Workspace) -> None:
    first = save(ws, "one")
    before = ws.resolve(first).record

    ws.edit(first, intent="two", name="n", description="d", pin=True)

    assert ws.resolve(first).record == before
    assert ws.resolve(first).id.hex() == first


def test_hostile_words_are_kept_as_far_as_they_can_be(ws: Workspace) -> None:
    first = save(ws)

    edited = ws.edit(first, intent="a|b\n\x1b[31m\udcff\0", description="x" * 10_000_000)

    assert edited.labels.intent == "a|b\n\x1b[31m\ufffd\ufffd"
    assert len(edited.labels.description) == INTENT_LIMIT


def test_a_long_intent_is_shortened_and_that_is_said(ws: Workspace) -> None:
    result = ws.save("x" * 10_000_000)

    assert len(result.checkpoint.labels.intent) == INTENT_LIMIT
    assert any("shortened" in notice for notice in result.notices)


def test_an_unknown_checkpoint_cannot_be_edited(ws: Workspace, project: Path) -> None:
    with pytest.raises(UnknownReference):
        ws.edit("nope", intent="x")
