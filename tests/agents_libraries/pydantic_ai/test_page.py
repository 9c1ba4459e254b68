"""docs/pydantic-ai.md works as it is printed, and so does the example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic_ai.models.function import FunctionModel

from clew.agents import pydantic_ai
from tests.agents_libraries.pydantic_ai.scripted_agent import Script, done
from tests.test_examples import run_example

PAGE = (Path(__file__).parents[3] / "docs" / "pydantic-ai.md").read_text()


@pytest.mark.usefixtures("_loop_of_its_own")
def test_what_the_page_says_runs(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "store"))
    (project / "file").write_text("x")
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = Script(done("one"), done("two"))
    exec(compile(example, "the page", "exec"), {"model": FunctionModel(script)})

    assert "build it" in str(script.asked[0])
    assert "build it" not in str(script.asked[1])  # the last checkpoint is older than that


@pytest.mark.parametrize("name", pydantic_ai.__all__)
def test_every_name_is_documented(name: str) -> None:
    assert getattr(pydantic_ai, name).__doc__
    assert name in PAGE


def test_the_example_keeps_its_promises(tmp_path: Path) -> None:
    place = tmp_path / "home"
    place.mkdir()
    done = run_example(place, "examples/pydantic_ai_example.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ and a message about the restore" in done.stdout
    assert list(place.iterdir()) == []
