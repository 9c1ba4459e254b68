"""Bisect: time to find the first bad of 64 checkpoints, compared with copying the tree for each run.

The check itself takes next to no time, so the private copies and the search are measured.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import clew
from benchmarks import trees
from benchmarks.cases import Say, WrongResult
from benchmarks.table import CLEW, Row
from clew.model.record import Origin

COPIES = "cp -a for each run"

_CHECKPOINTS = 64
_FIRST_BAD = 41
_MOST_RUNS = 8
"""⌈log2 64⌉ + 2."""
_CHECK = f"test $(cat number) -lt {_FIRST_BAD}"


def bisect_rows(base: Path, files: int, say: Say) -> list[Row]:
    """Return a line for a whole bisect, and one for the same bisect with all verdicts known."""
    project, store = base / "bisect-project", base / "bisect-store"
    project.mkdir()
    say(f"bisect: {_CHECKPOINTS} checkpoints of {files:,} files")
    trees.write_small(project, files)
    _save_all(project, store)
    copy = _copying(project, base / "bisect-copy")
    say("bisect: looking")
    first, runs = _bisected(project, store)
    again, _ = _bisected(project, store)
    if not 0 < runs <= _MOST_RUNS:
        raise WrongResult(f"The bisect ran the check {runs} times")
    title = f"bisect over {_CHECKPOINTS} checkpoints, {runs} runs"
    shutil.rmtree(project)
    shutil.rmtree(store)
    return [
        Row(title, "s", {CLEW: first, COPIES: runs * copy}),
        Row("the same again, all known", "s", {CLEW: again}),
    ]


def _save_all(project: Path, store: Path) -> None:
    """Save the checkpoints, with some edits each time and without stories."""
    paths = trees.files_below(project)
    workspace, _ = clew.init(project, store=store)
    with workspace:
        for number in range(1, _CHECKPOINTS + 1):
            edits = trees.edit_small(project, paths, f"bisect-{number}", changed=8, others=1)
            paths = [path for path in paths if path not in edits.deleted] + edits.added
            (project / "number").write_text(f"{number}\n")
            workspace.save(f"step {number}", origin=Origin.HOOK)


def _bisected(project: Path, store: Path) -> tuple[float, int]:
    """Return how long a bisect took as a whole process, and how often it ran the check."""
    command = [sys.executable, "-m", "clew", "-C", str(project), "--store", str(store), "--json"]
    os.sync()
    began = time.perf_counter()
    done = subprocess.run(
        [*command, "bisect", "--", _CHECK], check=True, capture_output=True, cwd=project
    )
    seconds = time.perf_counter() - began
    found = json.loads(done.stdout)
    if found["first_bad"]["intent"] != f"step {_FIRST_BAD}":
        raise WrongResult(f"The bisect found {found['first_bad']['intent']!r}")
    return seconds, found["run_count"]


def _copying(project: Path, target: Path) -> float:
    os.sync()
    began = time.perf_counter()
    subprocess.run(["cp", "-a", "--reflink=never", str(project), str(target)], check=True)
    seconds = time.perf_counter() - began
    shutil.rmtree(target)
    return seconds
