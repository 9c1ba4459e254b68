"""A Claude Agent SDK agent whose files and conversation are restored, and which continues.

    python examples/claude_agent_sdk_example.py

The agent is the real Claude Code that the SDK contains; the model is a script on the loopback
interface, so no network is needed.  Everything runs in a temporary directory with its own home.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

import clew
from clew.agents.claude_sdk import with_clew
from clew.workspace import Workspace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the repository

from examples.ten_steps import ClaimFailed, claim, say, title
from tests.real_agents.stub_model import Step, stub_model


def script(project: Path) -> list[Step]:
    """Return the model's steps: write one file with the edit tool, then use the shell."""
    return [
        {"tool": "Write", "args": {"file_path": str(project / "shop.py"), "content": "open = 1\n"}},
        {"tool": "Bash", "args": {"command": "echo made > built; rm only-copy"}},
        {"tool": "Bash", "args": {"command": "false"}},
        {"text": "The shop is built."},
    ]


async def ask(prompt: str, options: ClaudeAgentOptions) -> str:
    """Send a prompt to the agent, and return its session id."""
    session = ""
    async for message in query(prompt=prompt, options=options):
        if isinstance(message, ResultMessage):
            say(f"  the agent: {message.result}")
            session = message.session_id
    return session


def options_for(project: Path, model: str, resume: str | None = None) -> ClaudeAgentOptions:
    settings = {
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "sk-stub",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    return ClaudeAgentOptions(
        cwd=project,
        env=settings,
        resume=resume,
        allowed_tools=["Bash", "Write"],
        setting_sources=[],
    )


def play(place: Path) -> None:
    project = place / "project"
    project.mkdir()
    (project / "only-copy").write_text("nobody else has this\n")
    with clew.open(project, place / "store", create=True) as workspace:
        title("The agent works")
        with stub_model(script(project)) as model:
            options = with_clew(options_for(project, model.address), workspace)
            session = asyncio.run(ask("build the shop", options))
        show(workspace)
        claim("the shell deleted the only copy", not (project / "only-copy").exists())

        title("The checkpoint after the first file is restored")
        first = next(one for one in workspace.log().checkpoints if "shop.py" in one.labels.intent)
        workspace.restore(first.id.hex())
        claim("the only copy exists again", (project / "only-copy").exists())
        claim("the shell's file is removed", not (project / "built").exists())
        claim("the first file is still there", (project / "shop.py").exists())

        title("The session continues from there")
        with stub_model(
            [script(project)[0], {"text": "I begin again after the first file."}]
        ) as model:
            options = with_clew(options_for(project, model.address, resume=session), workspace)
            asyncio.run(ask("and now?", options))
        asked = str(model.asked[0])
        claim("the model sees the call that wrote the file", "shop.py" in asked)
        claim("but no later call", "only-copy" not in conversation(model.asked[0]))
        claim("and a message about the restore", "From clew" in asked)


def conversation(messages: list[dict[str, object]]) -> str:
    """Return the content of the assistant messages."""
    return "\n".join(str(one["content"]) for one in messages if one["role"] == "assistant")


def show(workspace: Workspace) -> None:
    for one in reversed(workspace.log().checkpoints):
        say(f"  {one.labels.name}: {one.labels.intent}")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="clew-claude-") as place:
        home = Path(place) / "home"
        home.mkdir()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TMPDIR": place,
            "TERM": "dumb",
        }
        os.environ.clear()
        os.environ.update(environment)
        try:
            play(Path(place))
        except ClaimFailed as failed:
            print(f"\nThis should not have happened: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
