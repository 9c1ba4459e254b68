"""An agent with three tools and a scripted model."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from agents import Agent, FunctionTool, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call


def tools_for(project: Path) -> list[FunctionTool]:
    """Return one tool that writes, one shell, and one that always raises."""

    @function_tool
    def write_file(path: str, content: str) -> str:
        """Write a file."""
        (project / path).write_text(content)
        return "written"

    @function_tool
    def run_shell(command: str) -> str:
        """Run a command."""
        done = subprocess.run(
            command, shell=True, cwd=project, capture_output=True, text=True, check=False
        )
        return done.stdout

    @function_tool
    def broken(reason: str) -> str:
        """Fail."""
        raise ValueError(reason)

    return [write_file, run_shell, broken]


def agent_for(
    project: Path, steps: list[Any], tools: list[FunctionTool] | None = None
) -> Agent[Any]:
    return Agent(
        name="worker",
        model=ScriptedModel(steps),
        tools=[*(tools if tools is not None else tools_for(project))],
    )


def asked(agent: Agent[Any], call: int = -1) -> Any:
    """Return the input of a model call, by default of the last one."""
    model = agent.model
    assert isinstance(model, ScriptedModel)
    return model.calls[call].input


def three_steps() -> list[Any]:
    """Return a script that writes a file, deletes one by a shell, and fails, each on its own."""
    return [
        [function_call("write_file", {"path": "new.txt", "content": "new"}, call_id="w1")],
        [function_call("run_shell", {"command": "rm precious.txt"}, call_id="s1")],
        [function_call("broken", {"reason": "no luck"}, call_id="b1")],
        [function_call("write_file", {"path": "last.txt", "content": "x"}, call_id="w2")],
        [assistant_message("all done")],
    ]
