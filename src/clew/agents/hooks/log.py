"""Log of failed hooks: `clew doctor` shows it, because agents do not show errors of hooks.

JSON Lines in a file outside the store, since most failures are about a full or damaged store.
Its size is limited.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping

from clew.atomic_write import replace_file, write_all
from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import beginning, redact

MAX_BYTES = 128 << 10
_MAX_CHARS = 1_000
_MAX_INPUT_CHARS = 1 << 16


class Failure(NamedTuple):
    """One failed hook."""

    time_ns: int
    agent: str
    event: str
    directory: str
    message: str


def log_path(environment: Mapping[str, str]) -> str:
    """Return the path of the log."""
    return os.path.join(state_directory(environment), "hooks.jsonl")


def state_directory(environment: Mapping[str, str]) -> str:
    """Return the directory for state of this machine that belongs to no store."""
    home = environment.get("XDG_STATE_HOME", "")
    if not home.startswith("/"):
        home = os.path.join(environment.get("HOME") or os.path.expanduser("~"), ".local", "state")
    return os.path.join(home, "clew")


def write(path: str, agent: str, event: str, directory: str, message: str) -> None:
    """Append a line, or raise OSError."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    value = {
        "time_ns": time.time_ns(),
        "agent": _redacted(agent),
        "event": _redacted(event),
        "directory": _redacted(directory),
        "message": _redacted(message),
    }
    line = json.dumps(value).encode() + b"\n"
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            line = b"\n" + line  # the disk was full in the middle of the last one
        write_all(descriptor, line)
        size += len(line)
    finally:
        os.close(descriptor)
    if size > MAX_BYTES:
        _drop_older_half(path)


def _redacted(text: str) -> str:
    """Return a text redacted, then shortened: a cut secret would not be recognised."""
    return redact(beginning(text, _MAX_INPUT_CHARS))[:_MAX_CHARS]


def recent(path: str, limit: int = 20) -> list[Failure]:
    """Return the newest failures, newest first, skipping invalid lines."""
    try:
        with open(path, "rb") as file:
            lines = file.read(2 * MAX_BYTES).splitlines()
    except OSError:
        return []
    found = [failure for line in reversed(lines) if (failure := _parse(line)) is not None]
    return found[:limit]


def clear(path: str) -> None:
    """Delete the log."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _parse(line: bytes) -> Failure | None:
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


def _drop_older_half(path: str) -> None:
    """Drop the older half; a line written concurrently may be lost."""
    with open(path, "rb") as file:
        content = file.read(4 * MAX_BYTES)
    newer = content[-MAX_BYTES // 2 :].partition(b"\n")[2]
    replace_file(path, [newer])
