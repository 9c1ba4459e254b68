"""scripts/figures runs on this tree, and measures something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_figure_is_printed() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "figures")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.rsplit("  ", 1) for line in done.stdout.splitlines()]
    figures = {name.strip(): value for name, value in rows}

    assert figures["os.fork() call sites"].isdigit()
    assert figures["scans of one restore / of one that asks"][0] in "12"
    for verb in ("save", "restore"):
        name = f"clew {verb}: modules loaded / files entered / switches between files"
        assert all(int(value) > 0 for value in figures[name].split(" / "))
    assert any(name.startswith("files in operations/restore") for name in figures)
