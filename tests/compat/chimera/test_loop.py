"""The agent loop: snapshots before tools and checkpoints after them."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.compat.chimera import CheckpointManager, GhostCommitManager, LoopConfig
from clew.errors import BadOption


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_both_fields_are_there_and_empty_by_default() -> None:
    config = LoopConfig()

    assert (config.checkpoint_manager, config.ghost_commits) == (None, None)
    assert config.before_tool("write_file", {"path": "a"}) is None
    assert config.after_tool("write_file") is None


def test_a_file_tool_is_kept_before_it_writes(project: Path, ghost: GhostCommitManager) -> None:
    config = LoopConfig(ghost_commits=ghost)
    (project / "main.py").write_text("old")
    config.before_tool("write_file", {"path": "main.py", "content": "new"})
    (project / "main.py").write_text("new")

    assert ghost.history[0].label == "write_file: main.py"
    assert ghost.undo() == ["restored: main.py"]


def test_what_a_command_changed_is_taken_back_too(project: Path, ghost: GhostCommitManager) -> None:
    config = LoopConfig(ghost_commits=ghost)
    config.before_tool("bash", {"command": "make"})
    (project / "made").write_text("by the shell")

    assert ghost.history[0].label == "bash: make"
    assert ghost.undo() == ["deleted: made"]


@pytest.mark.parametrize(
    ("tool", "arguments"), [("read_file", {"path": "a"}), ("grep", {}), ("think", {"about": "it"})]
)
def test_a_tool_that_changes_nothing_is_not_kept(
    ghost: GhostCommitManager, tool: str, arguments: dict[str, object]
) -> None:
    assert LoopConfig(ghost_commits=ghost).before_tool(tool, arguments) is None
    assert ghost.depth == 0


def test_a_checkpoint_every_so_many_steps(manager: CheckpointManager) -> None:
    config = LoopConfig(checkpoint_manager=manager, checkpoint_every_steps=3)
    made = [config.after_tool("write_file", {"path": "a"}) for _ in range(7)]

    assert [one.name for one in made if one] == ["step-3", "step-6"]
    assert manager.list_checkpoints()[0].description == "after write_file: a"


def test_a_checkpoint_every_so_many_seconds(manager: CheckpointManager) -> None:
    clock = Clock()
    config = LoopConfig(checkpoint_manager=manager, checkpoint_every_seconds=60, clock=clock)
    seen = []
    for seconds in (0, 59, 60, 61, 119, 121):
        clock.now = 100.0 + seconds
        if config.after_tool("bash") is not None:
            seen.append(seconds)

    assert seen == [60, 121]


def test_the_managers_flag_means_every_step(manager: CheckpointManager) -> None:
    config = LoopConfig(checkpoint_manager=manager)
    assert config.after_tool("bash") is None
    manager.auto_checkpoint = True

    assert config.after_tool("bash") is not None


@pytest.mark.parametrize("option", ["checkpoint_every_steps", "checkpoint_every_seconds"])
def test_an_interval_of_nothing_is_refused(option: str) -> None:
    with pytest.raises(BadOption, match=option):
        LoopConfig(**{option: 0})  # type: ignore[arg-type]
