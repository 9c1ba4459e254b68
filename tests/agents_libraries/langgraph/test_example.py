"""Every claim of the example holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.kit.running import SOURCE


def test_the_example_goes_back_and_another_way(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "examples/langgraph_files.py"],
        cwd=SOURCE.parent, capture_output=True, text=True, timeout=300, check=False,
        env={
            **os.environ, "PYTHONPATH": str(SOURCE), "HOME": str(tmp_path), "TMPDIR": str(tmp_path),
        },
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("✓") == 5
    assert "✗" not in done.stdout
    assert list(tmp_path.iterdir()) == []
