"""Every tool answers in at most 8 kB by default, also in a large workspace with hostile names."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema  # type: ignore[import-untyped]  # the client library brings it
import pytest
from mcp import Client
from mcp.types import CallToolResult, Tool

from clew import opening
from clew.cli.failure import error_value
from clew.mcp.executor import ToolExecutor
from clew.mcp.server import ClewServer
from clew.mcp.short.fit import MOST_BYTES
from tests.mcp_server import large_workspace

MOST_LISTED = 60_000
"""Bytes of all tools with their schemas, which a client reads in every session."""


class Answered(NamedTuple):
    """What the tools answered in the large workspace."""

    tools: dict[str, Tool]
    results: list[CallToolResult]
    complete: dict[str, CallToolResult]
    """The answers of the tools that change nothing, with `detail`."""


READING = ("log", "show", "status", "diff", "good", "blame", "cat", "tasks", "effects")


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Answered:
    place = tmp_path_factory.mktemp("large")
    large_workspace.build(place / "project", place / "store")
    executor = ToolExecutor(opening.open, str(place / "project"), str(place / "store"))
    server = ClewServer(executor, error_value, allow_commands=True)

    async def run() -> Answered:
        async with Client(server) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            complete = {
                name: await client.call_tool(name, {**arguments, "detail": True})
                for name, arguments in large_workspace.CALLS
                if name in READING
            }
            results = [await client.call_tool(*call) for call in large_workspace.CALLS]
            return Answered(tools, results, complete)

    return asyncio.run(run())


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that allows only the fields it declares."""
    found = {
        key: closed(value)
        if isinstance(value, dict)
        else [closed(one) if isinstance(one, dict) else one for one in value]
        if isinstance(value, list)
        else value
        for key, value in schema.items()
    }
    return {**found, "additionalProperties": False} if "properties" in schema else found


NUMBERS = range(len(large_workspace.CALLS))
NAMES = [" ".join((name, *arguments)) for name, arguments in large_workspace.CALLS]


@pytest.mark.parametrize("number", NUMBERS, ids=NAMES)
def test_an_answer_is_short_and_is_what_its_schema_declares(
    answered: Answered, number: int
) -> None:
    name, result = large_workspace.CALLS[number][0], answered.results[number]
    text = text_of(result)
    schema = answered.tools[name].output_schema

    assert not result.is_error, text
    assert len(text.encode()) <= MOST_BYTES
    assert json.loads(text) == result.structured_content
    assert schema is not None
    jsonschema.validate(result.structured_content, closed(schema))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x1b" not in json.dumps(json.loads(text), ensure_ascii=False)


def test_every_tool_is_called(answered: Answered) -> None:
    assert answered.tools.keys() == {name for name, _ in large_workspace.CALLS}


@pytest.mark.parametrize("name", READING)
def test_a_complete_answer_is_what_the_schema_declares_too(answered: Answered, name: str) -> None:
    result, schema = answered.complete[name], answered.tools[name].output_schema

    assert not result.is_error
    assert schema is not None
    jsonschema.validate(result.structured_content, schema)


def test_twenty_checkpoints_with_long_labels_fit_in_six_thousand_bytes(answered: Answered) -> None:
    result = answered.results[NAMES.index("log")]
    (said,) = result.structured_content["truncated"]
    rows = result.structured_content["checkpoints"]

    assert len(rows) == 20
    assert len(text_of(result).encode()) <= 6_000
    assert said.startswith(
        f"checkpoints: 20 of {large_workspace.CHECKPOINTS + 2}; call with `before`"
    )
    assert rows[-1]["id"] in said


def test_every_change_is_listed_or_counted(answered: Answered) -> None:
    found = answered.results[NAMES.index("status")].structured_content
    listed = sum(sum(one["change_counts"].values()) for one in found["by_directory"])
    folded = sum(sum(one["change_counts"].values()) for one in found["folded"])
    total = sum(found["change_counts"].values())

    assert listed + folded == total
    assert found["folded"][0]["path"] == "web/node_modules/"
    assert found["folded"][0]["change_counts"]["added"] == large_workspace.GENERATED
    assert any(
        one.startswith(f"changes: {len(found['changes'])} of ") for one in found["truncated"]
    )
    assert not any("node_modules" in one["path"] for one in found["changes"])


def test_the_list_of_tools_is_lean(answered: Answered) -> None:
    listed = [
        tool.model_dump(by_alias=True, exclude_none=True, mode="json")
        for tool in answered.tools.values()
    ]

    assert len(json.dumps(listed, separators=(",", ":")).encode()) < MOST_LISTED
    for tool in answered.tools.values():
        for argument in tool.input_schema.get("properties", {}).values():
            assert "title" not in argument
    assert "title" in answered.tools["add_task"].input_schema["properties"], "this is its name"


def test_a_refused_restore_shows_a_short_plan(tmp_path: Path) -> None:
    large_workspace.build(tmp_path / "project", tmp_path / "store", checkpoints=2)
    with opening.open(tmp_path / "project", store=tmp_path / "store") as ws:
        ws.settings.set("restore.unattended", "off")
    executor = ToolExecutor(opening.open, str(tmp_path / "project"), str(tmp_path / "store"))

    async def run() -> CallToolResult:
        async with Client(ClewServer(executor, error_value)) as client:
            return await client.call_tool("restore", {"ref": "latest"})

    result = asyncio.run(run())
    plan = json.loads(text_of(result))["preview"]

    assert result.is_error
    assert len(text_of(result).encode()) <= MOST_BYTES
    assert plan["deleted_count"] > large_workspace.GENERATED + large_workspace.WRITTEN
    assert plan["replaced"][0]["path"] == ".env"
    assert any(one.startswith("created: ") for one in plan["truncated"])
    assert plan["folded"][0]["path"] == "web/node_modules/"
