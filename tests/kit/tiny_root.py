"""A root directory with just enough in it to run a shell and some tools."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.kit.tools import require


def make_tiny_root(root: Path, *tools: str) -> None:
    """Fill an empty directory with `sh`, `tools`, the libraries they need, and an `/etc`."""
    require("ldd", "sh", *tools)
    for name in ("bin", "etc", "proc", "sys", "dev", "tmp", "run"):
        (root / name).mkdir(exist_ok=True)
    (root / "etc" / "hostname").write_text("tiny\n")
    for tool in ("sh", *tools):
        program = Path(str(shutil.which(tool)))
        shutil.copy(program.resolve(), root / "bin" / tool)
        for library in _libraries(program):
            copy = root / str(library).lstrip("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, copy)


def _libraries(program: Path) -> list[Path]:
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True)
    return [Path(word) for word in done.stdout.split() if word.startswith("/")]
