"""An OpenAI Agents SDK agent deletes the only copy of a file, and a restore brings it back.

    python examples/openai_agents_example.py

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
from typing import Any

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient
from agents.testing import ScriptedModel, assistant_message, function_call

import clew
from clew.agents.openai_agents import ClewHooks
from clew.agents.openai_agents.sandbox import ClewSnapshotSpec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the repository

from examples.ten_steps import ClaimFailed, claim, say, title

STEPS = (
    [function_call("write_file", {"path": "shop.py", "content": "open = 1\n"}, call_id="1")],
    [function_call("run_shell", {"command": "echo made > built; rm only-copy"}, call_id="2")],
    [assistant_message("The shop is built.")],
)


def agent_in(project: Path, *steps: list[Any]) -> Agent[Any]:
    """Return an agent with an edit tool and a shell."""

    @function_tool
    def write_file(path: str, content: str) -> str:
        """Write a file."""
        (project / path).write_text(content)
        return "written"

    @function_tool
    def run_shell(command: str) -> str:
        """Run a command."""
        done = subprocess.run(["sh", "-c", command], cwd=project, capture_output=True, check=False)
        return done.stdout.decode()

    return Agent(name="builder", model=ScriptedModel(steps), tools=[write_file, run_shell])


async def restore_files(place: Path) -> None:
    project = place / "project"
    project.mkdir()
    (project / "only-copy").write_text("nobody else has this\n")
    with clew.open(project, place / "store", create=True) as workspace:
        title("The agent works")
        hooks = ClewHooks(workspace)
        agent = agent_in(project, *STEPS)
        done = await Runner.run(agent, "build the shop", hooks=hooks, session=hooks.conversation)
        say(f"  the agent: {done.final_output}")
        for one in reversed(workspace.log().checkpoints):
            say(f"  {one.labels.name}: {one.labels.intent}")
        claim("the shell deleted the only copy", not (project / "only-copy").exists())

        title("The checkpoint after the first file is restored")
        first = next(one for one in workspace.log().checkpoints if "shop.py" in one.labels.intent)
        workspace.restore(first.id.hex())
        claim("the only copy exists again", (project / "only-copy").exists())
        claim("the shell's file is removed", not (project / "built").exists())

        title("The conversation continues from there")
        agent = agent_in(project, [assistant_message("I read it again.")])
        await Runner.run(agent, "go on", hooks=hooks, session=hooks.conversation)
        asked = agent.model.calls[0].input if isinstance(agent.model, ScriptedModel) else []
        claim("the model sees the first call", "shop.py" in str(asked))
        claim("but no reverted call", "rm only-copy" not in str(asked[:-1]))
        claim("and a message about the restore", "From clew" in str(asked[-1]))


async def resume_sandbox(place: Path) -> None:
    title("A sandbox is resumed from a checkpoint")
    client = UnixLocalSandboxClient()
    spec = ClewSnapshotSpec(base_path=place / "sandboxes", store=place / "store")
    session = await client.create(snapshot=spec)
    async with session:
        await session.exec("sh", "-c", "echo one > file", shell=False)
    await client.delete(session)
    resumed = await client.resume(session.state)
    async with resumed:
        found = await resumed.exec("cat", "file", shell=False)
    await client.delete(resumed)
    claim("its files are restored", bytes(found.stdout) == b"one\n")


def main() -> int:
    set_tracing_disabled(True)
    with tempfile.TemporaryDirectory(prefix="clew-openai-agents-") as place:
        os.environ["HOME"] = place
        try:
            asyncio.run(restore_files(Path(place)))
            asyncio.run(resume_sandbox(Path(place)))
        except ClaimFailed as failed:
            print(f"\nThis should not have happened: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
