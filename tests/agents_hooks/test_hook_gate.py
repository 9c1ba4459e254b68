"""The gate in hooks: effects are recorded before they run, and settled afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.agents.calls import EndedCall
from clew.agents.hooks import claude_code
from clew.agents.hooks.act import apply_event
from clew.agents.hooks.events import HookAnswer
from clew.agents.watch import Watch
from clew.model.effect import Effect, EffectOutcome
from tests.agents_hooks.recorded import recorded
from tests.agents_hooks.watched import Watched, bash

PUSH = "git push origin main"


class Claude:
    """Claude Code's events, applied to the watch of an agent."""

    def __init__(self, agent: Watched) -> None:
        self.agent = agent

    def tell(self, name: str, **fields: object) -> HookAnswer:
        payload: dict[str, Any] = recorded("claude-code-2.1.325", name)[0]
        payload |= {"transcript_path": str(self.agent.transcript), **fields}
        return apply_event(self.agent.watch, claude_code.read(payload))

    def before(self, line: str = PUSH, call: str = "c1", mode: str = "default") -> HookAnswer:
        given = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": call}
        return self.tell("PreToolUse", permission_mode=mode, **given)

    def after(self, line: str = PUSH, call: str = "c1", **result: object) -> None:
        """Report the batch, with its result in the transcript unless that is None."""
        if result.get("content", "") is not None:
            said = {"type": "tool_result", "tool_use_id": call, "content": "x", **result}
            value = {"message": {"content": [said]}}
            with self.agent.transcript.open("a") as file:
                file.write(json.dumps(value, separators=(",", ":")) + "\n")
        ended = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": call}
        self.tell("PostToolBatch", tool_calls=[ended | {"tool_response": "some text"}])

    def fail(self, line: str = PUSH, call: str = "c1") -> None:
        given = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": call}
        self.tell("PostToolUseFailure", error="Exit code 1\nno such remote", **given)

    @property
    def effects(self) -> list[Effect]:
        return self.agent.watch.session.effects()

    @property
    def outcomes(self) -> list[str]:
        return [effect.status for effect in self.effects]


@pytest.fixture
def claude(agent: Watched) -> Claude:
    return Claude(agent)


def test_an_act_outside_is_written_down_before_it_runs(claude: Claude) -> None:
    answer = claude.before()

    assert answer == HookAnswer()
    assert [effect.act.what for effect in claude.effects] == [PUSH]
    assert claude.outcomes == [EffectOutcome.UNKNOWN]


def test_what_went_well_was_done(claude: Claude) -> None:
    claude.before()
    claude.after()

    assert claude.outcomes == [EffectOutcome.DONE]


def test_what_failed_has_failed_and_its_batch_changes_nothing_about_that(claude: Claude) -> None:
    claude.before()
    claude.fail()
    claude.after(is_error=True)

    assert claude.outcomes == [EffectOutcome.FAILED]
    assert "no such remote" in claude.effects[0].outcome
    assert claude.agent.failed == f"{PUSH}: Exit code 1 no such remote"


def test_what_somebody_refused_did_not_happen(claude: Claude) -> None:
    claude.agent.ws.settings.set("gate", "on")
    answer = claude.before()
    claude.after(is_error=True)

    assert answer.question
    assert claude.outcomes == [EffectOutcome.FAILED]


def test_where_nobody_wrote_down_how_it_ended_nobody_knows(claude: Claude) -> None:
    claude.before()
    claude.after(content=None)

    assert claude.outcomes == [EffectOutcome.UNKNOWN]


def test_acts_are_settled_by_the_names_of_their_calls(claude: Claude) -> None:
    for number, line in enumerate(("git push a", "git push b", "npm publish")):
        claude.before(line, f"c{number}")
    claude.fail("git push b", "c1")
    claude.after("git push a", "c0")

    assert claude.outcomes == [EffectOutcome.DONE, EffectOutcome.FAILED, EffectOutcome.UNKNOWN]


def test_an_agent_killed_in_between_leaves_it_unknown(claude: Claude) -> None:
    claude.before()
    claude.tell("SessionStart", source="resume")
    claude.agent.change()
    claude.after("make", "c2")

    assert claude.outcomes == [EffectOutcome.UNKNOWN]


def test_what_a_person_settled_meanwhile_stays_so_and_costs_no_checkpoint(claude: Claude) -> None:
    claude.before()
    claude.agent.watch.session.settle(1, EffectOutcome.DONE, "I looked")
    claude.agent.change()
    claude.fail()
    claude.after(is_error=True)

    assert claude.outcomes == [EffectOutcome.DONE]
    assert len(claude.agent.timeline) == 2


def test_with_the_gate_on_a_person_is_asked(claude: Claude) -> None:
    claude.agent.ws.settings.set("gate", "on")
    answer = claude.before()

    assert answer.question.startswith("clew: Allow this")
    assert PUSH in answer.question
    assert answer.refusal == ""


def test_with_the_gate_on_and_nobody_to_ask_it_is_refused(claude: Claude) -> None:
    claude.agent.ws.settings.set("gate", "on")
    answer = claude.before(mode="bypassPermissions")

    assert "no interactive user" in answer.refusal
    assert claude.effects == []


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_what_stays_inside_passes_the_gate(claude: Claude, mode: str) -> None:
    claude.agent.ws.settings.set("gate", "on")

    assert claude.before("make test", mode=mode) == HookAnswer()


def test_an_act_that_was_done_before_a_restore_is_not_repeated_unasked(claude: Claude) -> None:
    start = claude.agent.here.id.hex()
    claude.agent.work("made.txt")
    claude.before()
    claude.after()
    claude.agent.ws.restore(start)
    asked = claude.before(call="c2")
    refused = claude.before(call="c3", mode="bypassPermissions")

    assert "Repeat it?" in asked.question
    assert "git push" in refused.refusal


def test_before_what_nothing_takes_back_there_is_a_checkpoint(claude: Claude) -> None:
    claude.agent.change()
    claude.before("npm publish")

    assert claude.agent.here.labels.intent == "before: npm publish"
    assert claude.agent.ws.status().changes == ()


def test_without_an_id_a_call_is_known_by_its_words(agent: Watched) -> None:
    agent.watch.before(bash(PUSH))
    agent.watch.after(EndedCall(bash(PUSH)))

    assert [one.status for one in agent.watch.session.effects()] == [EffectOutcome.DONE]


def test_tasks_of_the_agents_own_list_come_back_with_a_restore(claude: Claude) -> None:
    def create(number: int, title: str) -> dict[str, object]:
        said = f"Task #{number} created successfully: {title}"
        return {"tool_name": "TaskCreate", "tool_input": {"subject": title}, "tool_response": said}

    claude.tell("PostToolBatch", tool_calls=[create(1, "make it"), create(2, "test it")])
    checkpoint = claude.agent.work("made.txt")
    done = {"tool_name": "TaskUpdate", "tool_input": {"taskId": "1", "status": "completed"}}
    claude.tell("PostToolBatch", tool_calls=[done])
    tasks = claude.agent.watch.session.tasks
    before = [(task.title, task.status) for task in tasks()]
    claude.agent.ws.restore(checkpoint.id.hex())

    assert before == [("make it", "completed"), ("test it", "pending")]
    assert [task.status for task in tasks()] == ["pending", "pending"]


def test_what_helpers_report_changes_no_intent(claude: Claude) -> None:
    claude.tell("UserPromptSubmit", prompt="build it")
    claude.tell("UserPromptSubmit", prompt="<task-notification>\n<task-id>x</task-id>")
    claude.agent.change()
    claude.after("make")

    assert claude.agent.here.labels.intent == "build it: make"


def test_edits_while_a_helper_runs_are_the_agents(claude: Claude, project: Path) -> None:
    claude.tell("UserPromptSubmit", prompt="build it")
    claude.tell("Stop", background_tasks=[{"id": "x"}, {"id": "y"}])
    (project / "by-a-helper.txt").write_text("x")
    claude.tell("UserPromptSubmit", prompt="go on")
    claude.tell("Stop", background_tasks=[])

    assert [bool(one.record.position.session) for one in claude.agent.timeline] == [True, False]


def test_a_watch_of_a_session_that_is_gone_on_elsewhere_shares_its_acts(claude: Claude) -> None:
    claude.before()
    later = Watch.begin(claude.agent.ws, agent="example", native="one")
    later.after(EndedCall(bash(PUSH, "c1")))

    assert claude.outcomes == [EffectOutcome.DONE]
