"""What a tool answers with `detail` is what the command of that name prints with `--json`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.kit.running import Clew
from tests.mcp_server.talking import Person, ok, talk

CHECK = "test -e app.txt"

STEPS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("save", {"intent": "first"}, ("save", "first")),
    (
        "save_and_verify",
        {"intent": "second", "name": "two", "description": "more", "command": CHECK,
         "meta": {"a": "b"}, "timeout": "1m"},
        ("save", "second", "--name", "two", "--description", "more", "--verify", CHECK,
         "--meta", "a=b", "--timeout", "1m"),
    ),
    ("save", {"skip_unchanged": True}, ("save", "--skip-unchanged")),
    ("log", {}, ("log",)),
    ("log", {"grep": "first", "verdict": "none"}, ("log", "--grep", "first", "--verdict", "none")),
    ("show", {"ref": "two", "paths": True}, ("show", "two", "--paths")),
    ("status", {}, ("status",)),
    ("diff", {}, ("diff",)),
    (
        "diff",
        {"a": "@~1", "b": "two", "patch": True, "paths": ["app.txt"]},
        ("diff", "@~1", "two", "--patch", "--", "app.txt"),
    ),
    ("good", {}, ("good",)),
    ("blame", {"subject": "app.txt"}, ("blame", "app.txt")),
    ("cat", {"ref": "two", "path": "app.txt"}, ("cat", "two", "app.txt")),
    ("verify", {"ref": "two", "command": "true"}, ("verify", "two", "--", "true")),
    ("fork", {"ref": "two", "name": "other"}, ("fork", "two", "--name", "other")),
    (
        "try",
        {"ref": "two", "attempts": {"left": "echo 1 > left"}, "verify": "test -e left"},
        ("try", "two", "--attempt", "left=echo 1 > left", "--verify", "test -e left"),
    ),
    ("drill", {"ref": "two"}, ("drill", "two", "--no-check")),
    ("bisect", {"command": "! test -e app.txt"}, ("bisect", "--", "! test -e app.txt")),
    ("adopt", {"fork": "left"}, ("adopt", "left", "--yes")),
    ("undo", {}, ("undo", "--yes")),
    ("restore", {"ref": "two", "paths": ["app.txt"]}, ("restore", "two", "app.txt", "--yes")),
    ("restore", {"ref": "@~1"}, ("restore", "@~1", "--yes")),
    ("add_task", {"title": "build it"}, ("task", "add", "build it")),
    (
        "mark_task",
        {"number": 1, "status": "completed", "note": "fine"},
        ("task", "done", "1", "--note", "fine"),
    ),
    ("tasks", {}, ("task", "list")),
    (
        "record_effect",
        {"action": "deploy web", "tool": "bash", "arguments": {"a": 1}, "undo": "roll back"},
        ("effect", "record", "deploy web", "--tool", "bash", "--arguments", '{"a": 1}',
         "--undo", "roll back"),
    ),
    (
        "settle_effect",
        {"number": 1, "status": "done", "outcome": "it answers"},
        ("effect", "settle", "1", "done", "it answers"),
    ),
    ("effects", {}, ("effect", "list")),
    ("save", {"intent": "with tasks"}, ("save", "with tasks")),
    ("log", {"grep": "with tasks"}, ("log", "--grep", "with tasks")),
]  # fmt: skip


def edits(workspace: Path, step: int) -> None:
    """Change files, the same way in both workspaces."""
    if step == 1:
        (workspace / "app.txt").write_text("one\ntwo\n")
    if step == 6:
        (workspace / "other.txt").write_text("not saved yet\n")


def masked(value: Any, workspace: Path) -> Any:
    """Return a value without what differs between two runs of the same."""
    if isinstance(value, dict):
        return {
            key: 0 if key in ("duration_ms", "new_bytes", "free_bytes") else masked(item, workspace)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item, workspace) for item in value]
    if isinstance(value, str):
        value = value.replace(str(workspace.parent), "PLACE")
        value = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME", value)
        value = re.sub(r"\b\d+(\.\d+)? m?s\b", "SPAN", value)
        return re.sub(r"\b[0-9a-f]{8,64}\b", "ID", value)
    return value


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Any]]:
    """What every step answers, by tool and by command, in two workspaces that are treated alike."""
    places = [tmp_path_factory.mktemp("tool"), tmp_path_factory.mktemp("command")]
    for place in places:
        (place / "project").mkdir()
    tool, command = (Clew(place / "project", place / "store") for place in places)

    async def by_tool(client: Client) -> list[Any]:
        found = []
        for step, (name, arguments, _) in enumerate(STEPS):
            edits(tool.workspace, step)
            found.append(ok(await client.call_tool(name, {**arguments, "detail": True})))
        return found

    ours = talk(tool, by_tool, person=Person())
    theirs = []
    for step, (_, _, words) in enumerate(STEPS):
        edits(command.workspace, step)
        theirs.append(command.json(*words))
    return [
        (masked(one, tool.workspace), masked(two, command.workspace))
        for one, two in zip(ours, theirs, strict=True)
    ]


@pytest.mark.parametrize("step", range(len(STEPS)), ids=[" ".join(words) for _, _, words in STEPS])
def test_a_tool_answers_what_the_command_prints(answers: list[tuple[Any, Any]], step: int) -> None:
    by_tool, by_command = answers[step]

    assert by_tool == by_command


def test_every_tool_is_among_them(clew: Clew) -> None:
    tools = talk(clew, lambda client: client.list_tools()).tools

    assert {tool.name for tool in tools} == {name for name, _, _ in STEPS}
