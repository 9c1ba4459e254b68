"""An agent with three tools and a scripted model."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

Answer = list[ToolCallPart | TextPart]


class Script:
    """Scripted answers, and the requests that the model received."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[list[ModelMessage]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append([*messages])
        return ModelResponse([*self._answers.pop(0)])


def call(tool: str, identifier: str, /, **arguments: object) -> ToolCallPart:
    return ToolCallPart(tool, arguments, tool_call_id=identifier)


def done(text: str = "done") -> Answer:
    return [TextPart(text)]


def agent_for(
    project: Path, script: Script, capabilities: Sequence[AbstractCapability[Any]]
) -> Agent[None, str]:
    """Return an agent with one tool that writes, one shell, and one that always fails."""
    agent = Agent(FunctionModel(script), capabilities=[*capabilities])

    @agent.tool_plain
    def write_file(path: str, content: str) -> str:
        (project / path).write_text(content)
        return "written"

    @agent.tool_plain
    def run_shell(command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=project, capture_output=True, text=True, check=False
        )
        return done.stdout

    @agent.tool_plain
    def broken(reason: str) -> str:
        (project / "half.txt").write_text(reason)
        raise ModelRetry(reason)

    @agent.tool_plain
    def explode(reason: str) -> str:
        (project / "debris.txt").write_text(reason)
        raise RuntimeError(reason)

    return agent


def parts(messages: list[ModelMessage]) -> list[str]:
    """Return the kinds of all parts of some messages."""
    return [part.part_kind for message in messages for part in message.parts]


def three_steps() -> Script:
    """Return a script that writes a file, deletes one by a shell, and fails, each on its own."""
    return Script(
        [call("write_file", "w1", path="new.txt", content="new")],
        [call("run_shell", "s1", command="rm precious.txt")],
        [call("broken", "b1", reason="no luck")],
        done("all done"),
    )
