"""Two versions of an agent whose states differ in shape, and a session that goes from one to the other.

Version 1 keeps a list of words it has done; version 2 keeps a table with the length of each, and
refuses to begin with anything else.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.errors import BadOption, MigrationFailed
from clew.model.task import TaskStatus
from clew.workspace import Workspace
from clew.workspace.session import Session

WORDS = ["one", "three", "eleven"]
SECRET = "Kq7canary9fX2vB4nM8pL1zT"


class FirstAgent:
    """Version 1: `{"done": ["one", ...]}`."""

    VERSION = "1.0"

    def __init__(self, session: Session) -> None:
        self.session = session
        state = session.state or {"done": []}
        assert isinstance(state, dict)
        assert set(state) == {"done"}
        self.done: list[str] = state["done"]

    def step(self, project: Path) -> None:
        task = self.session.resume().task
        assert task is not None
        self.session.start_task(task.number)
        (project / task.title).write_text(task.title)
        self.done.append(task.title)
        self.session.say({"role": "assistant", "content": f"wrote {task.title}"})
        self.session.set_state({"done": self.done})
        self.session.complete_task(task.number)
        self.session.save(f"wrote {task.title}")


class SecondAgent:
    """Version 2: `{"schema": 2, "lengths": {"one": 3, ...}}`."""

    VERSION = "2.0"

    def __init__(self, session: Session) -> None:
        self.session = session
        state = session.state
        assert isinstance(state, dict)
        assert state["schema"] == 2
        self.lengths: dict[str, int] = state["lengths"]

    def step(self, project: Path) -> None:
        task = self.session.resume().task
        assert task is not None
        (project / task.title).write_text(task.title.upper())
        self.lengths[task.title] = len(task.title)
        self.session.say({"role": "assistant", "content": f"wrote {task.title}"})
        self.session.set_state({"schema": 2, "lengths": self.lengths})
        self.session.complete_task(task.number)
        self.session.save(f"wrote {task.title}")


def upgrade(state: object) -> object:
    assert isinstance(state, dict)
    return {"schema": 2, "lengths": {word: len(word) for word in state["done"]}}


UPGRADE = """\
import json, sys
state = json.load(sys.stdin)
json.dump({"schema": 2, "lengths": {word: len(word) for word in state["done"]}}, sys.stdout)
"""


@pytest.fixture
def begun(ws: Workspace, project: Path) -> Session:
    """A session of version 1 in flight: two words written, one to go."""
    session = ws.sessions.open(agent="example", version=FirstAgent.VERSION, native="run 7")
    for word in WORDS:
        session.add_task(word)
    agent = FirstAgent(session)
    agent.step(project)
    agent.step(project)
    session.say({"role": "user", "content": "now the next version"})
    return session


def test_a_session_in_flight_goes_on_under_the_next_version(
    ws: Workspace, project: Path, begun: Session
) -> None:
    moved = ws.sessions.migrate(version=SecondAgent.VERSION, convert=upgrade)
    session = ws.sessions.current()
    SecondAgent(session).step(project)

    assert session.id == moved.new.text_id
    assert session.state == {"schema": 2, "lengths": {"one": 3, "three": 5, "eleven": 6}}
    assert [task.status for task in session.tasks()] == [TaskStatus.COMPLETED] * 3
    assert (project / "eleven").read_text() == "ELEVEN"


def test_the_conversation_goes_along_to_the_last_word(ws: Workspace, begun: Session) -> None:
    before = begun.messages()
    ws.sessions.migrate(version="2.0", convert=upgrade)
    session = ws.sessions.current()
    session.say("more")
    saved = ws.save("under version 2").checkpoint

    assert session.messages() == [*before, "more"]
    assert before[-1] == {"role": "user", "content": "now the next version"}
    assert (saved.record.position.agent, saved.record.position.version) == ("example", "2.0")
    assert begun.messages() == before


def test_the_old_session_stays_as_it_was(ws: Workspace, begun: Session) -> None:
    tasks, state = begun.tasks(), begun.state
    moved = ws.sessions.migrate(version="2.0", convert=upgrade)
    ws.tasks.mark(3, TaskStatus.SKIPPED)

    assert begun.tasks() == tasks
    assert begun.state == state
    assert not begun.info.attached
    assert moved.new.origin == begun.info.id
    assert moved.converted


def test_an_old_checkpoint_can_be_restored_and_resumed_under_the_new_version(
    ws: Workspace, project: Path, begun: Session
) -> None:
    old = ws.log(session=begun.id).checkpoints[-1]
    ws.sessions.migrate(version="2.0", convert=upgrade)
    ws.restore(old.id.hex())
    found = ws.tasks.resume()

    assert sorted(path.name for path in project.iterdir()) == ["one"]
    assert found.session.version == "2.0"
    assert found.checkpoint is not None
    assert found.checkpoint.id == old.id


def test_the_name_and_the_files_belong_to_the_one_that_goes_on(
    ws: Workspace, project: Path, begun: Session
) -> None:
    begun.read(str(project / "notes"))
    moved = ws.sessions.migrate(version="2.0", convert=upgrade)
    SecondAgent(ws.sessions.open("run 7")).step(project)

    assert ws.sessions.open("run 7").id == moved.new.text_id
    again = ws.sessions.open(agent="example", version="2.1", native="run 7")
    assert again.id == moved.new.text_id
    assert {file.path for file in ws.sessions.files().files} == {b"notes", b"three", b"eleven"}


def test_a_command_converts_with_json_on_both_sides(
    ws: Workspace, project: Path, tmp_path: Path, begun: Session
) -> None:
    script = tmp_path / "upgrade.py"
    script.write_text(UPGRADE)
    ws.sessions.migrate(version="2.0", convert=f"{sys.executable} {script}")
    SecondAgent(ws.sessions.current()).step(project)

    assert ws.tasks.resume().task is None


def test_a_command_is_told_which_versions_it_is_about(ws: Workspace, begun: Session) -> None:
    command = """cat >&2; echo "[\\"$CLEW_FROM_VERSION\\", \\"$CLEW_TO_VERSION\\"]" """
    ws.sessions.migrate(version="2.0", convert=command)

    assert ws.sessions.current().state == ["1.0", "2.0"]


def test_without_a_converter_the_state_is_carried_as_it_is(ws: Workspace, begun: Session) -> None:
    moved = ws.sessions.migrate(version="1.1", agent="example-two")

    assert ws.sessions.current().state == {"done": ["one", "three"]}
    assert (moved.new.agent, moved.new.version, moved.converted) == ("example-two", "1.1", False)


def test_one_that_is_not_attached_stays_so(ws: Workspace, begun: Session) -> None:
    other = ws.sessions.open(agent="other")
    moved = ws.sessions.migrate(begun.id, version="2.0", convert=upgrade)

    assert ws.sessions.current().id == other.id
    assert not moved.new.attached


def refuse(state: object) -> object:
    raise KeyError(f"no such thing\npassword={SECRET}")


@pytest.mark.parametrize(
    ("convert", "message"),
    [
        (refuse, "the converter raised KeyError"),
        (lambda _: {1, 2}, "the converted state cannot be stored"),
        (lambda _: float("nan"), "the converted state cannot be stored"),
        ("exit 3", "exit code 3"),
        ("echo 'no such schema' >&2; exit 1", "exit code 1: 'no such schema'"),
        (f"echo token={SECRET} >&2; exit 1", "exit code 1: 'token=\\[redacted\\]'"),
        ("kill -9 $$", "killed by signal 9"),
        ("echo not json", "the converter printed invalid JSON"),
        ("true", "the converter printed invalid JSON"),
        ("/nowhere/to/be/found", "exit code 127"),
    ],
    ids=[
        *("raises", "a set", "not a number", "exits", "complains", "complains of a secret"),
        *("killed", "no json", "silent", "not found"),
    ],
)
def test_a_converter_that_fails_leaves_everything_as_it_was(
    ws: Workspace, begun: Session, convert: object, message: str
) -> None:
    before = (ws.sessions.all(), begun.tasks(), begun.messages())
    with pytest.raises(MigrationFailed, match=message) as caught:
        ws.sessions.migrate(version="2.0", convert=convert)  # type: ignore[arg-type]

    assert (ws.sessions.all(), begun.tasks(), begun.messages()) == before
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_state_that_changes_meanwhile_is_not_lost(ws: Workspace, begun: Session) -> None:
    def convert(state: object) -> object:
        begun.set_state({"done": WORDS})
        return upgrade(state)

    with pytest.raises(MigrationFailed, match="its state changed during the migration"):
        ws.sessions.migrate(version="2.0", convert=convert)

    assert begun.state == {"done": WORDS}
    assert len(ws.sessions.all()) == 1


@pytest.mark.parametrize("version", ["", " ", "1.0"])
def test_a_version_that_is_none_or_the_same_is_refused(
    ws: Workspace, begun: Session, version: str
) -> None:
    with pytest.raises(BadOption, match="--to"):
        ws.sessions.migrate(version=version)


def test_a_state_is_any_json_value_and_nothing_else(ws: Workspace) -> None:
    session = ws.sessions.open()
    values: list[object] = [None, 1, "é\n\x00", [1, {"a": None}], {"b": 1.5}]
    for value in values:
        session.set_state(value)

        assert session.state == value
    with pytest.raises(BadOption, match="not a JSON value"):
        session.set_state(object())
    with pytest.raises(BadOption, match="larger than"):
        session.set_state("x" * (17 << 20))
    assert session.state == values[-1]
