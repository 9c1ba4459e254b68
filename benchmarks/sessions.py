"""Conversations: space and time of 200 checkpoints of a transcript that grows to 20 MB.

It is compared with the transcript compressed once, as a whole, by zstd at its usual level.  The
store's figure is its total growth: packs, catalogue and records of every checkpoint.
"""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from random import Random
from statistics import median

import clew
from benchmarks.cases import Say, WrongResult
from benchmarks.table import CLEW, Row, Wanted
from benchmarks.text import PackageText, vocabulary
from clew.model.checkpoint import Checkpoint
from clew.operations.sessions.conversation import content
from clew.store.zstd import compress
from clew.workspace import Workspace

ZSTD, WITHOUT = "zstd", "no session"

_CHECKPOINTS = 200
_BYTES = 20_000_000
_AT_A_TIME = 20
_USUAL_LEVEL = 3


def session_rows(base: Path, say: Say) -> list[Row]:
    """Return a line for disk space, and one for time."""
    place = base / "session-scene"
    (place / "project").mkdir(parents=True)
    (place / "project" / "file").write_text("all there is\n")
    workspace, _ = clew.init(place / "project", store=place / "store")
    try:
        with workspace:
            return _rows(workspace, place / "transcript.jsonl", say)
    finally:
        shutil.rmtree(place)


def _rows(workspace: Workspace, transcript: Path, say: Say) -> list[Row]:
    say("sessions: writing what was said")
    pieces = _conversation()
    transcript.touch()
    without = [_save(workspace) for _ in range(_AT_A_TIME)]
    workspace.sessions.open(agent="bench", transcript=str(transcript))
    before = workspace.store.stats().store_bytes
    say(f"sessions: {_CHECKPOINTS} checkpoints")
    seconds = []
    for piece in pieces:
        with transcript.open("ab") as file:
            file.write(piece)
        seconds.append(_save(workspace))
    grown = workspace.store.stats().store_bytes - before
    _compare(workspace, pieces)
    whole = b"".join(pieces)
    size = {CLEW: grown, ZSTD: len(compress(whole, _USUAL_LEVEL))}
    last = {CLEW: median(seconds[-_AT_A_TIME:]), WITHOUT: median(without)}
    title = f"{_CHECKPOINTS} checkpoints of {len(whole) / 1e6:.0f} MB said"
    return [
        Row(title, "B", size, [Wanted(2, ZSTD, strictly=True)]),
        Row(f"save at {len(whole) / 1e6:.0f} MB", "s", last),
    ]


def _conversation() -> list[bytes]:
    """Return the messages between two checkpoints in the form of agents: mostly output of tools."""
    random = Random("sessions")
    words = vocabulary(random)
    pieces = []
    for number in range(_CHECKPOINTS):
        lines, length = [], 0
        while length < _BYTES // _CHECKPOINTS:
            text = PackageText(random, words)
            kind = random.choice(text.kinds[:5])[2]
            output = kind(random.randrange(500, 20_000)).decode()
            message = {"role": "tool", "id": random.randbytes(12).hex(), "turn": number}
            lines.append(json.dumps({**message, "content": output}) + "\n")
            length += len(lines[-1])
        pieces.append("".join(lines).encode())
    return pieces


def _save(workspace: Workspace) -> float:
    began = time.perf_counter()
    workspace.save("one more")
    return time.perf_counter() - began


def _compare(workspace: Workspace, pieces: list[bytes]) -> None:
    """Read some of the conversations back."""
    newest_first = workspace.log(limit=_CHECKPOINTS).checkpoints
    for number in (1, _CHECKPOINTS // 2, _CHECKPOINTS):
        found = _said(workspace, newest_first[_CHECKPOINTS - number])
        if found != b"".join(pieces[:number]):
            raise WrongResult(f"Checkpoint {number} holds another conversation")


def _said(workspace: Workspace, checkpoint: Checkpoint) -> bytes:
    with workspace.reading_context() as context:
        get = context.store.objects.get
        return b"".join(content(checkpoint.record.position.conversation, get))
