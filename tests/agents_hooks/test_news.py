"""After a restore, the model is told once, by the first event that can carry a message."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clew.agents.calls import EndedCall
from clew.errors import ClewError
from tests.agents_hooks.watched import Watched, bash

HEAD = "From clew, which records the history of this workspace:"
Event = Callable[[Watched], str]

CARRIERS: dict[str, Event] = {
    "started": lambda agent: agent.watch.started(),
    "prompted": lambda agent: agent.watch.prompted("go on"),
    "after": lambda agent: agent.run("ls"),
}
every_carrier = pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS)


def two_steps(agent: Watched) -> tuple[str, str]:
    """Let the agent work, and return two moments of it."""
    agent.watch.prompted("build it")
    return agent.work("one.txt").id.hex(), agent.work("two.txt").id.hex()


def restore(agent: Watched) -> None:
    agent.ws.restore(agent.timeline[1].id.hex())


def undo(agent: Watched) -> None:
    agent.ws.undo()


def undo_and_redo_to_the_middle(agent: Watched) -> None:
    agent.ws.undo(2)
    agent.ws.redo()


def restore_one_path(agent: Watched) -> None:
    agent.ws.restore(agent.timeline[1].id.hex(), paths=[str(agent.project / "two.txt")])


def restore_and_keep_mine(agent: Watched) -> None:
    agent.change("kept.txt", "by hand")
    agent.ws.restore(agent.timeline[1].id.hex(), keep_mine=True)


MOVES = [restore, undo, undo_and_redo_to_the_middle, restore_one_path, restore_and_keep_mine]


@every_carrier
@pytest.mark.parametrize("move", MOVES)
def test_a_move_is_told_exactly_once(
    agent: Watched, move: Callable[[Watched], None], carrier: Event
) -> None:
    two_steps(agent)
    move(agent)
    told = carrier(agent)
    again = [event(agent) for event in CARRIERS.values()]

    assert told.startswith(HEAD)
    assert "Read files again" in told
    assert again == [""] * 3


def test_what_is_gone_is_named(agent: Watched) -> None:
    first, _ = two_steps(agent)
    agent.ws.restore(first)
    told = agent.watch.prompted("go on")

    assert "no longer on disk: added two.txt" in told
    assert first[:8] in told


def test_every_move_is_told_anew(agent: Watched) -> None:
    first, second = two_steps(agent)
    told = []
    for target in (first, second, first):
        agent.ws.restore(target)
        told.append(agent.run("ls"))

    assert all(one.startswith(HEAD) for one in told)
    assert first[:8] in told[0]
    assert second[:8] in told[1]


@pytest.mark.parametrize("silent", ["before", "failed", "stopped"])
def test_an_event_that_carries_no_words_does_not_lose_them(agent: Watched, silent: str) -> None:
    first, _ = two_steps(agent)
    agent.ws.restore(first)
    agent.change("meanwhile.txt")
    if silent == "before":
        agent.watch.before(bash("rm one.txt"))
    elif silent == "failed":
        agent.watch.failed(EndedCall(bash("make"), "exit code 2"))
    else:
        agent.watch.stopped()
    told = agent.watch.prompted("go on")

    assert "no longer on disk: added two.txt" in told
    assert agent.run("ls") == ""


def test_an_event_that_fails_does_not_lose_them(agent: Watched) -> None:
    first, _ = two_steps(agent)
    agent.ws.restore(first)
    agent.change("three.txt")

    def settle() -> None:
        raise ClewError("The disk is on fire")

    with pytest.raises(ClewError):
        agent.watch.after(EndedCall(bash("make")), settle=settle)

    assert "no longer on disk" in agent.run("ls")


def test_a_restore_is_told_although_somebody_saved_after_it(agent: Watched) -> None:
    first, _ = two_steps(agent)
    agent.ws.restore(first)
    agent.change("by-hand.txt")
    agent.ws.save("by hand")

    assert agent.watch.prompted("go on").startswith(HEAD)
    assert agent.watch.prompted("go on") == ""


def test_a_step_back_to_a_rescue_is_told_too(agent: Watched) -> None:
    first, _ = two_steps(agent)
    agent.change("by-hand.txt")
    agent.ws.restore(first)
    agent.watch.prompted("go on")
    agent.ws.undo()

    assert (agent.project / "by-hand.txt").exists()
    assert agent.watch.prompted("go on").startswith(HEAD)


def test_saves_are_no_news(agent: Watched) -> None:
    two_steps(agent)
    told = []
    for number in range(3):
        agent.change("by-hand.txt", str(number))
        agent.ws.save("by hand")
        told += [event(agent) for event in CARRIERS.values()]

    assert set(told) == {""}


def test_a_new_session_is_told_nothing_where_nothing_was_restored(agent: Watched) -> None:
    agent.ws.save("by hand")

    assert [event(agent) for event in CARRIERS.values()] == [""] * 3


@every_carrier
def test_a_new_session_right_after_a_restore_is_told(agent: Watched, carrier: Event) -> None:
    first, _ = two_steps(agent)
    agent.ws.restore(first)
    resumed = Watched(agent.ws, agent.project, agent.transcript, "under a new id")

    assert "no longer on disk: added two.txt" in carrier(resumed)
    assert carrier(resumed) == ""


def test_of_two_sessions_each_is_told_once(agent: Watched) -> None:
    other = Watched(agent.ws, agent.project, agent.transcript.with_name("b.jsonl"), "two")
    other.run("ls")
    first, _ = two_steps(agent)
    other.run("ls")
    agent.ws.restore(first)
    to_the_other = other.watch.prompted("go on")
    other.work("by-the-other.txt")

    assert to_the_other.startswith(HEAD)
    assert agent.watch.prompted("go on").startswith(HEAD)
    assert other.run("ls") + agent.run("ls") == ""


def test_there_and_back_again_is_no_news(agent: Watched) -> None:
    two_steps(agent)
    agent.ws.undo()
    agent.ws.redo()

    assert agent.run("ls") == ""


def test_news_is_bounded(agent: Watched) -> None:
    first, _ = two_steps(agent)
    for number in range(3000):
        agent.change(f"{number:0100}.txt")
    agent.run("make")
    agent.watch.plan([("x" * 1000, "pending")] * 100)
    agent.ws.restore(first)
    agent.watch.stopped()
    scratch = agent.scratch
    told = agent.watch.prompted("go on")

    assert len(scratch) < 20_000
    assert len(told) <= 8_000
