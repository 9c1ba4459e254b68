"""`restore --before-failure` restores the checkpoint before the last tool call that failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.errors import BadOption, NeedsConfirmation, NoFailedCall, UnknownSession
from clew.model.failed_call import BeforeFailure
from clew.model.restore_results import RestorePreview
from clew.monitor import Monitor
from tests.agents_hooks.hooking import Hook
from tests.agents_hooks.watched import Watched

SECRET = "hunter2hunter2hunter2"


class Notices(Monitor):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def notice(self, text: str) -> None:
        self.told.append(text)


def fail(agent: Watched, line: str = "npm install", name: str = "junk") -> None:
    """Let a call fail that has changed a file."""
    agent.change(name)
    agent.run(line, id=line, failed="exit code 1")


def found(agent: Watched) -> BeforeFailure:
    preview = agent.ws.preview(before_failure=True)
    assert preview.before_failure is not None
    return preview.before_failure


def test_the_state_before_the_call_is_restored_and_the_call_is_named(agent: Watched) -> None:
    before = agent.work("one.txt")
    fail(agent)
    agent.work("two.txt")
    agent.work("three.txt")
    result = agent.ws.restore(before_failure=True)
    failure = result.before_failure

    assert result.target.id == result.here.id == before.id
    assert sorted(path.name for path in agent.project.iterdir()) == ["kept.txt", "one.txt"]
    assert failure is not None
    assert (failure.failed.call, failure.failed.reason) == ("npm install", "exit code 1")
    assert failure.failed.time_ns > before.record.time_ns
    assert failure.checkpoints_ago == 3


def test_of_several_it_is_the_last(agent: Watched) -> None:
    fail(agent, "first", "a")
    agent.work("between")
    before = agent.here
    fail(agent, "second", "b")

    assert agent.ws.preview(before_failure=True).target.id == before.id
    assert found(agent).failed.call == "second"


def test_a_call_that_changed_nothing_failed_at_the_current_checkpoint(agent: Watched) -> None:
    at = agent.work("one.txt")
    agent.run("npm test", failed="exit code 1")
    agent.work("two.txt")

    assert agent.ws.preview(before_failure=True).target.id == at.id
    assert (found(agent).failed.call, found(agent).checkpoints_ago) == ("npm test", 1)


def test_if_nothing_changed_since_an_earlier_failure_is_named(agent: Watched) -> None:
    before = agent.work("one.txt")
    fail(agent)
    agent.run("npm test", failed="exit code 1")
    heard = Notices()
    preview = agent.ws.preview(before_failure=True, monitor=heard)

    assert preview.target.id == agent.here.id
    (told,) = heard.told
    assert told.startswith("`npm test` changed no file; to go back before `npm install` failed,")
    assert told.endswith(f" run `clew restore {before.id.hex()[:8]}`")


def test_after_the_restore_that_call_is_undone_and_the_one_before_it_counts(
    agent: Watched,
) -> None:
    start = agent.here
    fail(agent, "first", "a")
    fail(agent, "second", "b")
    agent.ws.restore(before_failure=True)
    second = agent.ws.restore(before_failure=True)

    assert second.target.id == start.id
    with pytest.raises(NoFailedCall):
        agent.ws.restore(before_failure=True)


def test_without_a_failure_there_is_a_clear_error(agent: Watched) -> None:
    agent.work("one.txt")
    with pytest.raises(NoFailedCall) as error:
        agent.ws.restore(before_failure=True)

    assert str(error.value) == "No failed tool call is known in the current line of history"


def test_a_session_can_be_chosen(agent: Watched) -> None:
    before = agent.work("one.txt")
    fail(agent, "of one", "a")
    other = Watched(agent.ws, agent.project, agent.transcript.with_name("other"), "two")
    fail(other, "of two", "b")
    preview = agent.ws.preview(before_failure=True, session="one")

    assert preview.target.id == before.id
    assert agent.ws.preview(before_failure=True, session="two").target.id != before.id
    assert found(agent).failed.call == "of two"
    with pytest.raises(UnknownSession):
        agent.ws.preview(before_failure=True, session="three")


def test_a_session_without_a_failure_is_named_in_the_error(agent: Watched) -> None:
    fail(agent)
    Watched(agent.ws, agent.project, agent.transcript.with_name("other"), "two")
    with pytest.raises(NoFailedCall, match="of session 'two'"):
        agent.ws.preview(before_failure=True, session="two")


def test_options_that_contradict_each_other_are_refused(agent: Watched) -> None:
    refused: list[dict[str, Any]] = [
        {"ref": "@", "before_failure": True},
        {"ref": "@", "session": "one"},
        {},
    ]
    for options in refused:
        with pytest.raises(BadOption):
            agent.ws.restore(**options)


def test_only_some_paths_can_be_restored(agent: Watched) -> None:
    agent.change("one.txt", "good")
    agent.run("write")
    agent.change("one.txt", "bad")
    fail(agent)
    agent.ws.restore(before_failure=True, paths=[str(agent.project / "one.txt")])

    assert (agent.project / "one.txt").read_text() == "good"
    assert (agent.project / "junk").exists()


def test_the_preview_that_is_confirmed_names_the_call(agent: Watched) -> None:
    fail(agent)
    seen: list[BeforeFailure | None] = []

    def decline(plan: RestorePreview) -> bool:
        seen.append(plan.before_failure)
        return False

    with pytest.raises(NeedsConfirmation) as error:
        agent.ws.restore(before_failure=True, confirm=decline)

    assert seen[0] is not None
    assert error.value.preview.before_failure == seen[0]


def test_a_checkpoint_that_was_removed_is_replaced_by_its_nearest_ancestor(
    agent: Watched,
) -> None:
    first = agent.work("one.txt")
    second = agent.work("two.txt")
    fail(agent)
    agent.ws.delete([second.id.hex()])

    assert agent.ws.preview(before_failure=True).target.id == first.id


def test_a_deleted_checkpoint_takes_its_failed_call_along(agent: Watched) -> None:
    fail(agent, f"curl -H 'Authorization: Bearer {SECRET}'")
    failed = agent.here
    agent.work("two.txt")
    agent.ws.delete([failed.id.hex()], purge=True)

    with pytest.raises(NoFailedCall):
        agent.ws.preview(before_failure=True)


def test_secrets_in_a_call_are_not_stored(agent: Watched) -> None:
    fail(agent, f"deploy --password={SECRET}")

    assert SECRET not in found(agent).failed.call


def test_the_command_line_names_the_call(hook: Hook) -> None:
    hook.tell("SessionStart")
    before = hook.clew.ids()[0]
    (hook.clew.workspace / "junk").write_text("junk")
    call = {"tool_name": "Bash", "tool_input": {"command": "npm install"}, "tool_use_id": "c1"}
    hook.tell("PostToolUseFailure", error="Exit code 1", is_interrupt=False, **call)
    hook.after("npm install")
    dry = hook.clew.run("restore", "--before-failure", "--dry-run")
    value = hook.clew.json("restore", "--before-failure", "--yes")

    assert "before `npm install` failed at " in dry.out
    assert ", 1 checkpoint ago, would\n" in dry.out
    assert value["target"] == before
    assert value["failed_call"]["call"] == "npm install"
    assert value["failed_call"]["checkpoint_count"] == 1
    assert not (hook.clew.workspace / "junk").exists()


def test_without_a_failure_the_command_line_says_where_they_come_from(hook: Hook) -> None:
    ran = hook.clew.run("--json", "restore", "--before-failure")

    assert ran.code == 1
    assert json.loads(ran.out)["error"]["kind"] == "no-failed-call"
