"""Runs of the real library with a scripted model: checkpoints and restores."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ToolReturnPart, UserPromptPart
from pydantic_ai.run import AgentRunResult

from clew.agents.hooks import log
from clew.agents.pydantic_ai import Clew, history
from clew.agents.watch import Watch
from clew.model.checkpoint import Checkpoint
from clew.workspace import Workspace
from tests.agents_libraries.pydantic_ai.scripted_agent import (
    Answer,
    Script,
    agent_for,
    call,
    done,
    parts,
    three_steps,
)


def kept(ws: Workspace) -> list[Checkpoint]:
    """Return the checkpoints, oldest first."""
    return [*reversed(ws.log().checkpoints)]


def intents(ws: Workspace) -> list[str]:
    return [one.labels.intent for one in kept(ws)]


def after_writing(ws: Workspace) -> str:
    found = next(one for one in kept(ws) if one.labels.intent.endswith(": write_file new.txt"))
    return found.id.hex()


def test_what_a_tool_and_a_shell_did_is_kept_and_taken_back(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    agent = agent_for(project, three_steps(), [Clew(ws)])
    asyncio.run(agent.run("tidy up"))
    names = sorted(path.name for path in project.iterdir())
    ws.restore(after_writing(ws))

    assert names == ["half.txt", "new.txt"]
    assert sorted(path.name for path in project.iterdir()) == ["new.txt", "precious.txt"]


def test_the_prompt_and_the_calls_are_the_intent(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    asyncio.run(agent_for(project, three_steps(), [Clew(ws)]).run(["tidy", "up"]))

    assert intents(ws) == [
        "before the session",
        "tidy up: write_file new.txt",
        "tidy up: rm precious.txt",
        "tidy up: broken",
    ]


def test_a_failing_tool_is_told_as_failing(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    asyncio.run(agent_for(project, three_steps(), [Clew(ws)]).run("tidy up"))
    failed = [dict(one.labels.meta).get("failed") for one in kept(ws)]

    assert failed == [None, None, None, "broken: ModelRetry: no luck"]


def test_parallel_calls_of_a_turn_are_one_checkpoint(ws: Workspace, project: Path) -> None:
    (project / "here.txt").write_text("")
    ws.save("start")
    script = Script(
        [call("write_file", name, path=f"{name}.txt", content=name) for name in "abc"], done()
    )
    asyncio.run(agent_for(project, script, [Clew(ws)]).run("write three"))

    assert intents(ws) == [
        "start",
        "write three: write_file a.txt, write_file b.txt, write_file c.txt",
    ]


def test_the_conversation_goes_on_from_where_it_was_restored(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    clew = Clew(ws)
    asyncio.run(agent_for(project, three_steps(), [clew]).run("tidy up"))
    ws.restore(after_writing(ws))
    script = Script(done("I see"))
    agent = agent_for(project, script, [clew])
    asyncio.run(agent.run("and now?", message_history=history(ws.sessions.current())))
    asked = script.asked[0]

    assert parts(asked) == [
        "user-prompt",
        "tool-call",
        "tool-return",
        "user-prompt",
        "user-prompt",
    ]
    assert "exactly as it was at" in str(asked[-1])
    assert "rm precious.txt" not in str(asked[:-1])
    assert len(ws.sessions.all()) == 1
    assert clew.executor.problems == []


def test_the_model_is_told_of_a_restore_once(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    clew = Clew(ws)
    asyncio.run(agent_for(project, three_steps(), [clew]).run("tidy up"))
    ws.restore(after_writing(ws))
    for answer in ("I see", "yes"):
        agent = agent_for(project, script := Script(done(answer)), [clew])
        asyncio.run(agent.run("well?", message_history=history(ws.sessions.current())))

    assert str(script.asked[0]).count("exactly as it was at") == 1  # it stays in the history


def test_a_restore_in_the_middle_of_a_run_reaches_the_model(ws: Workspace, project: Path) -> None:
    (project / "file.txt").write_text("1")
    ws.save("one", name="one")
    (project / "file.txt").write_text("2")
    ws.save("two")
    script = Script([call("go_back", "g")], done())
    clew = Clew(ws)
    agent = agent_for(project, script, [clew])

    @agent.tool_plain
    def go_back() -> str:
        ws.restore("one")
        return "went back"

    asyncio.run(agent.run("go back"))

    assert "exactly as it was at" in str(script.asked[1][-1])
    assert clew.executor.problems == []


def test_all_that_was_said_is_in_the_session(ws: Workspace, project: Path) -> None:
    agent = agent_for(project, three_steps(), [Clew(ws)])
    result = asyncio.run(agent.run("tidy up"))

    assert history(ws.sessions.current()) == result.all_messages()


def test_two_runs_at_once_do_not_mix_up_their_sessions(ws: Workspace, project: Path) -> None:
    clew = Clew(ws)

    def script(name: str) -> Script:
        calls: list[Answer] = [
            [call("write_file", f"{n}", path=f"{name}{n}", content="")] for n in range(3)
        ]
        return Script(*calls, done(f"{name} done"))

    async def both() -> list[str]:
        results = await asyncio.gather(
            *(
                agent_for(project, script(name), [clew]).run(f"I am {name}")
                for name in ("anton", "berta")
            )
        )
        return [str(result.conversation_id) for result in results]

    anton, berta = (ws.sessions.open(native) for native in asyncio.run(both()))

    assert clew.executor.problems == []
    assert "anton done" in str(anton.messages()[-1])
    assert "berta done" in str(berta.messages()[-1])
    for own, other in ((anton, "berta"), (berta, "anton")):
        of_it = [one for one in kept(ws) if one.record.position.session.hex() == own.id]
        assert of_it
        assert all(other not in one.labels.intent for one in of_it)
        assert other not in str(own.messages())


def test_a_refusal_of_the_gate_reaches_the_model(ws: Workspace, project: Path) -> None:
    ws.settings.set("gate", "on")
    script = _pushes()
    asyncio.run(agent_for(project, script, [Clew(ws)]).run("push it"))
    returned = script.asked[1][-1].parts[0]

    assert isinstance(returned, ToolReturnPart)
    assert returned.outcome == "denied"
    assert str(returned.content).startswith("Refused: Approval required")
    assert not (project / "pushed").exists()


def test_a_person_can_say_yes(ws: Workspace, project: Path) -> None:
    ws.settings.set("gate", "on")
    questions: list[str] = []

    def ask(question: str) -> bool:
        questions.append(question)
        return True

    asyncio.run(agent_for(project, _pushes(), [Clew(ws, ask=ask)]).run("push it"))

    assert len(questions) == 1
    assert (project / "pushed").exists()
    assert [effect.status for effect in ws.effects.list().effects] == ["done"]


def test_a_call_can_wait_for_the_frameworks_own_approval(ws: Workspace, project: Path) -> None:
    ws.settings.set("gate", "on")
    clew = Clew(ws, approval=True)
    agent = agent_for(project, _pushes(), [clew])

    async def approve() -> tuple[bool, object]:
        first: AgentRunResult[str | DeferredToolRequests] = await agent.run(
            "push it", output_type=[str, DeferredToolRequests]
        )
        assert isinstance(first.output, DeferredToolRequests)
        was_pushed = (project / "pushed").exists()
        yes = DeferredToolResults(approvals={"p": True})
        second = await agent.run(message_history=first.all_messages(), deferred_tool_results=yes)
        return was_pushed, second.output

    was_pushed, output = asyncio.run(approve())

    assert not was_pushed
    assert output == "done"
    assert (project / "pushed").exists()
    assert [effect.status for effect in ws.effects.list().effects] == ["done"]


def _pushes() -> Script:
    return Script([call("run_shell", "p", command="git push origin main || touch pushed")], done())


def test_a_run_that_raises_leaves_what_it_did(ws: Workspace, project: Path) -> None:
    script = Script([call("explode", "e", reason="out")])
    agent = agent_for(project, script, [Clew(ws)])

    with pytest.raises(RuntimeError, match="out"):
        asyncio.run(agent.run("go"))
    last = kept(ws)[-1]

    assert last.labels.intent == "go: explode"
    assert dict(last.labels.meta)["failed"] == "explode: RuntimeError: out"
    assert parts(history(ws.sessions.current())) == ["user-prompt"]


def test_a_run_that_is_cancelled_leaves_what_it_did(ws: Workspace, project: Path) -> None:
    agent = agent_for(project, Script([call("wait", "w")]), [Clew(ws)])

    async def cancel() -> None:
        begun = asyncio.Event()

        @agent.tool_plain
        async def wait() -> str:
            (project / "begun.txt").write_text("x")
            begun.set()
            await asyncio.Event().wait()
            return "never"

        running = asyncio.create_task(agent.run("wait"))
        await asyncio.wait_for(begun.wait(), 60)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(cancel())

    assert dict(kept(ws)[-1].labels.meta)["failed"] == "wait: did not finish"


def test_a_streamed_run_is_kept_the_same(ws: Workspace, project: Path) -> None:
    (project / "precious.txt").write_text("mine")
    agent = agent_for(project, three_steps(), [Clew(ws)])

    async def stream() -> None:
        async with agent.iter("tidy up") as run:
            async for _ in run:
                pass

    asyncio.run(stream())

    assert "tidy up: rm precious.txt" in intents(ws)


def test_a_history_that_was_rewritten_is_told_anew(ws: Workspace, project: Path) -> None:
    watch = Watch.begin(ws, agent="pydantic-ai")
    agent = agent_for(project, Script(done("a"), done("b")), [Clew(watch)])

    async def twice() -> object:
        first = await agent.run("long")
        await agent.run("short", message_history=first.all_messages()[:1])
        return history(watch.session)

    asyncio.run(twice())
    said = history(watch.session)
    prompts = [
        part.content
        for message in said
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]

    assert prompts == ["long", "short"]
    assert parts(said) == ["user-prompt", "user-prompt", "text"]


def test_a_store_that_is_gone_does_not_stop_the_agent(ws: Workspace, project: Path) -> None:
    clew = Clew(ws)
    script = Script([call("write_file", "w", path="a", content="a")], done())
    agent: Agent[None, str] = agent_for(project, script, [clew])
    ws.close()
    result = asyncio.run(agent.run("go"))

    assert result.output == "done"
    assert (project / "a").exists()
    assert clew.executor.problems
    assert len(log.recent(log.log_path(os.environ), 99)) == len(clew.executor.problems)
