"""A deep agent whose shell deletes the only copy of a file, and which is taken back.

    python -m examples.deepagents_example

The model is a script, so nothing is asked of anybody.  Everything happens in a temporary directory
with a store of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deepagents import create_deep_agent
from deepagents.backends import LocalShellBackend
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

import clew
from clew.agents.deepagents import ClewBackend, ClewMiddleware
from examples.ten_steps import ClaimFailed, claim, say, title

STEPS = (
    ("write_file", {"file_path": "/shop.py", "content": "open = 1\n"}),
    ("execute", {"command": "echo made > built; rm only-copy"}),
    ("execute", {"command": "false"}),
)


class Scripted(GenericFakeChatModel):
    """Takes the next step each time it is asked."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        """Need no tools to be told which to call."""
        return self


def scripted() -> Scripted:
    calls = [
        AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{at}"}])
        for at, (name, arguments) in enumerate(STEPS)
    ]
    return Scripted(messages=iter([*calls, AIMessage("The shop is built.")]))


def play(place: Path) -> None:
    project = place / "project"
    project.mkdir()
    (project / "only-copy").write_text("nobody else has this\n")
    with clew.open(project, place / "store", create=True) as workspace:
        title("The agent works")
        inner = LocalShellBackend(root_dir=project, virtual_mode=True, inherit_env=True)
        backend = ClewBackend(inner, workspace)
        agent = create_deep_agent(scripted(), backend=backend, middleware=[ClewMiddleware(backend)])
        done = agent.invoke({"messages": [HumanMessage("build the shop")]})
        say(f"  the agent: {done['messages'][-1].text}")
        for one in reversed(workspace.log().checkpoints):
            say(f"  {one.labels.name}: {one.labels.intent}")
        claim("the shell has deleted the only copy", not (project / "only-copy").exists())

        title("All of it is taken back to after the first file")
        first = next(one for one in workspace.log().checkpoints if "shop.py" in one.labels.intent)
        workspace.restore(first.id.hex())
        claim("the only copy is there again", (project / "only-copy").exists())
        claim("what the shell made is gone", not (project / "built").exists())
        claim("what was there at that moment stays", (project / "shop.py").exists())
        told = backend.execute("true").output  # type: ignore[attr-defined]  # as its own class does
        claim("the next output tells the model so", "From clew" in told)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="clew-deepagents-") as place:
        os.environ["HOME"] = place
        try:
            play(Path(place))
        except ClaimFailed as failed:
            print(f"\nThis should not have happened: {failed}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
