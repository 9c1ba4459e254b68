"""Programs killed in the middle of their work."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from evaluation.place import Place

_SECONDS = 60.0


def kill_when(place: Place, ready: Callable[[], bool], *words: str) -> None:
    """Start a program, and kill it and its children as soon as its work is half done."""
    process = place.start(*words)
    end = time.monotonic() + _SECONDS
    while not ready():
        if time.monotonic() > end:
            raise RuntimeError(f"{words[0]} never came to the middle of its work")
        time.sleep(0.002)
    os.killpg(process, signal.SIGKILL)
    place.stop()


def files_below(directory: Path) -> int:
    """Return the number of files, while some appear."""
    return sum(len(names) for _, _, names in os.walk(directory))


def require(condition: bool, what: str) -> None:
    """Refuse to go on if a change did not happen as it should."""
    if not condition:
        raise RuntimeError(f"it did not happen: {what}")
