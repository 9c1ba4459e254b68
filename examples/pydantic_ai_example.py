"""A Pydantic AI agent deletes the only copy of a file, and a restore brings it back.

    python examples/pydantic_ai_example.py

The model is scripted, so no network is needed.  Everything runs in a temporary directory with its own
store.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import clew
from clew.agents.pydantic_ai import Clew, history

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the repository

from examples.ten_steps import ClaimFailed, claim, say, title

STEPS = [
    ModelResponse([ToolCallPart("write_file", {"path": "shop.py", "content": "open = 1\n"})]),
    ModelResponse([ToolCallPart("run_shell", {"command": "echo made > built; rm only-copy"})]),
    ModelResponse([TextPart("The shop is built.")]),
    ModelResponse([TextPart("I read it again.")]),
]


class Script:
    """A model that returns the next step on each request."""

    def __init__(self) -> None:
        self.steps = [*STEPS]
        self.asked: list[ModelMessage] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked = messages
        return self.steps.pop(0)


async def play(place: Path) -> None:
    project = place / "project"
    project.mkdir()
    (project / "only-copy").write_text("nobody else has this\n")
    script = Script()
    with clew.open(project, place / "store", create=True) as workspace:
        agent = Agent(FunctionModel(script), capabilities=[Clew(workspace)])

        @agent.tool_plain
        def write_file(path: str, content: str) -> None:
            (project / path).write_text(content)

        @agent.tool_plain
        def run_shell(command: str) -> None:
            subprocess.run(["sh", "-c", command], cwd=project, check=False)

        title("The agent works")
        done = await agent.run("build the shop")
        say(f"  the agent: {done.output}")
        for one in reversed(workspace.log().checkpoints):
            say(f"  {one.labels.name}: {one.labels.intent}")
        claim("the shell deleted the only copy", not (project / "only-copy").exists())

        title("The checkpoint after the first file is restored")
        first = next(one for one in workspace.log().checkpoints if "shop.py" in one.labels.intent)
        workspace.restore(first.id.hex())
        claim("the only copy exists again", (project / "only-copy").exists())
        claim("the shell's file is removed", not (project / "built").exists())

        title("The conversation continues from there")
        before = history(workspace.sessions.current())
        await agent.run("go on", message_history=before)
        claim("the model sees the first call", "shop.py" in str(script.asked))
        claim("but no reverted call", "rm only-copy" not in str(script.asked[:-1]))
        claim("and a message about the restore", "From clew" in str(script.asked[-1]))


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="clew-pydantic-ai-") as place:
        os.environ["HOME"] = place
        try:
            asyncio.run(play(Path(place)))
        except ClaimFailed as failed:
            print(f"\nThis should not have happened: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
