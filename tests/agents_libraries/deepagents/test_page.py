"""docs/deepagents.md works as it is printed, and so does the example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.agents import deepagents
from tests.agents_libraries.deepagents.conftest import scripted
from tests.test_examples import run_example

PAGE = (Path(__file__).parents[3] / "docs" / "deepagents.md").read_text()


def test_what_the_page_says_runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {"model": scripted("done")}

    exec(compile(example, "the page", "exec"), names)

    assert "agent" in names


@pytest.mark.parametrize("name", deepagents.__all__)
def test_every_name_is_documented(name: str) -> None:
    assert getattr(deepagents, name).__doc__
    assert name in PAGE


def test_the_example_keeps_its_promises(tmp_path: Path) -> None:
    done = run_example(tmp_path, "examples/deepagents_example.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ the next output tells the model about the restore" in done.stdout
    assert list(tmp_path.iterdir()) == []
