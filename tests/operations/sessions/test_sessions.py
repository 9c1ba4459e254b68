"""Files, conversation and tasks of one moment are one checkpoint."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew.errors import BadOption, NoSession, TaskEnded, UnknownSession, UnknownTask
from clew.model.checkpoint import Checkpoint
from clew.model.task import TaskStatus, decode_tasks
from clew.operations.sessions.conversation import content
from clew.workspace import Workspace


def conversation(ws: Workspace, checkpoint: Checkpoint) -> bytes:
    with ws.reading_context() as context:
        get = context.store.objects.get
        return b"".join(content(checkpoint.record.position.conversation, get))


def test_a_checkpoint_carries_the_session_that_is_attached(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example", version="1.0")
    session.say({"role": "user", "content": "build it"})
    session.add_task("write the code")
    saved = ws.save("one").checkpoint
    position = saved.record.position

    assert position.session.hex() == session.id
    assert (position.agent, position.version) == ("example", "1.0")
    assert json.loads(conversation(ws, saved)) == {"role": "user", "content": "build it"}
    assert position.tasks is not None
    with ws.reading_context() as context:
        tasks = decode_tasks(context.store.objects.get(position.tasks))
    assert [(task.title, task.status) for task in tasks] == [("write the code", "pending")]


def test_no_session_leaves_no_trace(ws: Workspace) -> None:
    assert ws.save("one").checkpoint.record.position.is_empty


def test_what_is_said_survives_without_a_checkpoint(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    session.say("first")
    ws.save("one")
    session.say("second", "third")

    assert ws.sessions.open(session.id).messages() == ["first", "second", "third"]


def test_a_moved_conversation_is_news_though_no_file_changed(ws: Workspace) -> None:
    session = ws.sessions.open(agent="example")
    ws.save("one")
    unchanged = ws.save("two", skip_unchanged=True)
    session.say("more")
    moved = ws.save("three", skip_unchanged=True)

    assert not unchanged.created
    assert moved.created
    assert moved.new_bytes < 2000


def test_a_transcript_is_taken_as_it_grows(ws: Workspace, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    ws.sessions.open(agent="example", transcript=str(transcript))
    early = ws.save("before it exists")
    taken = []
    for number in range(3):
        with transcript.open("ab") as file:
            file.write(b'{"n": %d}\n' % number)
        taken.append(ws.save(f"at {number}").checkpoint)

    assert any("Cannot record the conversation" in notice for notice in early.notices)
    assert [conversation(ws, one).count(b"\n") for one in taken] == [1, 2, 3]


def test_a_transcript_that_turns_into_something_else_harms_no_capture(
    ws: Workspace, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text('{"n": 1}\n')
    ws.sessions.open(agent="example", transcript=str(transcript))
    first = ws.save("one").checkpoint
    transcript.unlink()
    os.mkfifo(transcript)
    saved = ws.save("two")

    assert saved.created
    assert any("not a regular file" in notice for notice in saved.notices)
    assert conversation(ws, saved.checkpoint) == conversation(ws, first)


def test_the_same_agent_and_name_is_the_same_session(ws: Workspace) -> None:
    first = ws.sessions.open(agent="example", native="run 7")
    again = ws.sessions.open(agent="example", native="run 7", version="2")
    other = ws.sessions.open(agent="another", native="run 7")

    assert first.id == again.id != other.id
    assert ws.sessions.open(first.id).info.version == "2"


def test_one_session_is_attached_at_a_time(ws: Workspace) -> None:
    first = ws.sessions.open(agent="one")
    second = ws.sessions.open(agent="two")
    third = ws.sessions.open(agent="three", attach=False)

    assert ws.sessions.current().id == second.id
    assert [one.text_id for one in ws.sessions.all()] == [third.id, second.id, first.id]
    assert first.save("of the first").checkpoint.record.position.agent == "one"


@pytest.mark.parametrize("text", ["", "zz", "ffff", "../x", "\x00"])
def test_a_session_that_is_not_there_is_said_so(ws: Workspace, text: str) -> None:
    with pytest.raises(UnknownSession):
        ws.sessions.open(text)


def test_nothing_attached_is_said_so(ws: Workspace) -> None:
    with pytest.raises(NoSession):
        ws.sessions.current()


def test_a_directory_is_no_transcript(ws: Workspace, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="not a file"):
        ws.sessions.open(transcript=str(tmp_path))


def test_tasks_go_from_pending_to_an_end(ws: Workspace) -> None:
    session = ws.sessions.open()
    for title in ("one", "two", "three", "four"):
        session.add_task(title)
    session.start_task(1)
    session.complete_task(1)
    session.fail_task(2, "no network")
    session.skip_task(3)

    assert [task.status for task in session.tasks()] == [
        TaskStatus.COMPLETED,
        TaskStatus.FAILED,
        TaskStatus.SKIPPED,
        TaskStatus.PENDING,
    ]
    first = session.resume().task
    assert first is not None
    assert first.title == "four"


def test_a_task_ends_once(ws: Workspace) -> None:
    session = ws.sessions.open()
    session.add_task("one")
    session.complete_task(1)

    with pytest.raises(TaskEnded):
        session.complete_task(1)
    with pytest.raises(TaskEnded):
        session.start_task(1)


def test_a_failed_task_can_be_tried_again(ws: Workspace) -> None:
    session = ws.sessions.open()
    session.add_task("one")
    session.fail_task(1)
    session.start_task(1)

    assert session.complete_task(1).status == TaskStatus.COMPLETED


def test_an_unknown_task_is_said_so(ws: Workspace) -> None:
    with pytest.raises(UnknownTask):
        ws.sessions.open().start_task(3)


def test_resume_gives_the_checkpoint_to_continue_from(ws: Workspace) -> None:
    session = ws.sessions.open()
    nothing = session.resume()
    session.add_task("one")
    saved = ws.save("begun").checkpoint

    assert (nothing.task, nothing.checkpoint) == (None, None)
    found = session.resume()
    assert found.checkpoint is not None
    assert found.checkpoint.id == saved.id


def test_gc_keeps_what_a_session_goes_on_from(ws: Workspace) -> None:
    session = ws.sessions.open()
    session.say("precious")
    doomed = ws.save("one").checkpoint
    session.say("more")
    ws.save("two")
    ws.delete([doomed.id.hex()])
    ws.store.gc()

    assert session.messages() == ["precious", "more"]
    assert ws.store.check(read_data=True).whole


def test_a_purge_lets_go_of_the_conversation_too(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open()
    session.say("the secret word")
    doomed = ws.save("one").checkpoint
    with ws.reading_context() as context:
        context.store.sessions.detach(session.info)
    ws.save("two")
    ws.delete([doomed.id.hex()], purge=True)

    assert session.messages() == []
    assert ws.store.check(read_data=True).whole
