"""Conversation and tasks come back with the files of the same moment, or it is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption, NeedsConfirmation
from clew.model import bencode
from clew.model.ids import CheckpointId, ObjectType
from clew.model.parts import RestorePart
from clew.model.task import TaskStatus
from clew.operations.restore.journal import JournalPlan, TrailMove
from clew.workspace import Workspace
from clew.workspace.session import Session
from tests.kit.fake_host import FakeHost
from tests.operations.forks.forked import cut, cut_short
from tests.operations.moments import rescues, save


@pytest.fixture
def session(ws: Workspace) -> Session:
    return ws.sessions.open(agent="example", version="1")


@pytest.fixture
def begun(ws: Workspace, project: Path, session: Session) -> str:
    """A first moment; since then a file, a message and a task have changed."""
    (project / "app.py").write_text("first")
    session.say("build it")
    session.add_task("write")
    first = save(ws, "first")
    (project / "app.py").write_text("second")
    session.say("done")
    session.complete_task(1)
    session.add_task("test")
    return first


def statuses(session: Session) -> list[str]:
    return [task.status for task in session.tasks()]


LATER = [TaskStatus.COMPLETED, TaskStatus.PENDING]


def test_files_conversation_and_tasks_come_back_together(
    ws: Workspace, project: Path, session: Session, begun: str
) -> None:
    result = ws.restore(begun)

    assert (project / "app.py").read_text() == "first"
    assert session.messages() == ["build it"]
    assert statuses(session) == [TaskStatus.PENDING]
    assert result.brought.parts == RestorePart.ALL
    assert result.brought.warnings == ()
    assert result.here.id == result.target.id


def test_an_undo_brings_back_what_was_said_and_done_since(
    ws: Workspace, project: Path, session: Session, begun: str
) -> None:
    ws.restore(begun)
    ws.undo()
    after_undo = (project / "app.py").read_text(), session.messages(), statuses(session)
    ws.redo()

    assert after_undo == ("second", ["build it", "done"], LATER)
    assert ((project / "app.py").read_text(), session.messages()) == ("first", ["build it"])
    assert statuses(session) == [TaskStatus.PENDING]


def test_what_is_said_between_undo_and_redo_is_not_lost(
    ws: Workspace, project: Path, session: Session, begun: str
) -> None:
    save(ws, "second")
    session.say("after the second")
    ws.undo()
    session.say("after the undo")
    ws.redo()
    redone = (project / "app.py").read_text(), session.messages()
    ws.undo()

    assert redone == ("second", ["build it", "done", "after the second"])
    assert (project / "app.py").read_text() == "first"
    assert session.messages() == ["build it", "after the undo"]


def test_a_restore_to_where_we_are_takes_no_rescue(ws: Workspace, begun: str) -> None:
    ws.restore(begun)
    with ws.sessions.current().effect("deploy"):
        pass
    ws.restore(begun)
    number = len(rescues(ws))
    ws.restore(begun)

    assert len(rescues(ws)) == number


@pytest.mark.parametrize(
    ("parts", "stays"),
    [
        ((RestorePart.FILES,), ["conversation", "task list"]),
        ((RestorePart.FILES, RestorePart.CONVERSATION), ["task list"]),
        ((RestorePart.CONVERSATION, RestorePart.TASKS), ["files"]),
        ((RestorePart.TASKS,), ["files", "conversation"]),
    ],
)
def test_chosen_parts_come_back_alone_and_what_does_not_fit_is_named(
    ws: Workspace,
    project: Path,
    session: Session,
    begun: str,
    parts: tuple[str, ...],
    stays: list[str],
) -> None:
    foretold = ws.preview(begun, parts=parts)
    result = ws.restore(begun, parts=parts)

    assert (project / "app.py").read_text() == ("first" if RestorePart.FILES in parts else "second")
    talked = session.messages() == ["build it", "done"]
    assert talked == (RestorePart.CONVERSATION not in parts)
    assert (statuses(session) == LATER) == (RestorePart.TASKS not in parts)
    assert len(result.brought.warnings) == len(stays)
    for name, sentence in zip(stays, result.brought.warnings, strict=True):
        assert f"the {name} " in sentence
        assert sentence.endswith("current")
    assert foretold.brought.warnings == result.brought.warnings


def test_a_mixed_moment_is_a_checkpoint_of_its_own(
    ws: Workspace, project: Path, session: Session, begun: str
) -> None:
    result = ws.restore(begun, parts=[RestorePart.CONVERSATION])
    session.say("another way")
    ws.restore(result.here.id.hex())

    assert result.here.id != result.target.id
    assert result.here.record.position.length == result.target.record.position.length
    assert (project / "app.py").read_text() == "second"
    assert session.messages() == ["build it"]
    assert statuses(session) == LATER


def test_paths_bring_back_files_alone(
    ws: Workspace, project: Path, session: Session, begun: str
) -> None:
    result = ws.restore(begun, paths=[str(project / "app.py")])

    assert result.brought.parts == (RestorePart.FILES,)
    assert session.messages() == ["build it", "done"]
    with pytest.raises(BadOption, match="PATH: requires --files"):
        ws.restore(begun, paths=[str(project / "app.py")], parts=[RestorePart.TASKS])


def test_a_conversation_that_moved_needs_a_yes(ws: Workspace, session: Session, begun: str) -> None:
    ws.restore(begun)
    session.say("more")
    preview = ws.preview(begun)

    assert preview.brought.moved == (RestorePart.CONVERSATION,)
    with pytest.raises(NeedsConfirmation):
        ws.restore(begun, confirm=lambda found: False)
    assert session.messages() == ["build it", "more"]


def test_another_sessions_conversation_stays_and_that_is_said(
    ws: Workspace, project: Path, session: Session, begun: str
) -> None:
    other = ws.sessions.open(agent="other")
    other.say("mine")
    result = ws.restore(begun)

    assert (project / "app.py").read_text() == "first"
    assert result.brought.parts == (RestorePart.FILES,)
    assert (
        f"belongs to session {session.id[:8]}, which is not attached" in result.brought.warnings[0]
    )
    assert (other.messages(), session.messages()) == (["mine"], ["build it", "done"])
    with pytest.raises(BadOption, match=r"--conversation: the session of .* is not attached"):
        ws.restore(begun, parts=[RestorePart.CONVERSATION])


def test_a_moment_without_a_session_says_that_the_conversation_stays(
    ws: Workspace, project: Path
) -> None:
    (project / "app.py").write_text("first")
    first = save(ws, "first")
    (project / "app.py").write_text("second")
    ws.sessions.open(agent="example").say("hello")
    result = ws.restore(first)

    assert result.brought.warnings == (f"The conversation is current: {first[:8]} has none",)


def test_a_migrated_session_goes_back_to_before_its_migration(
    ws: Workspace, session: Session, begun: str
) -> None:
    new = ws.sessions.migrate(version="2").new
    ws.restore(begun)

    assert ws.sessions.open(new.text_id).messages() == ["build it"]
    assert session.messages() == ["build it", "done"]


# A transcript


@pytest.fixture
def transcript(ws: Workspace, tmp_path: Path) -> Path:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(b'{"n": 1}\n')
    path.chmod(0o640)
    ws.sessions.open(agent="example", transcript=str(path))
    return path


def test_a_transcript_is_what_it_was_and_an_undo_brings_the_newer_one_back(
    ws: Workspace, transcript: Path
) -> None:
    first = save(ws, "first")
    with transcript.open("ab") as file:
        file.write(b'{"n": 2}\n')
    ws.restore(first)
    went_back = transcript.read_bytes()
    mode = transcript.stat().st_mode & 0o777
    ws.undo()

    assert (went_back, mode) == (b'{"n": 1}\n', 0o640)
    assert transcript.read_bytes() == b'{"n": 1}\n{"n": 2}\n'
    assert sorted(os.listdir(transcript.parent)) == ["project", "store", "transcript.jsonl"]


def test_a_transcript_that_is_gone_is_written_again(ws: Workspace, transcript: Path) -> None:
    first = save(ws, "first")
    transcript.unlink()
    result = ws.restore(first)

    assert transcript.read_bytes() == b'{"n": 1}\n'
    assert not result.is_partial


def test_a_transcript_rewritten_by_compaction_is_rescued_and_comes_back(
    ws: Workspace, transcript: Path
) -> None:
    first = save(ws, "first")
    transcript.write_bytes(b'{"summary": "short"}\nnot JSON, and cut sho')
    ws.restore(first)
    went_back = transcript.read_bytes()
    ws.undo()

    assert went_back == b'{"n": 1}\n'
    assert transcript.read_bytes() == b'{"summary": "short"}\nnot JSON, and cut sho'


def test_a_transcript_written_to_after_the_rescue_is_left_alone(
    ws: Workspace, project: Path, transcript: Path, host: FakeHost
) -> None:
    (project / "app.py").write_text("first")
    first = save(ws, "first")
    (project / "app.py").write_text("second")

    def write() -> None:
        with transcript.open("ab") as file:
            file.write(b'{"n": "late"}\n')

    with host.at("restore.write-outside", write):
        result = ws.restore(first)

    assert (project / "app.py").read_text() == "first"
    assert transcript.read_bytes() == b'{"n": 1}\n{"n": "late"}\n'
    assert result.is_partial
    assert "changed after the rescue was read" in result.problems[0].reason
    assert RestorePart.CONVERSATION not in result.brought.parts


def test_a_transcript_that_became_a_link_is_never_written_through(
    ws: Workspace, transcript: Path, tmp_path: Path
) -> None:
    first = save(ws, "first")
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    transcript.unlink()
    transcript.symlink_to(precious)
    result = ws.restore(first)

    assert precious.read_text() == "keep me"
    assert transcript.is_symlink()
    assert result.is_partial


def test_a_transcript_among_the_files_comes_back_with_them(ws: Workspace, project: Path) -> None:
    path = project / "transcript.jsonl"
    path.write_bytes(b"1\n")
    ws.sessions.open(agent="example", transcript=str(path))
    first = save(ws, "first")
    path.write_bytes(b"1\n2\n")
    result = ws.restore(first)

    assert path.read_bytes() == b"1\n"
    assert (result.verified, result.here.id) == (True, result.target.id)


def test_among_the_files_the_moment_of_the_files_holds(
    ws: Workspace, project: Path, host: FakeHost
) -> None:
    path = project / "transcript.jsonl"
    path.write_bytes(b"1\n")
    ws.sessions.open(agent="example", transcript=str(path))
    with host.at("save.locate", lambda: path.write_bytes(b"1\n2\n")):
        first = save(ws, "written to between the scan and the position")
    path.write_bytes(b"1\n2\n3\n")
    result = ws.restore(first)

    assert path.read_bytes() == b"1\n"
    assert not result.is_partial
    assert result.brought.parts == RestorePart.ALL
    assert result.here.id == result.target.id


# Cut short


CUTS = {
    "before the transcript": "restore.write-outside",
    "before the trail moves": "restore.commit",
}


@pytest.mark.parametrize("where", CUTS)
@pytest.mark.parametrize("with_files", [True, False])
def test_a_restore_cut_short_brings_all_of_it_back(
    ws: Workspace,
    project: Path,
    store: Path,
    transcript: Path,
    host: FakeHost,
    where: str,
    with_files: bool,
) -> None:
    (project / "app.py").write_text("first")
    ws.sessions.current().add_task("write")
    first = save(ws, "first")
    if with_files:
        (project / "app.py").write_text("second")
    with transcript.open("ab") as file:
        file.write(b'{"n": 2}\n')
    ws.sessions.current().complete_task(1)

    def body() -> None:
        with (
            host.at(CUTS[where], cut),
            opening.open(project, store=store, host=host) as opened,
        ):
            opened.restore(first)

    ws.close()
    cut_short(body)
    with opening.open(project, store=store) as again:
        again.save("next")
        session = again.sessions.current()
        found = transcript.read_bytes(), (project / "app.py").read_text()

        assert found == (b'{"n": 1}\n', "first")
        assert statuses(session) == [TaskStatus.PENDING]
        assert len(rescues(again)) == 1


def test_a_damaged_conversation_stops_a_restore_before_anything_changed(
    ws: Workspace, project: Path, begun: str
) -> None:
    store, whole = ws._access.store, ws.resolve(begun)
    with store.writing() as writer:
        garbage = writer.put(ObjectType.BLOB, b"no conversation")
        position = whole.record.position._replace(conversation=garbage)
        record = whole.record._replace(sequence=99, position=position)
        broken = store.commit(
            writer, record, lambda added: store.checkpoints.label(added, whole.labels)
        ).hex()
    with pytest.raises(Exception, match="Cannot read the conversation of a session"):
        ws.restore(broken)

    assert (project / "app.py").read_text() == "second"
    ws.restore(broken, parts=[RestorePart.FILES])
    assert (project / "app.py").read_text() == "first"


def test_a_journal_of_before_there_were_sessions_brings_back_files_alone() -> None:
    ids = CheckpointId(b"1" * 32), CheckpointId(b"2" * 32)
    plan = JournalPlan(*ids, None, (), TrailMove(), ())
    old = bencode.decode_dict(plan.encode())
    for key in (b"parts", b"session", b"fresh"):
        del old[key]

    assert JournalPlan.decode(bencode.encode(old)) == plan
