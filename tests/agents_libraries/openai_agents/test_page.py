"""docs/openai-agents.md works as it is printed, and so does the example."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest
from agents.sandbox.session.sandbox_session import SandboxSession
from agents.testing import assistant_message, function_call

from clew.agents import openai_agents
from tests.agents_libraries.openai_agents.scripted_agent import agent_for, asked
from tests.test_examples import run_example

PAGE = (Path(__file__).parents[3] / "docs" / "openai-agents.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def _at_home(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))


@pytest.mark.usefixtures("_loop_of_its_own")
def test_what_the_page_says_runs(project: Path) -> None:
    call = function_call("write_file", {"path": "a", "content": "a"}, call_id="w")
    agent = agent_for(project, [[call], [assistant_message("done")], [assistant_message("yes")]])
    exec(compile(EXAMPLES[0], "the page", "exec"), {"agent": agent})

    assert "write_file" in str(asked(agent))


def test_what_the_page_says_of_sandboxes_runs(project: Path) -> None:
    names: dict[str, object] = {}
    exec(compile(EXAMPLES[1], "the page", "exec"), names)
    work = cast("Callable[[], Awaitable[SandboxSession]]", names["work"])

    async def resume() -> bool:
        return (await work()).state.snapshot is not None

    assert asyncio.run(resume())
    assert len([*(project / "sandboxes").iterdir()]) == 1


@pytest.mark.parametrize("name", openai_agents.__all__)
def test_every_name_is_documented(name: str) -> None:
    assert getattr(openai_agents, name).__doc__
    assert name in PAGE


def test_the_example_keeps_its_promises(tmp_path: Path) -> None:
    place = tmp_path / "home"
    place.mkdir()
    done = run_example(place, "examples/openai_agents_example.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ and a message about the restore" in done.stdout
    assert "✓ its files are restored" in done.stdout
    assert list(place.iterdir()) == []
