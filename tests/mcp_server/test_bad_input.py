"""Whatever a client sends: one error object, nothing changed, and the server goes on."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult

from tests.kit.running import Clew
from tests.mcp_server.talking import MODES, Person, call, error, ok, stdio, talk

LONG = "x" * 1_000_000

HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("log", {"limit": "many"}, "bad-option"),
    ("log", {"limit": 0}, "bad-option"),
    ("log", {"limit": 10**30}, "bad-option"),
    ("log", {"verdict": "splendid"}, "bad-option"),
    ("log", {"since": "\x1b[31mred"}, "bad-option"),
    ("log", {"path": "../../etc/passwd"}, "outside-workspace"),
    ("log", {"grep": {"a": 1}}, "bad-option"),
    ("show", {}, "bad-option"),
    ("show", {"ref": "a\0b"}, "bad-option"),
    ("show", {"ref": LONG}, "bad-reference"),
    ("show", {"ref": "../.."}, "unknown-reference"),
    ("show", {"ref": ["@"]}, "bad-option"),
    ("show", {"ref": None}, "bad-option"),
    ("diff", {"paths": ["../.."]}, "outside-workspace"),
    ("diff", {"paths": ["ok", "a\0b"]}, "bad-option"),
    ("restore", {"ref": "@", "path": ["file"]}, "bad-option"),
    ("restore", {"ref": "@", "paths": "file"}, "bad-option"),
    ("restore", {"ref": "@", "parts": ["soul"]}, "bad-option"),
    ("restore", {"ref": "@", "favour": "mine", "keep_mine": True}, "bad-option"),
    ("restore", {"ref": "@", "paths": ["/etc/passwd"]}, "outside-workspace"),
    ("undo", {"steps": -1}, "bad-option"),
    ("undo", {"steps": 10**9}, "nothing-to-undo"),
    ("save", {"name": LONG}, "bad-name"),
    ("save", {"name": "@"}, "bad-name"),
    ("save", {"meta": {"a": {"b": 1}}}, "bad-option"),
    ("save", {"verify": "true"}, "bad-option"),
    ("save_and_verify", {"command": " "}, "bad-option"),
    ("save_and_verify", {"command": "true; " * 1000}, "bad-option"),
    ("save_and_verify", {}, "no-check-configured"),
    ("verify", {"ref": "@", "command": "true", "network": "moon"}, "bad-option"),
    ("verify", {"ref": "@", "command": "true", "allow_sockets": ["/none"]}, "bad-option"),
    ("bisect", {"command": "true", "allow_sockets": ["@abstract"]}, "bad-option"),
    ("verify", {"ref": "@", "command": "true", "timeout": "soon"}, "bad-option"),
    ("fork", {"ref": "@", "directory": "../.."}, "bad-fork-directory"),
    ("fork", {"ref": "@", "name": "../.."}, "bad-fork-name"),
    ("try", {"ref": "@", "attempts": {}}, "bad-option"),
    ("try", {"ref": "@", "attempts": {"../..": "true"}}, "bad-fork-name"),
    ("try", {"ref": "@", "attempts": ["true"]}, "bad-option"),
    ("adopt", {"fork": "../.."}, "unknown-fork"),
    ("bisect", {"command": "true", "repeat": 0}, "bad-option"),
    ("mark_task", {"number": 7, "status": "completed"}, "no-session"),
    ("mark_task", {"number": 1, "status": "splendid"}, "bad-option"),
    ("settle_effect", {"number": 7, "status": "done"}, "unknown-effect"),
    ("tasks", {"session": "nobody"}, "unknown-session"),
    ("no such tool", {}, "bad-option"),
    (LONG, {}, "bad-option"),
]


@pytest.fixture
def saved(clew: Clew) -> Clew:
    (clew.workspace / "file").write_text("one")
    clew.save("first")
    return clew


@pytest.mark.parametrize("mode", MODES)
def test_hostile_arguments_are_refused_and_the_server_goes_on(saved: Clew, mode: str) -> None:
    async def all_of_them(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(tool, arguments) for tool, arguments, _ in HOSTILE]

    before = saved.ids()
    found = talk(saved, all_of_them, mode=mode, person=Person("accept"))

    assert [error(one)["kind"] for one in found] == [kind for _, _, kind in HOSTILE]
    assert all(len(error(one)["message"]) <= 1000 for one in found)
    assert saved.ids() == before
    assert (saved.workspace / "file").read_text() == "one"


def test_long_texts_are_kept_as_the_command_line_keeps_them(saved: Clew) -> None:
    result = ok(call(saved, "save", {"intent": LONG, "description": LONG}))

    assert 0 < len(result["checkpoint"]["intent"]) < 10_000


def test_half_a_character_does_no_harm(saved: Clew) -> None:
    """JSON can spell half a surrogate pair, and no file name or store can hold one."""
    lines: list[dict[str, Any]] = [
        {"method": "initialize", "id": 1, "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"method": "tools/call", "id": 2, "params": {
            "name": "save", "arguments": {"intent": "\ud800 half"}}},
        {"method": "tools/call", "id": 3, "params": {"name": "status", "arguments": {}}},
    ]  # fmt: skip
    answers = spoken(saved, [json.dumps({"jsonrpc": "2.0", **line}) for line in lines], until=3)

    assert answers[3]["result"]["isError"] is False


def test_lines_that_are_no_protocol_do_not_end_the_server(saved: Clew) -> None:
    rubbish = ["", "nonsense", "{}", "[1", '{"jsonrpc": "2.0"}', "\x00\x01", "x" * 100_000]
    hello = {"jsonrpc": "2.0", "method": "initialize", "id": 1, "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    answers = spoken(saved, [*rubbish, json.dumps(hello)], until=1)

    assert answers[1]["result"]["serverInfo"]["name"] == "clew"


def spoken(clew: Clew, lines: list[str], until: int) -> dict[Any, Any]:
    """Speak to a server line by line, and return its answers up to the one with a number."""
    process = subprocess.Popen(
        clew.command("mcp"), cwd=clew.workspace, env=clew.environment(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    answers: dict[Any, Any] = {}
    try:
        process.stdin.write("".join(line + "\n" for line in lines))
        process.stdin.flush()
        while until not in answers:
            said = json.loads(process.stdout.readline())
            answers[said.get("id")] = said
        process.stdin.close()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stdin.close()
    return answers


def test_where_there_is_no_workspace_looking_says_so_and_a_save_makes_one(clew: Clew) -> None:
    async def body(client: Client) -> tuple[CallToolResult, CallToolResult, CallToolResult]:
        return (
            await client.call_tool("log", {}),
            await client.call_tool("save", {"intent": "first"}),
            await client.call_tool("log", {}),
        )

    before, save, after = talk(clew, body)

    assert error(before)["kind"] == "not-a-workspace"
    assert ok(save)["is_new_workspace"] is True
    assert [one["intent"] for one in ok(after)["checkpoints"]] == ["first"]


def test_a_store_that_goes_away_and_comes_back_is_an_error_of_the_calls_between(
    saved: Clew,
) -> None:
    async def body(client: Client) -> list[CallToolResult]:
        found = [await client.call_tool("log", {})]
        saved.store.rename(saved.store.with_name("away"))
        found.append(await client.call_tool("log", {}))
        saved.store.with_name("away").rename(saved.store)
        return [*found, await client.call_tool("log", {})]

    first, gone, again = talk(saved, body)

    assert error(gone)["kind"] == "not-a-workspace"
    assert ok(first) == ok(again)


def test_a_store_that_is_no_store_is_said(saved: Clew) -> None:
    shutil.rmtree(saved.store)
    saved.store.mkdir()
    (saved.store / "letters.txt").write_text("something else")

    assert error(call(saved, "save", {}))["kind"] == "not-a-store"


def test_a_workspace_deleted_under_the_server_is_said_and_can_be_restored(
    saved: Clew, tmp_path: Path
) -> None:
    async def body(client: Client) -> list[CallToolResult]:
        shutil.rmtree(saved.workspace)
        gone = await client.call_tool("status", {})
        return [gone, await client.call_tool("restore", {"ref": "@"})]

    async def run() -> list[CallToolResult]:
        parameters = stdio(saved, tmp_path)
        parameters.args += ["-C", str(saved.workspace)]
        async with Client(parameters, elicitation_callback=Person("accept")) as client:
            return await body(client)

    gone, back = asyncio.run(run())

    assert error(gone)["kind"] == "workspace-missing"
    assert ok(back)["created_count"] >= 1
    assert (saved.workspace / "file").read_text() == "one"


def test_paths_start_at_the_root_wherever_the_server_was_started(saved: Clew) -> None:
    (saved.workspace / "deep").mkdir()
    result = call(saved, "blame", {"subject": "file"}, cwd=saved.workspace / "deep")

    assert len(ok(result)["matches"]) == 1
