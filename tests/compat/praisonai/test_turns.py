"""Turns: files and conversation are reverted together."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.compat.praisonai import SessionCheckpointManager
from tests.compat.praisonai.place import Place, run


class Talk:
    """The smallest store of conversations there is."""

    def __init__(self) -> None:
        self.said: dict[str, list[dict[str, object]]] = {}

    def add_message(self, session_id: str, role: str, content: str) -> None:
        self.said.setdefault(session_id, []).append({"role": role, "content": content})

    def get_messages(self, session_id: str) -> list[dict[str, object]]:
        return list(self.said.get(session_id, []))

    def revert_to_message(self, session_id: str, message_index: int) -> None:
        assert 0 <= message_index < len(self.said[session_id])
        del self.said[session_id][message_index + 1 :]

    def clear_messages(self, session_id: str) -> None:
        self.said[session_id] = []

    def texts(self, session_id: str = "chat") -> list[object]:
        return [one["content"] for one in self.get_messages(session_id)]


def manager(place: Place, talk: object = None, **options: Any) -> SessionCheckpointManager:
    """Return another manager, as another process would make it."""
    return SessionCheckpointManager(
        str(place.workspace),
        enabled=True,
        storage_dir=str(place.storage),
        session_store=talk,
        session_id="chat" if talk is not None else None,
        **options,
    )


def play(turns: SessionCheckpointManager, place: Place, talk: Talk, number: int) -> str | None:
    """Play one turn: it is checkpointed, something is asked, a file is written, it is answered."""
    made = turns.checkpoint_turn(f"write {number}")
    talk.add_message("chat", "user", f"write {number}")
    place.write("a.txt", str(number))
    talk.add_message("chat", "assistant", f"wrote {number}")
    return made


def test_files_and_conversation_go_back_together(place: Place) -> None:
    talk = Talk()
    turns = manager(place, talk)
    for number in (1, 2, 3):
        play(turns, place, talk, number)
    reverted = turns.revert()

    assert reverted is not None
    assert (reverted.turn, reverted.message, reverted.message_count) == (3, "turn 3: write 3", 4)
    assert place.read("a.txt") == "2"
    assert talk.texts() == ["write 1", "wrote 1", "write 2", "wrote 2"]
    assert len(turns.messages()) == 4


def test_the_timeline_outlives_the_process(place: Place) -> None:
    talk = Talk()
    made = [play(manager(place, talk), place, talk, number) for number in (1, 2, 3)]
    manager(place, talk).revert()
    again = manager(place, talk)
    left = [(one.turn, one.checkpoint_id) for one in again.turns]

    assert left == [(1, made[0]), (2, made[1])]
    assert again.revert(2) is not None
    assert not (place.workspace / "a.txt").exists()
    assert talk.texts() == []
    assert again.turns == []
    assert again.revert() is None


def test_turns_go_on_counting_after_a_revert(place: Place) -> None:
    talk = Talk()
    turns = manager(place, talk)
    for number in (1, 2):
        play(turns, place, talk, number)
    turns.revert()
    play(turns, place, talk, 3)

    assert [one.message for one in turns.turns] == ["turn 1: write 1", "turn 3: write 3"]
    assert talk.texts() == ["write 1", "wrote 1", "write 3", "wrote 3"]


def test_what_is_taken_back_is_not_lost(place: Place) -> None:
    talk = Talk()
    turns = manager(place, talk)
    play(turns, place, talk, 1)
    turns.revert()
    with clew.open(place.workspace, store=place.storage) as ws:
        rescue = next(one for one in ws.log().checkpoints if one.is_rescue)
        ws.restore(rescue.id.hex())

        assert place.read("a.txt") == "1"
        assert len(ws.sessions.current().messages()) == 2


def test_a_conversation_that_was_compacted_comes_back_as_it_was(place: Place) -> None:
    talk = Talk()
    turns = manager(place, talk)
    for number in (1, 2):
        play(turns, place, talk, number)
    talk.said["chat"] = [{"role": "system", "content": "all of it in short"}]
    play(turns, place, talk, 3)

    assert turns.revert() is not None
    assert talk.texts() == ["all of it in short"]
    assert turns.revert() is not None
    assert talk.texts() == ["write 1", "wrote 1"]
    assert place.read("a.txt") == "1"


def test_an_agent_without_a_store_keeps_its_conversation_here(place: Place) -> None:
    turns = manager(place)
    turns.checkpoint_turn("first")
    turns.say({"role": "user", "content": "one"}, {"role": "assistant", "content": "two"})
    turns.checkpoint_turn("second")
    turns.say({"role": "user", "content": "three"})

    assert turns.dropped_message_count() == 1
    assert turns.dropped_message_count(2) == 3
    assert turns.revert() is not None
    assert len(manager(place).messages()) == 2
    assert turns.revert() is not None
    assert manager(place).messages() == []


def test_where_nothing_is_said_only_files_go_back(place: Place) -> None:
    turns = manager(place)
    turns.checkpoint_turn("first")
    place.write("a.txt", "1")

    assert turns.dropped_message_count() is None
    assert turns.turns[0].message_count is None
    assert turns.revert() is not None
    assert not (place.workspace / "a.txt").exists()


def test_a_store_that_cannot_follow_leaves_the_files_back(place: Place) -> None:
    class Broken(Talk):
        def revert_to_message(self, session_id: str, message_index: int) -> None:
            raise RuntimeError("no")

    talk = Broken()
    turns = manager(place, talk)
    for number in (1, 2):
        play(turns, place, talk, number)

    assert turns.revert() is not None
    assert place.read("a.txt") == "1"
    assert len(talk.texts()) == 4


def test_the_preview_says_what_would_go(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk()
    turns = manager(place, talk)
    play(turns, place, talk, 1)
    shown = turns.preview()

    assert capsys.readouterr().out == shown
    assert "+++ b/a.txt" in shown
    assert shown.endswith(
        "This will also drop 2 conversation message(s) to keep history in sync with the files.\n"
    )
    assert turns.preview(5) == ""
    assert place.read("a.txt") == "1"


def test_a_diff_is_of_the_session_or_of_the_last_turn(place: Place) -> None:
    turns = manager(place)
    assert turns.diff() is None
    turns.checkpoint_turn("first")
    place.write("one.txt", "1\n")
    turns.checkpoint_turn("second")
    place.write("two.txt", "2\n")
    whole, last = turns.diff(), turns.diff(turn_only=True)
    chosen = turns.diff(path="one.txt")

    assert whole is not None
    assert last is not None
    assert chosen is not None
    assert whole.added_files == ["one.txt", "two.txt"]
    assert last.added_files == ["two.txt"]
    assert chosen.added_files == ["one.txt"]


def test_a_turn_without_changes_is_a_turn(place: Place) -> None:
    turns = manager(place)

    assert turns.checkpoint_turn("one") != turns.checkpoint_turn("two")
    assert [one.turn for one in turns.turns] == [1, 2]


def test_a_turn_whose_checkpoint_was_deleted_is_none(place: Place) -> None:
    turns = manager(place)
    first = turns.checkpoint_turn("one")
    second = turns.checkpoint_turn("two")
    assert first is not None
    assert run(turns.service.delete(first))

    assert [one.checkpoint_id for one in turns.turns] == [second]


def test_switched_off_it_does_nothing(place: Place) -> None:
    turns = SessionCheckpointManager(str(place.workspace), storage_dir=str(place.storage))

    assert turns.checkpoint_turn("one") is None
    assert turns.revert() is None
    assert turns.dropped_message_count() is None
    assert turns.preview() == ""
    assert turns.turns == []
    assert not place.storage.exists()


def test_what_cannot_be_kept_does_not_end_a_turn(place: Place) -> None:
    place.storage.write_text("no directory")
    turns = manager(place)

    assert turns.checkpoint_turn("one") is None
    assert turns.revert() is None
    assert turns.turns == []


def test_the_agent_s_own_state_stays(place: Place) -> None:
    turns = manager(place)
    turns.checkpoint_turn("one")
    with clew.open(place.workspace, store=place.storage) as ws:
        session = ws.sessions.current()
        state: Any = session.state
        session.set_state({**state, "plan": ["a"]})
    turns.checkpoint_turn("two")
    with clew.open(place.workspace, store=place.storage) as ws:
        after: Any = ws.sessions.current().state

    assert after["plan"] == ["a"]
    assert len(turns.turns) == 2


@pytest.mark.parametrize(
    ("config", "switch", "default", "expected"),
    [
        (None, None, False, False),
        (None, None, True, True),
        ({"checkpoints": {"auto": True}}, None, False, True),
        ({"checkpoints": {"auto": False}}, None, True, False),
        ({"checkpoints": {"auto": True}}, "off", False, False),
        ({"checkpoints": True}, None, False, False),
        ({}, " Yes ", False, True),
    ],
)
def test_settings_and_the_environment_switch_it(
    monkeypatch: pytest.MonkeyPatch,
    config: dict[str, Any] | None,
    switch: str | None,
    default: bool,
    expected: bool,
) -> None:
    monkeypatch.delenv("PRAISONAI_CHECKPOINTS", raising=False)
    if switch is not None:
        monkeypatch.setenv("PRAISONAI_CHECKPOINTS", switch)
    made = SessionCheckpointManager.from_config("project", config, default=default)

    assert made.enabled is expected


def test_from_config_takes_what_it_takes_there(tmp_path: Path) -> None:
    parameters = inspect.signature(SessionCheckpointManager.from_config).parameters
    made = SessionCheckpointManager.from_config(
        str(tmp_path), {"checkpoints": {"storage_dir": "/elsewhere"}}, session_id="chat"
    )

    assert list(parameters) == [
        "workspace_dir", "config", "verbose", "session_store", "session_id", "default",
    ]  # fmt: skip
    assert (made.storage_dir, made.session_id) == ("/elsewhere", "chat")


@pytest.mark.skipif(
    importlib.util.find_spec("praisonaiagents") is None,
    reason="needs praisonaiagents: make test-praisonai",
)
@pytest.mark.filterwarnings("default")
def test_the_real_store_of_sessions_goes_back_with_the_files(place: Place, tmp_path: Path) -> None:
    hierarchy = importlib.import_module("praisonaiagents.session.hierarchy")
    store = hierarchy.HierarchicalSessionStore(session_dir=str(tmp_path / "sessions"))
    turns = manager(place, store)
    for number in (1, 2):
        turns.checkpoint_turn(f"write {number}")
        store.add_message("chat", "user", f"write {number}")
        place.write("a.txt", str(number))
        store.add_message("chat", "assistant", f"wrote {number}")

    def texts() -> list[str]:
        return [one.content for one in store.get_extended_session("chat").messages]

    assert turns.revert() is not None
    assert (place.read("a.txt"), texts()) == ("1", ["write 1", "wrote 1"])
    assert turns.revert() is not None
    assert texts() == []
    assert not (place.workspace / "a.txt").exists()
