"""The log of hooks that failed: `clew doctor` shows it, because an agent shows nothing.

One JSON object a line, in a file of its own and not in the store: a store that is full or damaged
is what most of them tell of.  It never grows beyond a fixed size.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping

from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import beginning, redact

LARGEST = 128 << 10
_LONGEST = 1_000
_READ = 1 << 16


class Failure(NamedTuple):
    """One hook that failed."""

    time_ns: int
    agent: str
    event: str
    directory: str
    message: str


def log_path(environment: Mapping[str, str]) -> str:
    """Return where the log is."""
    return os.path.join(state_directory(environment), "hooks.jsonl")


def state_directory(environment: Mapping[str, str]) -> str:
    """Return where clew keeps what belongs to this machine and to no store."""
    home = environment.get("XDG_STATE_HOME", "")
    if not home.startswith("/"):
        home = os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".local", "state")
    return os.path.join(home, "clew")


def write(path: str, agent: str, event: str, directory: str, message: str) -> None:
    """Add a line; OSError where that cannot be done."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    value = {
        "time_ns": time.time_ns(),
        "agent": _short(agent),
        "event": _short(event),
        "directory": _short(directory),
        "message": _short(message),
    }
    line = json.dumps(value).encode() + b"\n"
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        size = os.write(descriptor, line) + os.fstat(descriptor).st_size - len(line)
    finally:
        os.close(descriptor)
    if size > LARGEST:
        _keep_newest(path)


def _short(text: str) -> str:
    """Return a text as it may be logged: redacted before it is cut."""
    return redact(beginning(text, _READ))[:_LONGEST]


def recent(path: str, limit: int = 20) -> list[Failure]:
    """Return the newest failures, newest first; lines that cannot be read are left out."""
    try:
        with open(path, "rb") as file:
            lines = file.read(2 * LARGEST).splitlines()
    except OSError:
        return []
    found = [failure for line in reversed(lines) if (failure := _read(line)) is not None]
    return found[:limit]


def clear(path: str) -> None:
    """Forget every failure."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _read(line: bytes) -> Failure | None:
    try:
        value = json.loads(line)
        return Failure(
            int(value["time_ns"]),
            redact(str(value["agent"])),
            redact(str(value["event"])),
            redact(str(value["directory"])),
            redact(str(value["message"])),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _keep_newest(path: str) -> None:
    """Leave the newer half; whoever writes at that moment may lose a line."""
    with open(path, "rb") as file:
        content = file.read(4 * LARGEST)
    newer = content[-LARGEST // 2 :].partition(b"\n")[2]
    beside = f"{path}.{os.getpid()}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, newer)
    finally:
        os.close(descriptor)
    os.replace(beside, path)
