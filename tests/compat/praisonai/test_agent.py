"""An agent with a service takes a checkpoint before each change."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clew.compat.praisonai import CheckpointService
from clew.compat.praisonai.tools import Checkpointing
from tests.compat.praisonai.place import Place, run

needs_praisonai = pytest.mark.skipif(
    importlib.util.find_spec("praisonaiagents") is None,
    reason="needs praisonaiagents: make test-praisonai",
)


class Writer:
    """The smallest agent there is: its one tool writes a file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def execute_tool(self, function_name: str, arguments: Mapping[str, str]) -> str:
        Path(arguments["path"]).write_text(arguments["text"])
        return f"{self.name} did {function_name}"

    async def execute_tool_async(self, function_name: str, arguments: Mapping[str, str]) -> str:
        return self.execute_tool(function_name, arguments)


class Careful(Checkpointing, Writer):
    """The same, with checkpoints."""


def messages(service: CheckpointService) -> list[str]:
    return [one.message for one in run(service.list())]


def test_each_change_can_be_taken_back(place: Place) -> None:
    path = str(place.write("a.txt", "start"))
    service = CheckpointService(str(place.workspace), str(place.storage))
    agent = Careful("writer", checkpoints=service)
    said = agent.execute_tool("write_file", {"path": path, "text": "one"})
    run(agent.execute_tool_async("write_file", {"path": path, "text": "two"}))

    assert said == "writer did write_file"
    assert messages(service) == [f"Before write_file: {path}"] * 2 + ["Initial checkpoint"]
    assert run(service.restore(run(service.list())[0].id)).success
    assert place.read("a.txt") == "one"
    assert run(service.rewind()).success
    assert place.read("a.txt") == "start"


def test_an_agent_that_is_handed_none_works_as_before(place: Place) -> None:
    path = str(place.workspace / "a.txt")

    assert Careful("writer").execute_tool("write_file", {"path": path, "text": "one"})
    assert place.read("a.txt") == "one"


def test_a_tool_runs_also_where_no_checkpoint_can_be_taken(place: Place) -> None:
    place.storage.write_text("no directory")
    service = CheckpointService(str(place.workspace), str(place.storage))
    path = str(place.workspace / "a.txt")
    Careful("writer", checkpoints=service).execute_tool("write", {"path": path, "text": "one"})

    assert place.read("a.txt") == "one"


@needs_praisonai
@pytest.mark.filterwarnings("default")
def test_the_real_agent_checkpoints_before_its_tools_change_files(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRAISONAI_TELEMETRY_DISABLED", "true")
    monkeypatch.setenv("OPENAI_API_KEY", "not-used")
    from clew.compat.praisonai import Agent

    place.write("a.txt", "start")
    service = CheckpointService(str(place.workspace), str(place.storage))

    def put(path: str, text: str) -> str:
        """Write a file."""
        Path(path).write_text(text)
        return "written"

    agent: Any = Agent(name="writer", instructions="Write.", tools=[put], checkpoints=service)
    path = str(place.workspace / "a.txt")
    agent.execute_tool("put", {"path": path, "text": "one"})
    run(agent.execute_tool_async("put", {"path": path, "text": "two"}))

    assert place.read("a.txt") == "two"
    assert messages(service)[0] == f"Before put: {path}"
    assert run(service.restore(run(service.list())[0].id)).success
    assert place.read("a.txt") == "one"
    assert run(service.rewind()).success
    assert place.read("a.txt") == "start"
