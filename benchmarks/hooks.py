"""Hooks: time of the whole process of a hook with nothing changed in 10,000 files.

It is compared with a Python that does nothing.  The transcript grew a little since the hook before,
as it does between any two calls; that is stored.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import clew
from benchmarks import trees
from benchmarks.cases import Say, WrongResult
from benchmarks.peers import Clew
from benchmarks.table import CLEW, Row, Wanted

PYTHON = "python"

_FILES = 10_000
_RUNS = 40
_SESSION = "11111111-1111-4111-8111-111111111111"
_PAUSE = 2.5
"""Seconds until a file that was just written counts as settled, so that it is not read again."""


def hook_rows(base: Path, say: Say) -> list[Row]:
    """Return a line for the hook after a batch of calls, and one for the hook before a call."""
    place = base / "hook-scene"
    project = place / "project"
    say(f"hooks: writing {_FILES:,} files")
    trees.write_small(project, _FILES)
    try:
        time.sleep(_PAUSE)
        return _rows(place, project, say)
    finally:
        shutil.rmtree(place)


def _rows(place: Path, project: Path, say: Say) -> list[Row]:
    environ = {**os.environ, "CLEW_HOME": str(place / "store"), "HOME": str(place / "home")}
    workspace, _ = clew.init(project, store=place / "store")
    with workspace:
        workspace.save("before the agent was enabled")
    transcript = place / "transcript.jsonl"
    call = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "call"}
    batch: dict[str, object] = {"hook_event_name": "PostToolBatch", "tool_calls": [call]}
    events: dict[str, dict[str, object]] = {
        "before a call": {"hook_event_name": "PreToolUse", **call},
        "after a batch": batch,
    }
    common = {"session_id": _SESSION, "cwd": str(project), "transcript_path": str(transcript)}
    say(f"hooks: {_RUNS} of each")
    bare: list[float] = []
    seconds: dict[str, list[float]] = {name: [] for name in events}
    for number in range(_RUNS):
        bare.append(_timed([sys.executable, "-c", "pass"], b"", environ))
        for name, event in events.items():
            _say_more(transcript, number)
            payload = json.dumps({**common, **event}).encode()
            seconds[name].append(_timed([Clew.program, "hook", "claude-code"], payload, environ))
    _require_quiet(place, project, transcript)
    wanted = [Wanted(8, PYTHON)]
    return [
        Row(f"hook, {name}", "s", {CLEW: median(seconds[name]), PYTHON: median(bare)}, wanted)
        for name in events
    ]


def _timed(command: list[str], given: bytes, environ: Mapping[str, str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, input=given, env=environ, capture_output=True, check=False)
    taken = time.perf_counter() - began
    if done.returncode or done.stdout or done.stderr:
        raise WrongResult(f"{command[-1]}: {(done.stdout + done.stderr).decode()[:200]}")
    return taken


def _say_more(transcript: Path, number: int) -> None:
    line = {"type": "assistant", "uuid": str(number), "message": {"role": "assistant"}}
    with transcript.open("a") as file:
        file.write(json.dumps(line) + "\n")


def _require_quiet(place: Path, project: Path, transcript: Path) -> None:
    """Check that the hooks ran, and found nothing new."""
    log = place / "home" / ".local" / "state" / "clew" / "hooks.jsonl"
    if log.exists():
        raise WrongResult(f"A hook failed: {log.read_text()[:300]}")
    with clew.open(project, place / "store") as workspace:
        if len(workspace.log().checkpoints) != 1:
            raise WrongResult("A hook found something new where nothing was")
        if workspace.sessions.current().info.length != transcript.stat().st_size:
            raise WrongResult("A hook did not take what was said")
