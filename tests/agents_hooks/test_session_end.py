"""A save by a person is not the work of a session whose agent has ended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew import opening
from clew.agents.hooks.act import apply_event
from clew.agents.hooks.events import Event, EventKind
from clew.model.session import NOT_RESUMED, UNKNOWN_PROCESS
from clew.workspace import Workspace
from clew.worktree.agent_process import calling_process, is_running, own_process
from tests.agents_hooks.hooking import Hook
from tests.agents_hooks.watched import Watched
from tests.kit.fake_host import HOUR, FakeHost


def saved_by(agent: Watched, name: str = "mine.txt", **options: object) -> bytes:
    """Let a person edit a file and save; return the session of the checkpoint."""
    agent.change(name)
    return agent.ws.save("mine", **options).checkpoint.record.position.session  # type: ignore[arg-type]


def another(ws: Workspace, process: str, attach: bool | None = True) -> bytes:
    """Open the session of an agent in another process."""
    found = ws.sessions.open(agent="codex", native="two", attach=attach, process=process)
    with ws.sessions.scratch(found.id):
        pass
    return bytes.fromhex(found.id)


def gone() -> str:
    """Return a process that has ended."""
    program = "from clew.worktree.agent_process import own_process; print(own_process())"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return done.stdout.strip()


def test_while_the_agent_works_a_save_is_its_own(agent: Watched) -> None:
    agent.watch.prompted("build it")

    assert saved_by(agent) == agent.session


def test_after_its_end_event_a_save_is_a_persons(agent: Watched) -> None:
    agent.watch.prompted("build it")
    apply_event(agent.watch, Event(EventKind.ENDED))

    assert saved_by(agent) == b""
    assert agent.watch.session.info.attached
    assert agent.watch.session.info.ended_ns


def test_after_its_end_even_a_save_without_a_change_is_a_persons(agent: Watched) -> None:
    agent.work("made.txt")
    agent.watch.ended()
    saved = agent.ws.save("release")

    assert saved.created
    assert saved.checkpoint.record.position.session == b""


def test_after_its_end_an_effect_is_a_persons(agent: Watched) -> None:
    agent.watch.prompted("deploy it")
    during = agent.ws.effects.record("deployed by the agent")
    agent.watch.ended()
    after = agent.ws.effects.record("deployed by hand")

    assert (during.session, after.session) == (agent.session.hex(), "")


def test_an_end_alone_is_no_reason_for_a_checkpoint(agent: Watched) -> None:
    agent.work("made.txt")
    agent.watch.ended()

    assert not agent.ws.save("again", skip_unchanged=True).created


def test_an_agent_that_comes_back_is_at_work_again(agent: Watched) -> None:
    agent.watch.ended()
    again = Watched(agent.ws, agent.project, agent.transcript)
    again.run("ls")

    assert saved_by(again) == agent.session
    assert again.watch.session.info.ended_ns == 0


def test_while_the_agent_waits_for_a_prompt_edits_are_a_persons(agent: Watched) -> None:
    agent.work("made.txt")
    agent.watch.stopped()

    assert saved_by(agent) == b""


def test_while_it_waits_a_save_without_a_change_has_its_place_in_the_conversation(
    agent: Watched,
) -> None:
    agent.work("made.txt")
    agent.watch.stopped()

    assert agent.ws.save("release").checkpoint.record.position.session == agent.session


def test_after_a_persons_save_the_next_prompt_has_a_checkpoint_with_the_conversation(
    agent: Watched,
) -> None:
    agent.work("made.txt")
    agent.watch.stopped()
    saved_by(agent)
    agent.watch.prompted("go on")

    assert agent.here.labels.intent == "before: go on"
    assert agent.here.record.position.session == agent.session


def test_a_named_session_is_recorded_even_after_its_end(agent: Watched) -> None:
    agent.watch.ended()

    assert saved_by(agent, session=agent.watch.session.id) == agent.session


def test_a_session_attached_by_hand_is_recorded_until_it_is_detached(agent: Watched) -> None:
    agent.watch.ended()
    agent.ws.sessions.attach(agent.watch.session.id)
    attached = saved_by(agent, "one")
    agent.ws.sessions.detach()

    assert attached == agent.session
    assert saved_by(agent, "two") == b""


def test_a_restore_after_the_end_still_restores_the_conversation(agent: Watched) -> None:
    agent.say("one")
    first = agent.work("one.txt")
    said = agent.transcript.read_bytes()
    agent.say("two")
    agent.work("two.txt")
    agent.watch.ended()
    agent.ws.restore(first.id.hex())

    assert agent.transcript.read_bytes() == said


def test_a_killed_agent_has_ended(agent: Watched) -> None:
    session = another(agent.ws, gone())

    assert saved_by(agent) == b""
    assert next(one for one in agent.ws.sessions.list() if one.info.id == session).info.ended_ns


def test_an_agent_that_runs_is_at_work_however_long_it_is_silent(agent: Watched) -> None:
    session = another(agent.ws, own_process())
    host = agent.ws._access.context.host
    assert isinstance(host, FakeHost)
    with host.shifted(100 * HOUR):
        assert saved_by(agent) == session


@pytest.mark.parametrize("process", [UNKNOWN_PROCESS, "1:2:3"], ids=["unknown", "of a container"])
def test_an_agent_whose_process_is_unknown_has_ended_after_an_hour_of_silence(
    agent: Watched, process: str
) -> None:
    session = another(agent.ws, process)
    soon = saved_by(agent, "one")
    host = agent.ws._access.context.host
    assert isinstance(host, FakeHost)
    with host.shifted(2 * HOUR):
        assert (soon, saved_by(agent, "two")) == (session, b"")


def test_events_from_helpers_that_end_at_once_say_nothing_about_the_agent(agent: Watched) -> None:
    session = another(agent.ws, gone())
    for _ in range(2):
        another(agent.ws, gone(), attach=None)

    assert saved_by(agent) == session
    assert agent.ws.sessions.open(session.hex()).info.process == UNKNOWN_PROCESS


def test_an_agent_that_starts_again_has_a_new_process(agent: Watched) -> None:
    session = another(agent.ws, gone())
    another(agent.ws, own_process())

    assert agent.ws.sessions.open(session.hex()).info.process == own_process()


def test_a_hook_records_the_process_of_its_agent(hook: Hook) -> None:
    hook.tell("SessionStart")
    with opening.open(hook.clew.workspace, store=hook.clew.store) as ws:
        info = ws.sessions.current().info

    assert is_running(info.process)


def test_a_hook_at_the_end_of_a_session_ends_it(hook: Hook) -> None:
    hook.tell("SessionStart")
    hook.tell("SessionEnd")
    (hook.clew.workspace / "mine").write_text("mine")
    hook.clew.save("mine")
    saved = hook.clew.json("show", hook.clew.ids()[0])["checkpoint"]
    listed = hook.clew.json("session", "list")["sessions"]

    assert saved["position"] is None or saved["position"]["session"] is None
    assert listed[0]["is_attached"]
    assert listed[0]["ended_time"] is not None
    assert "← attached, ended" in hook.clew.run("session", "list").out


def test_a_session_that_no_agent_has_resumed_yet_does_no_work(ws: Workspace, project: Path) -> None:
    found = ws.sessions.open(agent="claude-code", native="new", process=NOT_RESUMED)
    unchanged = ws.save("as it is").checkpoint.record.position.session
    (project / "mine").write_text("mine")

    assert unchanged.hex() == found.id
    assert ws.save("mine").checkpoint.record.position.session == b""


def test_the_caller_of_a_shell_is_found() -> None:
    program = "from clew.worktree.agent_process import calling_process as c; print(c())"
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -c '{program}'; true"],
        capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip

    assert done.stdout.strip() == own_process()
    assert calling_process() != own_process()


def test_a_process_that_is_nonsense_is_unknown() -> None:
    namespace = own_process().partition(":")[0]

    assert [is_running(one) for one in ("", "-", "x", f"{namespace}:y:z")] == [None] * 4
    assert is_running(f"{namespace}:{os.getpid()}:0") is False
