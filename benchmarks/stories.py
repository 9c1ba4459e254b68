"""Stories: time from two trees to the headline, compared with an unchanged save of the same tree.

Two real changes: `pip install` of some 2,000 files in a project of 50,000, and `apt-get install` on
this machine, in a disposable overlay (which needs root).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import clew
from benchmarks import trees
from benchmarks.cases import Say
from benchmarks.table import CLEW, Row, Wanted
from clew.operations.history.story import story_between, story_side
from clew.workspace import Workspace

SAVE = "unchanged save"

_RUNS = 5
_PACKAGES = ("sqlalchemy==2.0.36", "rich==13.9.4", "fastapi==0.115.5", "networkx==3.4.2")
_LEFT_OUT = (
    "/opt",
    "/root",
    "/work",
    "/tmp",
    "/home",
    "/srv",
    "/var/cache",
    "/var/tmp",
    "/usr/lib/google-cloud-sdk/platform",
)
_APT = ("redis-server", "nginx-light")


def story_rows(base: Path, files: int, say: Say) -> list[Row]:
    """Return a line for each change that could be made here."""
    found = [_pip(base, files, say)]
    if os.geteuid() == 0 and Path("/usr/bin/apt-get").exists():
        found.append(_apt(base, say))
    else:
        say("stories: apt-get install needs root and Debian, so it is not measured")
    return found


def _pip(base: Path, files: int, say: Say) -> Row:
    say(f"stories: a project of {files:,} files")
    project = base / "story-project"
    project.mkdir()
    trees.write_small(project, files)
    environment = project / ".venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    workspace, _ = clew.init(project, store=base / "story-store")
    with workspace:

        def install() -> None:
            say("stories: pip install")
            pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--no-compile"]
            subprocess.run([*pip, *_PACKAGES], check=True)

        return _measured("pip install", workspace, install)


def _apt(base: Path, say: Say) -> Row:
    with _overlay(base) as root:
        workspace, _ = clew.init(
            root, store=base / "machine-store", machine=True, exclude=_LEFT_OUT
        )
        with workspace:

            def install() -> None:
                say("stories: apt-get install")
                command = ["chroot", str(root), "apt-get", "install", "-y", "-qq", *_APT]
                environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
                subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL)

            say("stories: the first save of this machine")
            return _measured("apt-get install", workspace, install)


def _measured(title: str, workspace: Workspace, change: Callable[[], None]) -> Row:
    before = workspace.save("before").checkpoint
    change()
    after = workspace.save("after").checkpoint
    context = workspace._access.context  # a benchmark needs the internals
    saves, stories = [], []
    for _ in range(_RUNS):
        began = time.perf_counter()
        command = [sys.executable, "-m", "clew", "-C", str(os.fsdecode(workspace.info.path))]
        command += ["--store", workspace.store.path, "save", "unchanged"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        saves.append(time.perf_counter() - began)
        began = time.perf_counter()
        story = story_between(context, story_side(context, before), story_side(context, after))
        stories.append(time.perf_counter() - began)
    entries = after.record.coverage.files
    title = f"story of {title}, {story.changed_paths:,} paths of {entries:,}: {story.headline}"
    figures = {CLEW: _middle(stories), SAVE: _middle(saves)}
    return Row(title[:110], "s", figures, [Wanted(0.5, SAVE, strictly=True)])


def _middle(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) // 2]


@contextmanager
def _overlay(base: Path) -> Iterator[Path]:
    """Yield a disposable overlay of this machine's root."""
    root, memory = base / "machine", base / "memory"
    for directory in (root, memory):
        directory.mkdir()
    _run("mount", "-t", "tmpfs", "clew-bench", memory)
    for part in ("upper", "work"):
        (memory / part).mkdir()
    layers = f"lowerdir=/,upperdir={memory}/upper,workdir={memory}/work"
    _run("mount", "-t", "overlay", "-o", layers, "clew-bench", root)
    _run("mount", "--bind", "/dev", root / "dev")  # or apt makes a file of /dev/null
    try:
        policy = root / "usr" / "sbin" / "policy-rc.d"  # no service starts in a chroot
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        yield root
    finally:
        _run("umount", "-R", "-l", root)
        _run("umount", "-l", memory)


def _run(*words: str | Path) -> None:
    subprocess.run(list(words), check=True)
