"""A step is a checkpoint before and one after, and a failing one says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.workspace import Workspace


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def ws(project: Path, tmp_path: Path) -> Iterator[Workspace]:
    with opening.open(project, tmp_path / "store", create=True) as opened:
        yield opened


def intents(ws: Workspace) -> list[str]:
    return [one.labels.intent for one in ws.log().checkpoints][::-1]


def test_a_step_is_kept_before_and_after(ws: Workspace, project: Path) -> None:
    with ws.step("write_file: main.py") as step:
        (project / "main.py").write_text("print()")

    assert intents(ws) == ["before write_file: main.py", "write_file: main.py"]
    assert step.after is not None
    assert step.after.checkpoint.is_here


def test_what_changes_nothing_makes_no_checkpoint(ws: Workspace, project: Path) -> None:
    ws.save("start")
    with ws.step("look around"):
        pass
    with ws.step("write"):
        (project / "file").write_text("x")

    assert intents(ws) == ["start", "write"]


def test_a_failing_step_says_so_and_goes_on_raising(ws: Workspace, project: Path) -> None:
    def fail() -> None:
        (project / "half").write_text("x")
        raise ValueError("oops")

    with pytest.raises(ValueError, match="oops"), ws.step("break it"):
        fail()

    newest = ws.log().checkpoints[0]
    assert newest.labels.intent == "break it: failed, ValueError: oops"
    assert newest.labels.meta == (("step", "failed"),)


def test_steps_can_be_nested(ws: Workspace, project: Path) -> None:
    with ws.step("outer"):
        (project / "a").write_text("x")
        with ws.step("inner"):
            (project / "b").write_text("x")

    assert intents(ws) == ["before outer", "before inner", "inner"]


def test_a_tool_can_be_a_step(ws: Workspace, project: Path) -> None:
    @ws.checkpointed
    def write_file(name: str, content: str, *, mode: int = 0) -> str:
        (project / name).write_text(content)
        return name

    assert write_file("main.py", "x" * 100, mode=420) == "main.py"
    assert intents(ws)[-1].startswith("write_file: main.py, xxx")
    assert intents(ws)[-1].endswith("…, mode=420")


def test_a_coroutine_can_be_a_step(ws: Workspace, project: Path) -> None:
    @ws.checkpointed
    async def write_file(name: str) -> int:
        await asyncio.sleep(0)
        (project / name).write_text("x")
        return 7

    assert asyncio.run(write_file("main.py")) == 7
    assert intents(ws) == ["before write_file: main.py", "write_file: main.py"]


def test_secrets_given_to_a_tool_are_in_no_label(ws: Workspace, project: Path) -> None:
    @ws.checkpointed
    def login(token: str) -> None:
        (project / "session").write_text(token)

    login(token="ghp_" + "a1B2" * 9)

    assert not any("a1B2" in intent for intent in intents(ws))
