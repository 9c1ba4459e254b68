"""docs/chimera.md works as it is printed, and the module gives what it promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.compat import chimera

PAGE = (Path(__file__).parents[3] / "docs" / "chimera.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_runs(project: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)

    exec(compile(EXAMPLES[number], f"example {number}", "exec"), {})


def test_the_examples_are_found() -> None:
    assert len(EXAMPLES) == 4


def test_the_names_are_these_and_no_others() -> None:
    assert {name for name in chimera.__all__ if name[0].isupper()} == {
        "CHECKPOINT_SIZE_WARN_BYTES", "CheckpointInfo", "CheckpointManager", "CommandResult",
        "CompactionMetadata", "DockerEnvironment", "Environment", "FileAwareCompaction",
        "FileTracker", "GhostCommitManager", "GhostSnapshot", "GitEnvironment", "LargeCheckpointWarning", "LocalEnvironment", "LoopConfig", "TestResult",
    }  # fmt: skip


@pytest.mark.parametrize("name", chimera.__all__)
def test_every_name_is_documented(name: str) -> None:
    assert getattr(chimera, name).__doc__
