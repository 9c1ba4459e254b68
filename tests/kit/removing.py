"""Removes a tree, however deep and however protected."""

from __future__ import annotations

import subprocess
from pathlib import Path


def remove(path: Path) -> None:
    """Remove a file or a tree; `rm` goes deeper than PATH_MAX, `shutil` does not."""
    subprocess.run(["rm", "-rf", "--one-file-system", "--", str(path)], capture_output=True)
