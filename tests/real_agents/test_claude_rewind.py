"""Side by side: what Claude Code's own rewind takes back of a turn, and what a restore does.

pytest -s tests/real_agents/test_claude_rewind.py        prints the table
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, UserMessage

import clew
from clew.agents.claude_sdk import clew_hooks
from clew.workspace import Workspace
from tests.agents_libraries.claude_sdk.bundled import live_in, options_for
from tests.real_agents.stub_model import Step, stub_model

OLD = {"edited": "as it was\n", "deleted": "the only copy\n", "shell-edited": "as it was\n"}
WHAT = {
    "written": "a file made by Write",
    "edited": "a file overwritten by Write",
    "made": "a file made by Bash",
    "shell-edited": "a file changed by Bash",
    "deleted": "a file deleted by Bash",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    live_in(tmp_path, monkeypatch)
    place = tmp_path / "project"
    place.mkdir()
    for name, content in OLD.items():
        (place / name).write_text(content)
    return place


@pytest.fixture
def workspace(tmp_path: Path, project: Path) -> Iterator[Workspace]:
    with clew.open(project, tmp_path / "store", create=True) as opened:
        yield opened


def script(project: Path) -> list[Step]:
    shell = "echo new > made; echo new > shell-edited; rm deleted"
    return [
        {"tool": "Write", "args": {"file_path": str(project / "written"), "content": "new"}},
        {"tool": "Read", "args": {"file_path": str(project / "edited")}},
        {"tool": "Write", "args": {"file_path": str(project / "edited"), "content": "new"}},
        {"tool": "Bash", "args": {"command": shell}},
        {"text": "done"},
    ]


def contents(project: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(project.iterdir())}


async def one_turn_and_rewind(options: ClaudeAgentOptions, project: Path) -> dict[str, str]:
    """Do a turn, have Claude Code rewind it, and return what the turn had left."""
    begun = ""
    async with ClaudeSDKClient(options) as client:
        await client.query("change things")
        async for message in client.receive_messages():
            if isinstance(message, UserMessage) and message.uuid and not begun:
                begun = message.uuid
            if isinstance(message, ResultMessage):
                break
        left = contents(project)
        await client.rewind_files(begun)
    return left


def taken_back(before: dict[str, str], after: dict[str, str]) -> dict[str, bool]:
    return {name: before.get(name) == after.get(name) for name in WHAT}


def table(rewind: dict[str, bool], restore: dict[str, bool]) -> str:
    rows = ["| what the agent did | Claude Code's rewind | `clew restore` |", "|---|---|---|"]
    for name, what in WHAT.items():
        stays = "stays deleted" if name == "deleted" else "stays"
        words = {True: "taken back", False: stays}
        rows.append(f"| {what} | {words[rewind[name]]} | {words[restore[name]]} |")
    return "\n".join(rows)


def test_rewind_leaves_what_bash_did_and_a_restore_takes_all_of_it_back(
    workspace: Workspace, project: Path
) -> None:
    before = contents(project)
    with stub_model(script(project)) as model:
        options = options_for(
            project,
            model.address,
            enable_file_checkpointing=True,
            extra_args={"replay-user-messages": None},
            hooks=clew_hooks(workspace),
        )
        changed = asyncio.run(one_turn_and_rewind(options, project))
    rewound = contents(project)
    begun, ended = workspace.log().checkpoints[-1], workspace.log().checkpoints[0]
    workspace.restore(ended.id.hex())
    after_the_turn = contents(project)
    workspace.restore(begun.id.hex())
    restored = contents(project)
    print(f"\n{table(taken_back(before, rewound), taken_back(before, restored))}")

    assert not any(taken_back(before, changed).values())
    assert after_the_turn == changed
    assert taken_back(before, rewound) == {
        "written": True,
        "edited": True,
        "made": False,
        "shell-edited": False,
        "deleted": False,
    }
    assert restored == before
