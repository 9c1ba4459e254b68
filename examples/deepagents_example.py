"""A deep agent's shell deletes the only copy of a file, and a restore brings it back.

    python examples/deepagents_example.py

The model is scripted, so no network is needed.  Everything runs in a temporary directory with its own
store.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the repository

from examples.ten_steps import ClaimFailed, claim, say, title

STEPS = (
    ("write_file", {"file_path": "/shop.py", "content": "open = 1\n"}),
    ("execute", {"command": "echo made > built; rm only-copy"}),
    ("execute", {"command": "false"}),
)


class Scripted(GenericFakeChatModel):
    """A model that returns the next step on each request."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        """Return the same model: the calls are scripted."""
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
        claim("the shell deleted the only copy", not (project / "only-copy").exists())

        title("The checkpoint after the first file is restored")
        first = next(one for one in workspace.log().checkpoints if "shop.py" in one.labels.intent)
        workspace.restore(first.id.hex())
        claim("the only copy exists again", (project / "only-copy").exists())
        claim("the shell's file is removed", not (project / "built").exists())
        claim("the first file is still there", (project / "shop.py").exists())
        output = backend.execute("true").output  # type: ignore[attr-defined]  # as its own class does
        claim("the next output tells the model about the restore", "From clew" in output)


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
