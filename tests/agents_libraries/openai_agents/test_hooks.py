"""Runs of the real SDK with a scripted model: checkpoints and restores."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    Runner,
    RunResult,
    ShellCommandRequest,
    ShellTool,
    UserError,
    function_tool,
    handoff,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseFunctionShellToolCall
from openai.types.responses.response_function_shell_tool_call import Action

from clew.agents.hooks import log
from clew.agents.openai_agents import ClewHooks
from clew.model.checkpoint import Checkpoint
from clew.workspace import Workspace
from tests.agents_libraries.openai_agents.scripted_agent import (
    agent_for,
    asked,
    three_steps,
    tools_for,
)


def run(agent: Agent[Any], prompt: str, hooks: ClewHooks) -> RunResult:
    return asyncio.run(Runner.run(agent, prompt, hooks=hooks, session=hooks.conversation))


def kept(ws: Workspace) -> list[Checkpoint]:
    """Return the checkpoints, oldest first."""
    return [*reversed(ws.log().checkpoints)]


def intents(ws: Workspace) -> list[str]:
    return [one.labels.intent for one in kept(ws)]


def test_what_a_tool_and_a_shell_did_is_kept_and_taken_back(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    hooks = ClewHooks(ws)
    run(agent_for(project, three_steps()), "tidy up", hooks)
    names = sorted(path.name for path in project.iterdir())
    first = next(one for one in kept(ws) if "write_file" in one.labels.intent)
    ws.restore(first.id.hex())

    assert names == ["last.txt", "new.txt"]
    assert (project / "precious.txt").read_text() == "mine"
    assert not (project / "last.txt").exists()


def test_the_prompt_and_the_calls_are_the_intent(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    run(agent_for(project, three_steps()), "tidy up", ClewHooks(ws))

    assert intents(ws)[0] == "before the session"
    assert "tidy up: write_file new.txt" in intents(ws)
    assert "tidy up: rm precious.txt" in intents(ws)


def test_a_failing_tool_is_told_as_failing(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    run(agent_for(project, three_steps()), "tidy up", ClewHooks(ws))
    failed = [dict(one.labels.meta).get("failed") for one in kept(ws)]

    assert [text for text in failed if text] == ["broken: raised an exception"]


def test_what_the_error_said_is_kept_where_we_word_it(ws: Workspace, project: Path) -> None:
    hooks = ClewHooks(ws)

    @function_tool(failure_error_function=hooks.tell_failure)
    def broken() -> str:
        """Write, then fail."""
        (project / "half.txt").write_text("half")
        raise ValueError("no luck")

    agent = agent_for(
        project,
        [[function_call("broken", {}, call_id="b")], [assistant_message("sorry")]],
        [broken],
    )
    run(agent, "try", hooks)

    assert dict(kept(ws)[-1].labels.meta)["failed"] == "broken: ValueError: no luck"
    assert asked(agent)[-1]["output"] == "The tool failed: no luck"


def test_parallel_calls_of_a_turn_are_one_checkpoint(ws: Workspace, project: Path) -> None:
    (project / "here.txt").write_text("")
    ws.save("start")
    calls = [
        function_call("write_file", {"path": f"{name}.txt", "content": name}, call_id=name)
        for name in "abc"
    ]
    run(agent_for(project, [calls, [assistant_message("done")]]), "write three", ClewHooks(ws))

    assert intents(ws) == [
        "start",
        "write three: write_file a.txt, write_file b.txt, write_file c.txt",
    ]


def test_the_conversation_goes_on_from_where_it_was_restored(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    hooks = ClewHooks(ws)
    run(agent_for(project, three_steps()), "tidy up", hooks)
    first = next(one for one in kept(ws) if "write_file new" in one.labels.intent)
    ws.restore(first.id.hex())
    agent = agent_for(project, [[assistant_message("I see")]])
    run(agent, "and now?", hooks)
    said = asked(agent)

    assert [item.get("type") or item["role"] for item in said] == [
        "user",
        "function_call",
        "function_call_output",
        "user",
        "developer",
    ]
    assert said[0]["content"] == "tidy up"
    assert said[1]["call_id"] == "w1"
    assert said[3]["content"] == "and now?"
    assert "rm precious.txt" not in str(said[:4])


def test_the_model_is_told_of_a_restore_once(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    hooks = ClewHooks(ws)
    run(agent_for(project, three_steps()), "tidy up", hooks)
    ws.restore(kept(ws)[1].id.hex())
    told = agent_for(project, [[assistant_message("I see")]])
    run(told, "and now?", hooks)
    not_told = agent_for(project, [[assistant_message("yes")]])
    run(not_told, "sure?", hooks)

    assert asked(told)[-1]["role"] == "developer"
    assert "exactly as it was at" in asked(told)[-1]["content"]
    assert [item for item in asked(not_told) if item.get("role") == "developer"] == []


def test_a_streamed_run_is_kept_the_same(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    hooks = ClewHooks(ws)
    agent = agent_for(project, three_steps())

    async def stream() -> None:
        streamed = Runner.run_streamed(agent, "tidy up", hooks=hooks, session=hooks.conversation)
        async for _ in streamed.stream_events():
            pass

    asyncio.run(stream())

    assert "tidy up: rm precious.txt" in intents(ws)
    assert hooks.executor.problems == []


def test_two_runs_at_once_do_not_mix_up_their_sessions(ws: Workspace, project: Path) -> None:
    def script(name: str) -> list[Any]:
        calls = [
            [function_call("write_file", {"path": f"{name}{n}", "content": name}, call_id=f"{n}")]
            for n in range(3)
        ]
        return [*calls, [assistant_message(f"{name} done")]]

    hooks = {name: ClewHooks(ws, session_id=name) for name in ("ada", "bob")}

    async def both() -> None:
        await asyncio.gather(
            *(
                Runner.run(
                    agent_for(project, script(name)),
                    f"I am {name}",
                    hooks=one,
                    session=one.conversation,
                )
                for name, one in hooks.items()
            )
        )

    asyncio.run(both())

    for name, one in hooks.items():
        other = "bob" if name == "ada" else "ada"
        own = [
            item for item in kept(ws) if item.record.position.session.hex() == one.watch.session.id
        ]
        assert one.executor.problems == []
        assert own
        assert all(other not in item.labels.intent for item in own)
        assert other not in str(one.watch.session.messages())
        assert f"{name} done" in str(one.watch.session.messages()[-1])


def test_a_refusal_of_the_gate_reaches_the_model(ws: Workspace, project: Path) -> None:
    ws.settings.set("gate", "on")
    hooks = ClewHooks(ws)
    tools = [hooks.gated(tool) for tool in tools_for(project)]
    agent = agent_for(project, _pushes(), tools)
    run(agent, "push it", hooks)

    assert asked(agent)[-1]["output"].startswith("Refused: Approval required")
    assert not (project / "pushed").exists()


def test_a_person_can_say_yes(ws: Workspace, project: Path) -> None:
    ws.settings.set("gate", "on")
    questions: list[str] = []

    def ask(question: str) -> bool:
        questions.append(question)
        return True

    hooks = ClewHooks(ws, ask=ask)
    tools = [hooks.gated(tool) for tool in tools_for(project)]
    run(agent_for(project, _pushes(), tools), "push it", hooks)

    assert len(questions) == 1
    assert (project / "pushed").exists()
    assert [effect.status for effect in ws.effects.list().effects] == ["done"]


def test_without_a_gated_tool_a_refusal_stops_the_run(ws: Workspace, project: Path) -> None:
    ws.settings.set("gate", "on")
    hooks = ClewHooks(ws)

    with pytest.raises(UserError, match="Approval required"):
        run(agent_for(project, _pushes()), "push it", hooks)
    assert not (project / "pushed").exists()


def _pushes() -> list[Any]:
    command = "git push origin main || touch pushed"
    return [
        [function_call("run_shell", {"command": command}, call_id="p")],
        [assistant_message("done")],
    ]


def test_a_run_that_raises_leaves_what_it_did(ws: Workspace, project: Path) -> None:
    @function_tool(failure_error_function=None)
    def explode() -> str:
        """Write, then end the run."""
        (project / "debris.txt").write_text("x")
        raise RuntimeError("out")

    async def fails() -> None:
        async with ClewHooks(ws) as hooks:
            agent = agent_for(project, [[function_call("explode", {}, call_id="e")]], [explode])
            await Runner.run(agent, "go", hooks=hooks, session=hooks.conversation)

    with pytest.raises(UserError):
        asyncio.run(fails())
    last = kept(ws)[-1]

    assert "debris.txt" in [str(entry.name, "utf-8") for entry in ws.ls(last.id.hex()).entries]
    assert dict(last.labels.meta)["failed"] == "explode: did not finish"


def test_the_next_run_keeps_what_one_that_raised_has_left(ws: Workspace, project: Path) -> None:
    @function_tool(failure_error_function=None)
    def explode() -> str:
        """Write, then end the run."""
        (project / "debris.txt").write_text("x")
        raise RuntimeError("out")

    hooks = ClewHooks(ws)
    with pytest.raises(UserError):
        run(
            agent_for(project, [[function_call("explode", {}, call_id="e")]], [explode]), "a", hooks
        )
    run(agent_for(project, [[assistant_message("fine")]]), "b", hooks)
    last = kept(ws)[-1]

    assert last.labels.intent == "a: explode"
    assert dict(last.labels.meta)["failed"] == "explode: did not finish"


def test_a_handoff_is_the_same_run(ws: Workspace, project: Path) -> None:
    second = agent_for(
        project,
        [
            [function_call("write_file", {"path": "a", "content": "a"}, call_id="w")],
            [assistant_message("done")],
        ],
    )
    second.name = "second"
    first: Agent[Any] = Agent(
        name="first",
        model=ScriptedModel([[function_call("transfer_to_second", {}, call_id="h")]]),
        handoffs=[handoff(second)],
        model_settings=ModelSettings(),
    )
    run(first, "pass it on", ClewHooks(ws))

    assert intents(ws)[-1] == "pass it on: write_file a"


def test_the_commands_of_the_shell_tool_are_known(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")

    def execute(request: ShellCommandRequest) -> str:
        for command in request.data.action.commands:
            assert command == "rm precious.txt"
            (project / "precious.txt").unlink()
        return "gone"

    call = ResponseFunctionShellToolCall(
        id="sh",
        call_id="sh",
        action=Action(commands=["rm precious.txt"], max_output_length=None, timeout_ms=None),
        status="completed",
        type="shell_call",
    )
    agent: Agent[Any] = Agent(
        name="worker",
        model=ScriptedModel([[call], [assistant_message("done")]]),
        tools=[ShellTool(executor=execute)],
    )
    run(agent, "tidy", ClewHooks(ws))

    assert intents(ws)[-1] == "tidy: rm precious.txt"


def test_a_store_that_is_gone_does_not_stop_the_agent(ws: Workspace, project: Path) -> None:
    hooks = ClewHooks(ws)
    agent = agent_for(
        project,
        [
            [function_call("write_file", {"path": "a", "content": "a"}, call_id="w")],
            [assistant_message("done")],
        ],
    )
    ws.close()
    result = asyncio.run(Runner.run(agent, "go", hooks=hooks))

    assert result.final_output == "done"
    assert (project / "a").exists()
    assert hooks.executor.problems
    assert len(log.recent(log.log_path(os.environ), 99)) == len(hooks.executor.problems)


def test_a_gated_copy_leaves_the_tool_as_it_was(ws: Workspace, project: Path) -> None:
    tool: FunctionTool = tools_for(project)[0]
    ClewHooks(ws).gated(tool)

    assert not tool.tool_input_guardrails
