"""Every claim of the examples holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples.ten_steps import ClaimFailed, claim
from tests.kit.running import SOURCE

ROOT = SOURCE.parent


def run_example(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(SOURCE),
        "HOME": str(place),
        "TMPDIR": str(place),
    }
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_ten_steps_crash_resume_and_deploy_once(tmp_path: Path) -> None:
    done = run_example(tmp_path, "examples/ten_steps.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "continues with task 4" in done.stdout
    assert "continues with task 6" in done.stdout
    assert "refused: Already done as effect" in done.stdout
    assert "✓ there was one deployment, not two" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_ten_steps_with_the_checkpoints_of_another_library(tmp_path: Path) -> None:
    done = run_example(tmp_path, "examples/ten_steps_compat.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "continues with step 4" in done.stdout
    assert "continues with step 6" in done.stdout
    assert "refused: Already done as effect" in done.stdout
    assert "✓ there was one deployment, not two" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_session_goes_on_under_the_next_version_of_its_agent(tmp_path: Path) -> None:
    done = run_example(tmp_path, "examples/migration")

    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ every word is translated once" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_claim_that_does_not_hold_ends_an_example() -> None:
    with pytest.raises(ClaimFailed):
        claim("the moon is made of cheese", False)
