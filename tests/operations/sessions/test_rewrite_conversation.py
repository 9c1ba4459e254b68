"""A conversation can shrink and be told anew; checkpoints keep it as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.errors import BadOption
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost


def said(ws: Workspace, ref: str) -> list[object]:
    return [json.loads(line) for line in b"".join(ws.sessions.conversation(ref)).splitlines()]


def test_the_last_messages_are_taken_back(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    session.say("first", "second", "third")
    taken = session.remove_last(2)

    assert taken == ["second", "third"]
    assert session.messages() == ["first"]


def test_messages_that_a_checkpoint_holds_are_taken_back_too(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    session.say("first", "second")
    ws.save("before", name="before")
    session.say("third")
    taken = session.remove_last(2)
    session.say("another")
    ws.save("after", name="after")

    assert taken == ["second", "third"]
    assert said(ws, "before") == ["first", "second"]
    assert said(ws, "after") == session.messages() == ["first", "another"]


def test_taking_back_more_than_was_said_leaves_nothing(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    session.say("only")

    assert session.remove_last(5) == ["only"]
    assert session.remove_last() == []
    assert session.messages() == []


def test_taking_back_nothing_changes_nothing(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    session.say("first")

    assert session.remove_last(0) == []
    assert session.messages() == ["first"]


def test_a_conversation_told_anew_comes_back_with_a_restore_as_it_was(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    session.say("long", "talk")
    ws.save("before", name="before")
    session.rewrite(["summary"])
    ws.save("after", name="after")
    told = session.messages()
    ws.restore("before")

    assert told == ["summary"]
    assert session.messages() == ["long", "talk"]


def test_what_stays_is_not_stored_again(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    for letter in "abc":
        session.say(letter * 1000)
        ws.save(letter)
    before = ws.store.stats().objects
    session.remove_last()

    assert ws.store.stats().objects == before


def test_a_transcript_belongs_to_its_agent(ws: Workspace, tmp_path: Path) -> None:
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text('"hello"\n')
    session = ws.sessions.open(agent="example", transcript=str(transcript))
    ws.save("one")

    with pytest.raises(BadOption, match="transcript"):
        session.remove_last()
    assert session.messages() == ["hello"]


def test_gc_keeps_a_conversation_that_no_checkpoint_has(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    session.say("first", "second")
    session.remove_last()
    ws.store.gc()

    assert session.messages() == ["first"]


def test_what_is_said_while_messages_are_taken_back_is_kept(ws: Workspace, host: FakeHost) -> None:
    """By another thread, after the conversation was read and before it is told anew."""
    session = ws.sessions.open(agent="example")
    session.say("one", "two")
    with host.at("session.rewrite", lambda: session.say("meanwhile")):
        taken = session.remove_last()

    assert taken == ["two"]
    assert session.messages() == ["one", "meanwhile"]
