"""A deep agent with a scripted model: prompt, calls and plan are recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import LocalShellBackend
from langchain.agents.middleware import TodoListMiddleware
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool

from clew.agents.deepagents import ClewBackend, ClewMiddleware
from clew.workspace import Workspace
from tests.agents_libraries.deepagents.conftest import ScriptedModel, failed, intents, scripted

Files = Callable[[], list[str]]
Invoke = Callable[[Any, str], dict[str, Any]]


def in_a_loop(agent: Any, prompt: str) -> dict[str, Any]:
    found: dict[str, Any] = asyncio.run(agent.ainvoke({"messages": [HumanMessage(prompt)]}))
    return found


def at_once(agent: Any, prompt: str) -> dict[str, Any]:
    found: dict[str, Any] = agent.invoke({"messages": [HumanMessage(prompt)]})
    return found


both_ways = pytest.mark.parametrize("invoke", [at_once, in_a_loop])


def agent_of(
    model: ScriptedModel, project: Path, workspace: Workspace, *tools: Any, **more: Any
) -> Any:
    inner = LocalShellBackend(root_dir=project, virtual_mode=True, inherit_env=True)
    backend = ClewBackend(inner, workspace, name="a test")
    middleware = [TodoListMiddleware(), ClewMiddleware(backend)]
    return create_deep_agent(model, list(tools), backend=backend, middleware=middleware, **more)


@both_ways
def test_a_run_is_kept_step_by_step_and_taken_back(
    project: Path, workspace: Workspace, files: Files, invoke: Invoke
) -> None:
    model = scripted(
        ("write_file", {"file_path": "/one", "content": "1"}),
        ("execute", {"command": "echo 2 > two; rm old"}),
        ("execute", {"command": "echo 3 > three; exit 3"}),
        "all is done",
    )
    result = invoke(agent_of(model, project, workspace), "build it")

    assert result["messages"][-1].text == "all is done"
    assert intents(workspace) == [
        "before the session",
        "build it: write_file one",
        "build it: echo 2 > two; rm old",
        "build it: echo 3 > three; exit 3",
    ]
    assert failed(workspace) == ["echo 3 > three; exit 3: exit code 3"]

    workspace.restore(workspace.log().checkpoints[-1].id.hex())

    assert files() == ["old"]


@both_ways
def test_the_plan_of_the_agent_is_its_task_list(
    project: Path, workspace: Workspace, invoke: Invoke
) -> None:
    todos = [
        {"content": "read", "status": "completed"},
        {"content": "write", "status": "in_progress"},
        {"content": "rest", "status": "pending"},
    ]
    model = scripted(("write_todos", {"todos": todos}), "planned")
    invoke(agent_of(model, project, workspace), "plan it")
    tasks = workspace.sessions.current().tasks()

    assert [(one.title, one.status) for one in tasks] == [
        ("read", "completed"),
        ("write", "in-progress"),
        ("rest", "pending"),
    ]


@both_ways
def test_tools_of_ones_own_are_watched_too(
    project: Path, workspace: Workspace, invoke: Invoke
) -> None:
    @tool
    def build(target: str) -> str:
        """Make something beside the backend."""
        (project / target).write_text("built")
        return "built"

    model = scripted(("build", {"target": "thing"}), "built it")
    invoke(agent_of(model, project, workspace, build), "make the thing")

    assert intents(workspace) == ["before the session", "make the thing: build"]


@both_ways
def test_a_tool_of_ones_own_that_the_gate_refuses_is_not_run(
    project: Path, workspace: Workspace, invoke: Invoke, files: Files
) -> None:
    @tool
    def run_command(command: str) -> str:
        """Run something beside the backend."""
        (project / "run").write_text(command)
        return "run"

    workspace.settings.set("gate", "on")
    workspace.settings.set("gate.rules", "command make release  # publish: it is out then\n")
    model = scripted(("run_command", {"command": "make release"}), "I see")
    result = invoke(agent_of(model, project, workspace, run_command), "release it")
    [refusal] = [one for one in result["messages"] if isinstance(one, ToolMessage)]

    assert files() == ["old"]
    assert refusal.status == "error"
    assert "Approval required" in refusal.text


def test_calls_at_once_are_each_kept(project: Path, workspace: Workspace, files: Files) -> None:
    writes = [("write_file", {"file_path": f"/{name}", "content": name}) for name in "abcd"]
    at_once(agent_of(scripted(writes, "done"), project, workspace), "write four")

    assert files() == ["a", "b", "c", "d", "old"]

    workspace.restore(workspace.log().checkpoints[-1].id.hex())

    assert files() == ["old"]


def test_what_a_helper_does_is_kept(project: Path, workspace: Workspace) -> None:
    helper = scripted(("write_file", {"file_path": "/by-helper", "content": "1"}), "helped")
    given = {"name": "writer", "description": "writes", "system_prompt": "write", "model": helper}
    task = {"description": "write it", "subagent_type": "writer"}
    model = scripted(("task", task), "done")
    at_once(agent_of(model, project, workspace, subagents=[given]), "have it written")

    assert intents(workspace) == ["before the session", "have it written: write_file by-helper"]


def test_what_was_said_is_with_the_checkpoint(project: Path, workspace: Workspace) -> None:
    model = scripted(("write_file", {"file_path": "/one", "content": "1"}), "all is done")
    agent = agent_of(model, project, workspace)
    at_once(agent, "build it")
    session = workspace.sessions.current()
    kinds = [one["type"] for one in session.messages()]  # type: ignore[index]

    assert kinds == ["human", "ai", "tool", "ai"]
    assert session.info.native == "a test"
    assert workspace.log().checkpoints[0].record.position.length > 0


def test_the_model_is_told_of_a_restore_between_two_turns(
    project: Path, workspace: Workspace
) -> None:
    model = scripted(("write_file", {"file_path": "/one", "content": "1"}), "done", "I know")
    agent = agent_of(model, project, workspace)
    at_once(agent, "build it")
    workspace.restore(workspace.log().checkpoints[-1].id.hex())
    at_once(agent, "and now?")

    assert any("From clew" in message.text for message in model.asked[-1])


def test_what_a_person_did_between_two_turns_is_nobodys_session(
    project: Path, workspace: Workspace
) -> None:
    agent = agent_of(
        scripted(("write_file", {"file_path": "/one", "content": "1"}), "done", "fine"),
        project,
        workspace,
    )
    at_once(agent, "build it")
    (project / "mine").write_text("by hand")
    at_once(agent, "look at it")
    by_hand = [one for one in workspace.log().checkpoints if not one.record.position.session]

    assert [one.labels.intent for one in by_hand] == ["edited between two turns"]
