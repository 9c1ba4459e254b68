"""Forks: time of a fork compared with `cp -a` and `git worktree add`, and of further private copies.

All three are whole processes that write the same files to the same disk; clew's also reads back what
it wrote.  A private copy is measured by a check that does nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import clew
from benchmarks import trees
from benchmarks.cases import Say, WrongResult
from benchmarks.table import CLEW, Row, Wanted

COPY, GIT = "cp -a", "git worktree"

_RUNS = 3
_CHECKS = 10
_MANY = 20_000
"""Files below which starting a process takes longer than a tenth of copying them."""


def fork_rows(base: Path, files: int, say: Say) -> list[Row]:
    """Return a line for a fork, and one each for the first, second and tenth private copy."""
    scene = _Scene(base / "fork-scene", files, say)
    try:
        return scene.rows()
    finally:
        shutil.rmtree(scene.place)


class _Scene:
    def __init__(self, place: Path, files: int, say: Say) -> None:
        self.place = place
        self._files = files
        self._project = place / "project"
        self._say = say
        self._project.mkdir(parents=True)
        say(f"forks: a project of {files:,} files")
        trees.write_small(self._project, files)
        self._git("init", "-q")
        self._git("add", "-A", "-f")
        self._git("commit", "-q", "-m", "all")
        workspace, _ = clew.init(self._project, store=place / "store")
        with workspace:
            workspace.save("all")

    def rows(self) -> list[Row]:
        ways = {COPY: self._copy, GIT: self._worktree, CLEW: self._fork}
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(_RUNS):
            for name, way in ways.items():
                self._say(f"forks: {name}")
                taken[name].append(self._written(way, f"{name.split()[0]}-{turn}"))
        figures = {name: median(seconds) for name, seconds in taken.items()}
        checks = [self._timed(self._check) for _ in range(_CHECKS)]
        copying = figures[COPY]
        tenth = [Wanted(0.1, COPY)] if self._files >= _MANY else []
        return [
            Row("fork", "s", figures, [Wanted(2.5, COPY)]),
            Row("verify -- true, first", "s", {CLEW: checks[0], COPY: copying}),
            Row("verify -- true, second", "s", {CLEW: checks[1], COPY: copying}, tenth),
            Row("verify -- true, tenth", "s", {CLEW: checks[-1], COPY: copying}, tenth),
        ]

    def _written(self, way: Callable[[Path], None], name: str) -> float:
        """Return the time of one method; check its result and remove it."""
        target = self.place / name
        seconds = self._timed(lambda: way(target))
        for path in trees.files_below(self._project)[:: 5000 // _RUNS]:
            if (target / path).read_bytes() != (self._project / path).read_bytes():
                raise WrongResult(f"{name} wrote something else: {path}")
        shutil.rmtree(target)
        return seconds

    def _timed(self, act: Callable[[], None]) -> float:
        os.sync()
        began = time.perf_counter()
        act()
        return time.perf_counter() - began

    def _copy(self, target: Path) -> None:
        subprocess.run(["cp", "-a", "--reflink=never", self._project, target], check=True)

    def _worktree(self, target: Path) -> None:
        self._git("worktree", "add", "-q", "--detach", str(target))

    def _fork(self, target: Path) -> None:
        self._clew("fork", "@", str(target))

    def _check(self) -> None:
        self._say("forks: a private copy")
        self._clew("verify", "@", "--", "true")

    def _clew(self, *words: str) -> None:
        where = ["-C", str(self._project), "--store", str(self.place / "store")]
        command = [sys.executable, "-m", "clew", *where, *words]
        subprocess.run(command, check=True, capture_output=True, cwd=self._project)

    def _git(self, *words: str) -> None:
        who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        where = ["--git-dir", str(self.place / "git"), "--work-tree", str(self._project)]
        command = ["git", *who, "-c", "gc.auto=0", *where, *words]
        subprocess.run(command, check=True, capture_output=True, cwd=self._project)
