"""An agent of the Claude Agent SDK whose turn is taken back, files and words, and which goes on.

    python -m examples.claude_agent_sdk_example

The agent is the real Claude Code that the SDK brings along; the model is a script on loopback, so
nothing is asked of anybody.  Everything happens in a temporary directory with a home of its own.
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
from examples.ten_steps import ClaimFailed, claim, say, title
from tests.real_agents.stub_model import Step, stub_model


def script(project: Path) -> list[Step]:
    """What the model has the agent do: one file by its own tool, then a good deal by the shell."""
    return [
        {"tool": "Write", "args": {"file_path": str(project / "shop.py"), "content": "open = 1\n"}},
        {"tool": "Bash", "args": {"command": "echo made > built; rm only-copy"}},
        {"tool": "Bash", "args": {"command": "false"}},
        {"text": "The shop is built."},
    ]


async def ask(prompt: str, options: ClaudeAgentOptions) -> str:
    """Put a prompt to the agent, and return what it calls the session."""
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
        claim("the shell has deleted the only copy", not (project / "only-copy").exists())

        title("All of it is taken back to after the first file")
        first = next(one for one in workspace.log().checkpoints if "shop.py" in one.labels.intent)
        workspace.restore(first.id.hex())
        claim("the only copy is there again", (project / "only-copy").exists())
        claim("what the shell made is gone", not (project / "built").exists())
        claim("what was there at that moment stays", (project / "shop.py").exists())

        title("The session goes on from there")
        with stub_model(
            [script(project)[0], {"text": "I begin again after the first file."}]
        ) as model:
            options = with_clew(options_for(project, model.address, resume=session), workspace)
            asyncio.run(ask("and now?", options))
        asked = str(model.asked[0])
        claim("the model remembers the file it wrote", "shop.py" in asked)
        claim("and nothing of what came after", "only-copy" not in conversation(model.asked[0]))
        claim("it is told that it was taken back", "From clew" in asked)


def conversation(messages: list[dict[str, object]]) -> str:
    """Return what was called and answered."""
    return "\n".join(str(one["content"]) for one in messages if one["role"] == "assistant")


def show(workspace: Workspace) -> None:
    for one in reversed(workspace.log().checkpoints):
        say(f"  {one.labels.name}: {one.labels.intent}")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="clew-claude-") as place:
        home = Path(place) / "home"
        home.mkdir()
        kept = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": place, "TERM": "dumb"}
        os.environ.clear()
        os.environ.update(kept)
        try:
            play(Path(place))
        except ClaimFailed as failed:
            print(f"\nThis should not have happened: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
