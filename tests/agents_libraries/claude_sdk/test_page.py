"""docs/claude-agent-sdk.md works as it is printed, and so does the example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.agents import claude_sdk
from tests.agents_libraries.claude_sdk.conftest import MakeOptions
from tests.test_examples import run_example

PAGE = (Path(__file__).parents[3] / "docs" / "claude-agent-sdk.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(2))
def test_what_the_page_says_runs(
    project: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    names: dict[str, object] = {}

    exec(compile(EXAMPLES[number], f"example {number}", "exec"), names)

    assert len(EXAMPLES) == 2
    assert "options" in names


@pytest.mark.parametrize("name", claude_sdk.__all__)
def test_every_name_is_documented(name: str) -> None:
    assert getattr(claude_sdk, name).__doc__
    assert name in PAGE


def test_the_example_keeps_its_promises(options: MakeOptions, tmp_path: Path) -> None:
    place = tmp_path / "example"
    place.mkdir()
    done = run_example(place, "examples/claude_agent_sdk_example.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ but no later call" in done.stdout
    assert list(place.iterdir()) == []
