"""A person confirms before anything is overwritten; without confirmation nothing is changed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult

from clew import opening
from clew.agents.watch import Call, EndedCall, Watch
from clew.cli.failure import error_value
from clew.mcp.executor import ToolExecutor
from clew.mcp.server import ClewServer
from tests.kit.running import Clew
from tests.mcp_server.talking import MODES, Person, call, error, ok, stdio, whole_error

OVERWRITING = [
    ("restore", {"ref": "first"}),
    ("undo", {}),
    ("adopt", {"fork": "left"}),
]


@pytest.fixture
def edited(clew: Clew) -> Clew:
    """A workspace with a checkpoint, a fork that changed the file, and an edit since."""
    (clew.workspace / "file").write_text("1\n\n\n\n\n\n\n\n2\n")
    clew.save("first", "--name", "first")
    clew.ok("try", "first", "--attempt", "left=sed -i s/1/left/ file")
    (clew.workspace / "file").write_text("1\n\n\n\n\n\n\n\nedited\n")
    return clew


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("tool", "arguments"), OVERWRITING, ids=lambda value: str(value))
def test_a_yes_lets_it_happen(
    edited: Clew, mode: str, tool: str, arguments: dict[str, object]
) -> None:
    person = Person("accept")
    result = ok(call(edited, tool, arguments, mode=mode, person=person))

    assert result["replaced_count"] == 1
    assert result["rescue"]
    assert len(person.asked) == 1
    assert (edited.workspace / "file").read_text() != "1\n\n\n\n\n\n\n\nedited\n"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", ["decline", "cancel", None])
@pytest.mark.parametrize(("tool", "arguments"), OVERWRITING, ids=lambda value: str(value))
def test_whatever_is_no_yes_changes_nothing(
    edited: Clew, mode: str, action: str | None, tool: str, arguments: dict[str, object]
) -> None:
    before = edited.ids()
    person = Person(action) if action is not None else None
    result = call(edited, tool, arguments, mode=mode, person=person)

    assert error(result)["kind"] == "needs-confirmation"
    assert whole_error(result)["preview"]["replaced"][0]["path"] == "file"
    assert (edited.workspace / "file").read_text() == "1\n\n\n\n\n\n\n\nedited\n"
    assert edited.ids() == before


def test_the_question_says_what_would_happen(edited: Clew) -> None:
    edited.ok("session", "attach", "--agent", "bot")
    edited.save("second")
    edited.ok("effect", "record", "deploy web v3")
    edited.ok("effect", "settle", "1", "done")
    (edited.workspace / "new").write_text("made since")
    person = Person("decline")
    call(edited, "restore", {"ref": "first"}, person=person)

    assert "overwrite or delete 2 files written by hand" in person.asked[0]
    assert "D  new  10 B, not saved yet" in person.asked[0]
    assert "deploy web v3" in person.asked[0]
    assert person.asked[0].endswith("Continue?")


def test_what_overwrites_nothing_is_not_asked_about(edited: Clew) -> None:
    (edited.workspace / "file").unlink()
    person = Person("decline")

    assert ok(call(edited, "restore", {"ref": "first"}, person=person))["created_count"] == 1
    assert person.asked == []


@pytest.mark.parametrize("mode", MODES)
def test_a_setting_allows_it_where_nobody_can_be_asked(edited: Clew, mode: str) -> None:
    edited.ok("config", "set", "restore.unattended", "on")

    assert ok(call(edited, "restore", {"ref": "first"}, mode=mode))["replaced_count"] == 1


def test_the_setting_is_on_or_off(edited: Clew) -> None:
    _, refused = edited.error("config", "set", "restore.unattended", "yes")

    assert refused["message"] == "restore.unattended: must be on or off"
    assert edited.json("config", "get", "restore.unattended")["config"] == {
        "restore.unattended": "off"
    }


@pytest.mark.parametrize("mode", MODES)
def test_a_yes_counts_only_for_what_was_asked(edited: Clew, mode: str) -> None:
    """While a person thinks, the agent goes on writing: a file they never heard of is not deleted."""
    late = edited.workspace / "late"
    asked: list[str] = []

    async def person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        late.write_text("written while the question was open")
        return ElicitResult(action="accept" if len(asked) == 1 else "decline")

    async def run() -> CallToolResult:
        async with Client(stdio(edited), mode=mode, elicitation_callback=person) as client:
            return await client.call_tool("restore", {"ref": "first"})

    assert error(asyncio.run(run()))["kind"] == "needs-confirmation"
    assert late.exists()
    assert "edited" in (edited.workspace / "file").read_text()


def test_silence_is_no(edited: Clew) -> None:
    executor = ToolExecutor(opening.open, str(edited.workspace), str(edited.store))
    executor.answer_timeout = 0.2
    server = ClewServer(executor, error_value)

    async def person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        await asyncio.sleep(3600)
        raise AssertionError

    async def run() -> CallToolResult:
        async with Client(server, mode="legacy", elicitation_callback=person) as client:
            return await client.call_tool("restore", {"ref": "first"})

    assert error(asyncio.run(run()))["kind"] == "needs-confirmation"
    assert "edited" in (edited.workspace / "file").read_text()


def test_conflicts_are_listed_and_nothing_is_asked(edited: Clew) -> None:
    (edited.workspace / "file").write_text("mine\n\n\n\n\n\n\n\n2\n")
    person = Person("accept")
    result = call(edited, "adopt", {"fork": "left"}, person=person)

    assert error(result)["kind"] == "merge-conflicts"
    assert [one["path"] for one in whole_error(result)["conflicts"]] == ["file"]
    assert person.asked == []


def test_a_restore_of_some_paths_leaves_the_others(edited: Clew, tmp_path: Path) -> None:
    (edited.workspace / "other").write_text("stays")
    result = call(edited, "restore", {"ref": "first", "paths": ["file"]}, person=Person())

    assert ok(result)["deleted_count"] == 0
    assert (edited.workspace / "other").read_text() == "stays"


def test_the_question_names_the_call_that_failed(clew: Clew) -> None:
    (clew.workspace / "file").write_text("good")
    clew.save("first")
    with opening.open(clew.workspace, store=clew.store) as ws:
        watch = Watch.begin(ws, agent="example", native="one")
        (clew.workspace / "file").write_text("bad")
        watch.after(EndedCall(Call("Bash", {"command": "npm install"}), "exit code 1"))
    person = Person("accept")
    result = ok(call(clew, "restore", {"before_failure": True}, person=person))

    assert "before `npm install` failed at" in person.asked[0]
    assert result["failed_call"]["call"] == "npm install"
    assert (clew.workspace / "file").read_text() == "good"


def test_a_restore_without_a_checkpoint_or_a_failure_is_an_error(clew: Clew) -> None:
    (clew.workspace / "file").write_text("1")
    clew.save("first")

    assert error(call(clew, "restore", {}))["kind"] == "bad-option"
    assert error(call(clew, "restore", {"before_failure": True}))["kind"] == "no-failed-call"
