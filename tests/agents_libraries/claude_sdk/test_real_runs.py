"""The real Claude Code, run by the SDK: checkpoints, conversation and restore."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import AgentDefinition, project_key_for_directory

from clew.agents.claude_sdk import ClewSessionStore, clew_hooks, with_clew
from clew.agents.hooks import log
from clew.workspace import Workspace
from tests.agents_libraries.claude_sdk.bundled import run
from tests.agents_libraries.claude_sdk.conftest import MakeOptions
from tests.real_agents.stub_model import Step, stub_model


def script(project: Path) -> list[Step]:
    """Write a file, make one and delete one with Bash, fail, and write another."""
    return [
        {"tool": "Write", "args": {"file_path": str(project / "one"), "content": "1"}},
        {"tool": "Bash", "args": {"command": "echo 2 > two; rm old"}},
        {"tool": "Bash", "args": {"command": "echo 3 > three; exit 3"}},
        {"text": "all is done"},
    ]


def files(project: Path) -> list[str]:
    return sorted(path.name for path in project.iterdir())


def intents(workspace: Workspace) -> list[str]:
    return [one.labels.intent for one in reversed(workspace.log().checkpoints)]


def essence(messages: list[dict[str, Any]]) -> list[str]:
    """Return what was asked, said, called and answered, without what the agent adds of its own."""
    found = []
    for message in messages:
        content = message["content"]
        blocks: list[dict[str, Any]] = (
            [{"type": "text", "text": content}] if isinstance(content, str) else content
        )
        for block in blocks:
            kind, text = block["type"], block.get("text", "")
            if kind == "tool_use":
                found.append(block["name"])
            elif kind == "tool_result":
                found.append("error" if block.get("is_error") else "result")
            elif kind == "text" and message["role"] != "system" and "<system-" not in text:
                found.append(text)
    return found


def everything(messages: list[dict[str, Any]]) -> str:
    return "\n".join(str(message["content"]) for message in messages)


def test_each_batch_that_changed_files_is_a_checkpoint(
    workspace: Workspace, options: MakeOptions, project: Path
) -> None:
    with stub_model(script(project)) as model:
        asyncio.run(run("build it", with_clew(options(model.address), workspace)))
    last = workspace.log().checkpoints[0]

    assert intents(workspace) == [
        "before the session",
        "build it: Write one",
        "build it: echo 2 > two; rm old",
        "build it: echo 3 > three; exit 3",
    ]
    assert dict(last.labels.meta)["failed"] == "echo 3 > three; exit 3: Exit code 3"


def test_a_restore_takes_back_files_and_words_and_the_session_goes_on_from_there(
    workspace: Workspace, options: MakeOptions, project: Path
) -> None:
    with stub_model(script(project)) as model:
        session = asyncio.run(run("build it", with_clew(options(model.address), workspace)))
    after_write = workspace.log().checkpoints[2]
    restored = workspace.restore(after_write.id.hex())
    with stub_model([script(project)[0], {"text": "going on"}]) as model:
        resumed = with_clew(options(model.address, resume=session), workspace)
        again = asyncio.run(run("and now?", resumed))

    assert after_write.labels.intent == "build it: Write one"
    assert restored.brought.parts == ("files", "conversation", "tasks")
    assert files(project) == ["old", "one"]
    assert again == session
    asked = essence(model.asked[0])
    assert asked[:3] == ["build it", "Write", "result"]
    assert asked[-1] == "and now?"
    assert not {"Bash", "error", "all is done"} & set(asked)
    assert "From clew" in everything(model.asked[0])


def test_without_a_session_store_claudes_own_transcript_is_what_was_said(
    workspace: Workspace, options: MakeOptions, project: Path
) -> None:
    hooks = clew_hooks(workspace)
    with stub_model(script(project)) as model:
        session = asyncio.run(run("build it", options(model.address, hooks=hooks)))
    wanted = workspace.log().checkpoints[2]
    restored = workspace.restore(wanted.id.hex())
    resumable = restored.brought.resumable
    assert resumable is not None, (wanted.labels.intent, wanted.record.position, restored.brought)
    resume = resumable.command.split()[-1]
    with stub_model([script(project)[0], {"text": "going on"}]) as model:
        asyncio.run(run("and now?", options(model.address, hooks=hooks, resume=resume)))

    assert files(project) == ["old", "one"]
    assert resume != session
    asked = essence(model.asked[0])
    assert asked[:3] == ["build it", "Write", "result"]
    assert asked[-1] == "and now?"
    assert not {"Bash", "error", "all is done"} & set(asked)
    assert "From clew" in everything(model.asked[0])


@pytest.mark.parametrize("mode", ["default", "dontAsk"])
def test_what_the_gate_refuses_is_not_run_and_the_model_is_told_why(
    workspace: Workspace, options: MakeOptions, project: Path, mode: str
) -> None:
    workspace.settings.set("gate", "on")
    push = {"tool": "Bash", "args": {"command": "touch pushed; git push --force origin main"}}
    with stub_model([push, {"text": "I see"}]) as model:
        agent = with_clew(options(model.address, permission_mode=mode), workspace)
        asyncio.run(run("push it", agent))

    assert files(project) == ["old"]
    assert essence(model.asked[1])[-1] == "error"
    assert "clew: " in everything(model.asked[1])


def test_an_agent_goes_on_where_nothing_can_be_kept(
    tmp_path: Path, options: MakeOptions, project: Path
) -> None:
    (tmp_path / "store").write_text("this is no store")
    hooks = clew_hooks(project)
    with stub_model(script(project)) as model:
        agent = options(model.address, hooks=hooks)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CLEW_HOME", str(tmp_path / "store"))
            asyncio.run(run("build it", agent))
    failures = log.recent(log.log_path({"HOME": str(tmp_path / "home")}))

    assert files(project) == ["one", "three", "two"]
    assert {one.agent for one in failures} == {"claude-agent-sdk"}
    assert failures[-1].event == "UserPromptSubmit"


def test_what_a_helper_does_is_kept_and_taken_back_with_its_words(
    workspace: Workspace, options: MakeOptions, project: Path
) -> None:
    helper = AgentDefinition(description="writes", prompt="Write.", tools=["Bash"])
    asked = {
        "description": "write",
        "prompt": "write it",
        "subagent_type": "writer",
        "run_in_background": False,
    }
    script: list[Step] = [  # the helper has no Agent to call, so it goes on with the second step
        {"tool": "Agent", "args": asked},
        {"tool": "Bash", "args": {"command": "echo more >> lines"}},
        {"text": "all is done"},
    ]
    with stub_model(script) as model:
        agent = options(model.address, allowed_tools=["Agent", "Bash"], agents={"writer": helper})
        session = asyncio.run(run("have it written", with_clew(agent, workspace)))
    store = ClewSessionStore(workspace)
    key: Any = {"project_key": project_key_for_directory(project), "session_id": session}
    [subkey] = asyncio.run(store.list_subkeys(key))
    said = asyncio.run(store.load(key | {"subpath": subkey}))

    assert (project / "lines").read_text() == "more\nmore\n"
    assert "have it written: echo more >> lines" in intents(workspace)
    assert "echo more >> lines" in str(said)

    workspace.restore(workspace.log().checkpoints[-1].id.hex())
    left = asyncio.run(store.list_subkeys(key))
    store.close()

    assert files(project) == ["old"]
    assert left == []
