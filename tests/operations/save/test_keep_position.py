"""What a session said and ticked off is in the store before any checkpoint carries it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.record import Origin
from clew.workspace import Workspace


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b'{"text": "first"}\n')
    return path


def said(ws: Workspace, ref: str = "@") -> bytes:
    return b"".join(ws.sessions.conversation(ref))


def test_it_makes_no_checkpoint(ws: Workspace, talk: Path) -> None:
    ws.save("start")
    notices = ws.sessions.open(transcript=str(talk)).keep_position()

    assert notices == ()
    assert len(ws.log().checkpoints) == 1


def test_the_conversation_outlives_its_file_and_a_collection(ws: Workspace, talk: Path) -> None:
    ws.save("start")
    session = ws.sessions.open(transcript=str(talk))
    session.keep_position()
    talk.unlink()
    ws.store.gc()
    ws.store.check(read_data=True)

    assert session.info.length == len(b'{"text": "first"}\n')
    assert session.messages() == [{"text": "first"}]
    ws.save("next")
    assert said(ws) == b'{"text": "first"}\n'


def test_messages_that_were_said_to_us_are_taken_too(ws: Workspace) -> None:
    ws.save("start")
    session = ws.sessions.open(agent="example")
    session.say({"text": "first"}, {"text": "second"})
    session.keep_position()
    ws.store.gc()
    session.say({"text": "third"})

    assert [one["text"] for one in session.messages() if isinstance(one, dict)] == [
        "first",
        "second",
        "third",
    ]
    assert ws.sessions.show(session.id).pending == 1


def test_it_belongs_to_the_session_that_is_named_whoever_is_attached(
    ws: Workspace, talk: Path
) -> None:
    ws.save("start")
    mine = ws.sessions.open(native="mine", transcript=str(talk))
    attached = ws.sessions.open(native="attached")
    mine.keep_position()

    assert mine.info.length > 0
    assert attached.info.length == 0


def test_a_transcript_that_cannot_be_read_is_a_notice(ws: Workspace, talk: Path) -> None:
    ws.save("start")
    session = ws.sessions.open(transcript=str(talk))
    session.keep_position()
    talk.unlink()
    (notice,) = session.keep_position()

    assert "Cannot record the conversation" in notice
    assert session.info.length > 0, "what was taken before stays"


def test_nothing_new_writes_nothing(ws: Workspace, talk: Path, store: Path) -> None:
    ws.save("start")
    session = ws.sessions.open(transcript=str(talk))
    session.keep_position()
    before = sorted((path.name, path.stat().st_size) for path in (store / "packs").iterdir())
    session.keep_position()

    assert before == sorted((p.name, p.stat().st_size) for p in (store / "packs").iterdir())


def test_a_save_of_files_only_keeps_what_was_said_where_none_changed(
    ws: Workspace, project: Path, talk: Path
) -> None:
    ws.save("start")
    session = ws.sessions.open(transcript=str(talk))
    unchanged = ws.save("x", files_only=True, origin=Origin.HOOK, session=session.id)
    talk.unlink()
    ws.store.gc()
    (project / "file").write_text("x")
    changed = ws.save("y", files_only=True, origin=Origin.HOOK, session=session.id)

    assert (unchanged.created, changed.created) == (False, True)
    assert changed.checkpoint.record.position.length == len(b'{"text": "first"}\n')


def test_words_are_asked_for_only_where_there_is_a_checkpoint(ws: Workspace, project: Path) -> None:
    ws.save("start")
    asked: list[str] = []

    def find_intent() -> str:
        asked.append("x")
        return "found"

    ws.save(find_intent, files_only=True)
    before = list(asked)
    (project / "file").write_text("x")
    made = ws.save(find_intent, files_only=True)

    assert before == []
    assert made.checkpoint.labels.intent == "found"


def test_words_that_cannot_be_found_cost_no_checkpoint(ws: Workspace) -> None:
    def find_intent() -> str:
        raise ValueError("no words")

    made = ws.save(find_intent)

    assert made.created
    assert any("no words" in notice for notice in made.notices)


def test_a_rescue_carries_what_was_kept(ws: Workspace, project: Path, talk: Path) -> None:
    session = ws.sessions.open(transcript=str(talk))
    first = ws.save("start").checkpoint
    with talk.open("ab") as file:
        file.write(b'{"text": "second"}\n')
    session.keep_position()
    talk.unlink()
    (project / "file").write_text("x")
    result = ws.restore(first.id.hex())

    assert result.rescue is not None
    assert b"second" in said(ws, result.rescue.id.hex())
