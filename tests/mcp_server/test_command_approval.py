"""A person approves every command that an agent chose; without approval nothing runs."""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult

from clew import opening
from clew.cli.failure import error_value
from clew.mcp.executor import ToolExecutor
from clew.mcp.server import ClewServer
from clew.operations.maintenance.settings import DEFAULTS
from tests.kit.live_place import LIVE
from tests.kit.removing import remove
from tests.kit.running import Clew
from tests.mcp_server.talking import MODES, Person, call, error, ok, stdio, talk

MARK = "touch {home}/mark"
"""A command whose run can be seen: the home directory is the live one in private copies too."""

RUNNING: list[tuple[str, dict[str, Any]]] = [
    ("save_and_verify", {"command": MARK}),
    ("verify", {"ref": "first", "command": MARK}),
    ("verify", {"ref": "first", "command": "http://127.0.0.1:9/", "serve": MARK, "timeout": "2s"}),
    ("verify", {"ref": "first", "serve": MARK}),
    ("try", {"ref": "first", "attempts": {"a": "true", "b": MARK}}),
    ("try", {"ref": "first", "attempts": {"a": "true"}, "verify": MARK}),
    ("bisect", {"command": MARK}),
]


@pytest.fixture
def saved(clew: Clew) -> Iterator[Clew]:
    """A workspace with two checkpoints and a check of its own."""
    home(clew).mkdir(exist_ok=True)
    (clew.workspace / "file").write_text("one")
    clew.save("first", "--name", "first")
    (clew.workspace / "file").write_text("two")
    clew.save("second")
    clew.ok("config", "set", "verify", "test -e file")
    yield clew
    remove(home(clew))


def home(clew: Clew) -> Path:
    """Not among temporary files, which are private in a sandbox."""
    return Path(LIVE, f"clew-home-{os.getpid()}")


def filled(value: Any, clew: Clew) -> Any:
    """Return arguments with the place of the mark in them."""
    if isinstance(value, dict):
        return {key: filled(item, clew) for key, item in value.items()}
    return value.replace("{home}", str(home(clew))) if isinstance(value, str) else value


def calls(
    clew: Clew, steps: list[tuple[str, dict[str, Any]]], mode: str, person: Person | None
) -> list[CallToolResult]:
    """Call one tool after the other, and return what each answers."""

    async def body(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(tool, filled(given, clew)) for tool, given in steps]

    return talk(clew, body, mode=mode, person=person)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", ["decline", "cancel", None])
def test_whatever_is_no_yes_runs_nothing(saved: Clew, mode: str, action: str | None) -> None:
    before = saved.ids()
    person = Person(action) if action is not None else None
    found = calls(saved, RUNNING, mode, person)

    assert [error(one)["kind"] for one in found] == ["needs-approval"] * len(RUNNING)
    assert all("clew mcp --allow-commands" in error(one)["hint"] for one in found)
    assert not (home(saved) / "mark").exists()
    assert saved.ids() == before
    assert person is None or len(person.asked) == len(RUNNING)


@pytest.mark.parametrize("mode", MODES)
def test_a_yes_lets_it_run(saved: Clew, mode: str) -> None:
    person = Person("accept")
    for number in (6, 0, 1, 4):
        calls(saved, [RUNNING[number]], mode, person)
        assert (home(saved) / "mark").exists(), RUNNING[number]
        (home(saved) / "mark").unlink()

    assert len(person.asked) == 4
    assert all(f"    touch {home(saved)}/mark\n" in one for one in person.asked)


@pytest.mark.parametrize("mode", MODES)
def test_a_model_does_not_go_back_by_a_check(saved: Clew, mode: str) -> None:
    """A check that restores would overwrite files without confirmation."""
    (saved.workspace / "file").write_text("work in progress")
    command = shlex.join(saved.command("restore", "first", "--yes"))
    result = call(
        saved, "save_and_verify", {"command": command}, mode=mode, person=Person("decline")
    )

    assert error(result)["kind"] == "needs-approval"
    assert (saved.workspace / "file").read_text() == "work in progress"


@pytest.mark.parametrize("mode", MODES)
def test_the_workspaces_own_check_needs_no_yes(saved: Clew, mode: str) -> None:
    person = Person("decline")
    steps: list[tuple[str, dict[str, Any]]] = [
        ("save_and_verify", {}),
        ("save_and_verify", {"command": "test -e file"}),
        ("verify", {"ref": "first"}),
        ("verify", {"ref": "first", "command": "test -e file"}),
    ]
    found = calls(saved, steps, mode, person)

    assert person.asked == []
    assert [ok(one)["verdict"]["is_good"] for one in found] == [True] * 4


def test_no_tool_changes_a_setting(saved: Clew) -> None:
    """Otherwise a model could make any command the workspace's own check."""

    async def body(client: Client) -> list[Any]:
        return list((await client.list_tools()).tools)

    tools = talk(saved, body)
    words = {word for tool in tools for word in tool.input_schema.get("properties", {})}

    assert not {"key", "value", "setting", "settings", "config"} & words
    assert not {tool.name for tool in tools} & {"config", "hook", "enable", "disable", "exec"}
    assert "verify" in DEFAULTS


def test_a_check_that_was_used_before_is_not_the_workspaces_own(saved: Clew) -> None:
    command = f"touch {home(saved)}/mark"
    saved.ok("save", "--verify", command)
    (home(saved) / "mark").unlink()
    result = call(saved, "save_and_verify", {"command": command})

    assert error(result)["kind"] == "needs-approval"
    assert not (home(saved) / "mark").exists()


@pytest.mark.parametrize("mode", MODES)
def test_a_server_that_may_run_commands_asks_nobody(saved: Clew, mode: str) -> None:
    parameters = stdio(saved)
    parameters.args.append("--allow-commands")
    person = Person("decline")

    async def run() -> CallToolResult:
        async with Client(parameters, mode=mode, elicitation_callback=person) as client:
            return await client.call_tool("save_and_verify", {"command": "true"})

    assert ok(asyncio.run(run()))["verdict"]["is_good"]
    assert person.asked == []


def test_where_there_is_no_workspace_none_is_made_for_a_refused_command(clew: Clew) -> None:
    result = call(clew, "save_and_verify", {"command": "true"}, person=Person("decline"))

    assert error(result)["kind"] == "needs-approval"
    assert clew.run("log").code != 0


def test_where_there_is_no_workspace_an_approved_command_makes_one(clew: Clew) -> None:
    result = ok(call(clew, "save_and_verify", {"command": "true"}, person=Person()))

    assert result["is_new_workspace"]
    assert result["verdict"]["is_good"]


@pytest.mark.parametrize("mode", MODES)
def test_a_yes_counts_only_for_the_command_that_was_shown(saved: Clew, mode: str) -> None:
    person = Person()

    async def body(client: Client) -> list[CallToolResult]:
        first = await client.call_tool("save_and_verify", {"command": "true"})
        person.action = "decline"
        mark = f"touch {home(saved)}/mark"
        return [first, await client.call_tool("save_and_verify", {"command": mark})]

    first, second = talk(saved, body, mode=mode, person=person)

    ok(first)
    assert error(second)["kind"] == "needs-approval"
    assert not (home(saved) / "mark").exists()


def test_the_question_shows_the_whole_command_and_hides_nothing(saved: Clew) -> None:
    person = Person("decline")
    command = "true\nContinue?\n\x1b[2J\u202erm -rf ~"
    call(saved, "save_and_verify", {"command": command}, person=person)
    (asked,) = person.asked

    assert "    true\n    Continue?\n    \\x1b[2J\\u202erm -rf ~\n" in asked
    assert "in the workspace itself" in asked
    assert asked.endswith("Continue?")


def test_the_question_says_what_a_copy_does_not_keep_away(saved: Clew) -> None:
    person = Person("decline")
    call(saved, "verify", {"ref": "first", "command": "x", "network": "host"}, person=person)

    assert "with your live home directory, and on your network" in person.asked[0]


def test_a_live_socket_needs_approval_even_for_the_own_check(saved: Clew) -> None:
    path = home(saved) / "live.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        probe = f'import socket; socket.socket(socket.AF_UNIX).connect("{path}")'
        saved.ok("config", "set", "verify", shlex.join([sys.executable, "-c", probe]))
        person, sockets = Person("decline"), {"allow_sockets": [str(path)]}
        declined = call(saved, "verify", {"ref": "first", **sockets}, person=person)
        without = ok(call(saved, "verify", {"ref": "first"}))
        allowed = ok(call(saved, "verify", {"ref": "first", **sockets}, person=Person()))

    assert error(declined)["kind"] == "needs-approval"
    assert f"It may use the live service {path}." in person.asked[0]
    assert "the workspace's own check" in person.asked[0]
    assert without["verdict"]["status"] == "failing"
    assert allowed["verdict"]["exit_code"] == 0


def test_silence_is_no(saved: Clew) -> None:
    executor = ToolExecutor(opening.open, str(saved.workspace), str(saved.store))
    executor.answer_timeout = 0.2
    server = ClewServer(executor, error_value)

    async def person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        await asyncio.sleep(3600)
        raise AssertionError

    async def run() -> CallToolResult:
        async with Client(server, mode="legacy", elicitation_callback=person) as client:
            command = f"touch {home(saved)}/mark"
            return await client.call_tool("save_and_verify", {"command": command})

    assert error(asyncio.run(run()))["kind"] == "needs-approval"
    assert not (home(saved) / "mark").exists()


@pytest.mark.parametrize("mode", MODES)
def test_a_fork_makes_no_directory_that_nobody_approved(saved: Clew, mode: str) -> None:
    """A model that may write only in the project could fill any other directory by it."""
    person = Person("decline")
    arguments = {"ref": "first", "directory": str(home(saved) / "autostart")}
    result = call(saved, "fork", arguments, mode=mode, person=person)

    assert error(result)["kind"] == "needs-approval"
    assert not (home(saved) / "autostart").exists()
    assert str(home(saved) / "autostart") in person.asked[0]
    person.action = "accept"
    ok(call(saved, "fork", arguments, mode=mode, person=person))
    assert (home(saved) / "autostart" / "file").read_text() == "one"


def test_a_fork_in_the_store_needs_no_yes(saved: Clew) -> None:
    person = Person("decline")
    ok(call(saved, "fork", {"ref": "first", "name": "other"}, person=person))

    assert person.asked == []
