"""What clients are told of the tools, and how a server behaves while it works."""

from __future__ import annotations

import asyncio
import subprocess
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.types import CallToolResult, Tool

from tests.cli.test_startup import loaded_by
from tests.kit import background
from tests.kit.running import Clew
from tests.mcp_server.talking import (
    MODES,
    VERSIONS,
    Person,
    call,
    error,
    is_running,
    ok,
    stdio,
    talk,
    until,
)

READS = {"log", "show", "status", "diff", "good", "blame", "cat", "tasks", "effects"}
OVERWRITES = {"restore", "undo", "adopt"}
RUNS = {"save_and_verify", "verify", "try", "bisect", "drill"}


@pytest.fixture
def saved(clew: Clew) -> Clew:
    (clew.workspace / "file").write_text("one")
    clew.save("first", "--name", "first")
    return clew


def tools_of(clew: Clew, mode: str = "auto") -> dict[str, Tool]:
    found = talk(clew, lambda client: client.list_tools(), mode=mode).tools
    return {tool.name: tool for tool in found}


@pytest.mark.parametrize("mode", MODES)
def test_both_generations_of_the_protocol_are_spoken(clew: Clew, mode: str) -> None:
    async def body(client: Client) -> tuple[str, str | None, Any]:
        return client.protocol_version, client.instructions, client.server_info

    version, instructions, info = talk(clew, body, mode=mode)

    assert version == VERSIONS[mode]
    assert "restore" in (instructions or "")
    assert (info.name, info.version) == ("clew", clew.json("--version")["version"])


@pytest.mark.parametrize("mode", MODES)
def test_hints_say_what_reads_what_overwrites_and_what_runs(clew: Clew, mode: str) -> None:
    hints = {name: tool.annotations for name, tool in tools_of(clew, mode).items()}
    said = {name: hint for name, hint in hints.items() if hint is not None}

    assert said.keys() == hints.keys()
    assert {name for name, hint in said.items() if hint.read_only_hint} == READS
    assert {name for name, hint in said.items() if hint.destructive_hint} == OVERWRITES | RUNS
    assert {name for name, hint in said.items() if hint.open_world_hint} == RUNS
    assert not any(said[name].idempotent_hint for name in RUNS)
    assert not said["undo"].idempotent_hint


def test_few_tools_are_always_loaded(clew: Clew) -> None:
    tools = tools_of(clew).values()

    assert {tool.name for tool in tools if (tool.meta or {}).get("anthropic/alwaysLoad")} == {
        "save",
        "log",
        "restore",
        "status",
    }


def test_every_tool_and_every_argument_says_what_it_is(clew: Clew) -> None:
    for tool in tools_of(clew).values():
        assert tool.title
        assert 20 < len(tool.description or "") < 500
        assert tool.output_schema
        for argument in tool.input_schema.get("properties", {}).values():
            assert argument["description"]


def test_text_and_structure_say_the_same(saved: Clew) -> None:
    import json

    result = call(saved, "log")
    (block,) = result.content

    assert block.type == "text"
    assert json.loads(block.text) == result.structured_content


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("save", {}, "Reading"),
        ("restore", {"ref": "first"}, "Reading"),
        ("verify", {"ref": "@", "command": "sleep 3"}, ""),
        ("try", {"ref": "@", "attempts": {"slow": "sleep 3"}}, ""),
        ("bisect", {"command": "! test -e other"}, ""),
    ],
    ids=str,
)
def test_long_work_reports_how_far_it_is(
    saved: Clew, mode: str, tool: str, arguments: dict[str, Any], words: str
) -> None:
    (saved.workspace / "other").write_text("two")
    saved.save("second")
    told: list[tuple[float, str]] = []

    async def hear(progress: float, total: float | None = None, message: str | None = None) -> None:
        told.append((progress, message or ""))

    async def body(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments, progress_callback=hear)

    ok(talk(saved, body, mode=mode, person=Person()))

    assert any(words in message for _, message in told)
    assert [number for number, _ in told] == sorted({number for number, _ in told})


def test_a_ping_is_answered_during_long_work(saved: Clew) -> None:
    flag = saved.workspace.parent / "go"

    async def body(client: Client) -> CallToolResult:
        check = f"until test -e {flag}; do sleep 0.05; done"
        working = asyncio.create_task(client.call_tool("save_and_verify", {"command": check}))
        while not saved.workspace.parent.joinpath("store").exists():
            await asyncio.sleep(0.02)
        with pytest.warns(MCPDeprecationWarning, match="ping"):
            await client.send_ping()
        await client.list_tools(cache_mode="bypass")
        assert not working.done()
        flag.touch()
        return await working

    assert ok(talk(saved, body, mode="legacy", person=Person()))["verdict"]["is_good"]


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_is_cancelled_leaves_nothing_half_done(saved: Clew, mode: str) -> None:
    flag, running = saved.workspace.parent / "go", saved.workspace.parent / "running"
    check = f"touch {running}; until test -e {flag}; do sleep 0.05; done"

    async def body(client: Client) -> CallToolResult:
        given = {"intent": "big", "command": check}
        working = asyncio.create_task(client.call_tool("save_and_verify", given))
        while not running.exists():
            await asyncio.sleep(0.02)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        flag.touch()
        return await client.call_tool("log", {"limit": 5})

    newest = ok(talk(saved, body, mode=mode, person=Person()))["checkpoints"][0]

    assert (newest["intent"], newest["verdict"]["status"]) == ("big", "passing")


def test_a_client_that_goes_away_lets_the_work_come_to_its_end(saved: Clew) -> None:
    """Standard input ends in the middle of a call: it is finished, then the server ends."""
    running, flag = saved.workspace.parent / "running", saved.workspace.parent / "go"
    check = f"touch {running}; until test -e {flag}; do sleep 0.05; done"
    process = subprocess.Popen(
        saved.command("mcp", "--allow-commands"), cwd=saved.workspace, env=saved.environment(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        import json

        assert process.stdin is not None
        for line in (
            {"method": "initialize", "id": 1, "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"}}},
            {"method": "notifications/initialized"},
            {"method": "tools/call", "id": 2, "params": {
                "name": "save_and_verify",
                "arguments": {"intent": "last words", "command": check}}},
        ):  # fmt: skip
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **line}) + "\n")
        process.stdin.flush()
        until(running.exists)
        process.stdin.close()
        flag.touch()

        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    assert saved.json("log")["checkpoints"][0]["intent"] == "last words"
    assert not is_running(process.pid)


def test_two_clients_at_once_each_get_their_answers(saved: Clew) -> None:
    async def saves(name: str) -> list[str]:
        async with Client(stdio(saved)) as client:
            found = []
            for number in range(4):
                (saved.workspace / f"{name}{number}").write_text(name)
                result = ok(await client.call_tool("save", {"intent": f"{name} {number}"}))
                found.append(result["checkpoint"]["id"])
            return found

    async def both() -> tuple[list[str], list[str]]:
        return await asyncio.gather(saves("left"), saves("right"))

    left, right = asyncio.run(both())

    assert set(left) | set(right) <= {one[:8] for one in saved.ids()}
    assert len(set(left) | set(right)) == 8


def test_calls_of_one_client_at_once_are_all_answered(saved: Clew) -> None:
    async def body(client: Client) -> list[CallToolResult]:
        return await asyncio.gather(*(client.call_tool("log", {}) for _ in range(8)))

    assert len({len(ok(one)["checkpoints"]) for one in talk(saved, body)}) == 1


def test_a_long_timeline_is_cut_and_says_so(saved: Clew) -> None:
    saved.save("second")
    result = ok(call(saved, "log", {"limit": 1}))

    assert [one["intent"] for one in result["checkpoints"]] == ["second"]
    (newest,) = result["checkpoints"]
    assert result["truncated"] == [
        f'checkpoints: 1 of 2; call with `before`: "{newest["id"]}" or a higher `limit`'
    ]
    assert "truncated" not in ok(call(saved, "log", {"limit": 2}))
    older = ok(call(saved, "log", {"limit": 1, "before": newest["id"]}))
    assert [one["intent"] for one in older["checkpoints"]] == ["first"]
    assert "truncated" not in older


def test_a_long_difference_is_cut_and_says_so(saved: Clew) -> None:
    for number in range(250):
        (saved.workspace / f"file{number}").write_text("x" * 400 + "\n")
    result = ok(call(saved, "diff", {"patch": True, "detail": True}))

    assert len(result["changes"]) == 200
    assert len(result["patch"]) == 50_000
    assert "changes: the first 200 of 250" in result["truncated"]


def test_an_effect_that_repeats_is_refused_with_the_way_to_repeat_it(saved: Clew) -> None:
    saved.ok("session", "attach", "--agent", "bot")
    saved.save("before")
    saved.ok("effect", "record", "deploy web v3")
    saved.ok("effect", "settle", "1", "done")
    saved.restore("@~1")
    refused = error(call(saved, "record_effect", {"action": "deploy web v3"}))

    assert refused["kind"] == "duplicate-effect"
    assert "`again`" in refused["hint"]
    assert ok(call(saved, "record_effect", {"action": "deploy web v3", "again": True}))


def test_without_the_package_one_line_says_what_to_install(clew: Clew) -> None:
    hidden = clew.workspace.parent / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text("import sys; sys.modules['mcp'] = None\n")
    clew.extra["PYTHONPATH"] = f"{hidden}:{clew.environment()['PYTHONPATH']}"
    ran = clew.run("mcp")

    assert ran.code == 1
    assert ran.out == ""
    assert ran.talk == [
        "Error: Optional dependency not installed: mcp",
        "Hint: Install it with `pip install 'clew[mcp]'`",
    ]


def test_help_has_never_heard_of_it() -> None:
    assert not {name for name in loaded_by("--help") if "mcp" in name}


def test_help_of_the_command_itself_loads_no_protocol() -> None:
    loaded = loaded_by("mcp", "--help")

    assert "clew.cli.mcp" in loaded
    assert not {"mcp", "pydantic", "anyio", "clew.mcp"} & loaded


def test_a_person_who_declines_is_not_asked_twice(saved: Clew) -> None:
    (saved.workspace / "file").write_text("two")
    person = Person("decline")
    call(saved, "restore", {"ref": "@"}, person=person)

    assert len(person.asked) == 1


def test_saves_by_an_agent_prune_what_has_outgrown_its_rules(saved: Clew) -> None:
    saved.extra.update(background.ON)
    saved.ok("config", "set", "max-bytes", "1")
    saved.ok("config", "set", "keep-last", "2")

    async def body(client: Client) -> None:
        for number in range(2, 21):
            (saved.workspace / "file").write_text(str(number))
            ok(await client.call_tool("save", {"intent": str(number)}))

    talk(saved, body)

    until(lambda: len(saved.ids()) < 20)  # by a process of its own, which nobody waits for
    background.wait_for_stories(saved.store)
