"""Activity: when an agent last wrote to a transcript of a project, to compare with its last hook.

Agents write to their transcripts with or without hooks, so a transcript that grew while no hook ran
shows that the agent does not run them: untrusted, disabled, or loaded before they were written.
The time is that of the last message: a restore writes old messages to a transcript.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

_TAIL_BYTES = 1 << 17
_HEAD_BYTES = 1 << 16
_MAX_FILES = 200
"""Files of one agent that are read, the newest first."""
_TIMESTAMP = re.compile(rb'"timestamp" ?: ?"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z"')
_CWD = re.compile(rb'"cwd" ?: ?("(?:[^"\\]|\\.)*")')
_NOT_IN_NAMES = re.compile("[^a-zA-Z0-9]")


class Transcript(NamedTuple):
    """A transcript and the time of its last message."""

    path: str
    time_ns: int


def last_transcript(
    agent: str, root: str, since_ns: int, known: Collection[str] = ()
) -> Transcript | None:
    """Return the transcript of a project that an agent wrote to last, if it did so after `since_ns`.

    `known` are transcripts of sessions in this project.
    """
    paths = {*_candidates(agent, root), *(path for one in known for path in _beside(agent, one))}
    changed = [one for path in paths if (one := _mtime(path)) and one.time_ns > since_ns]
    changed.sort(key=lambda one: one.time_ns, reverse=True)
    written = [
        Transcript(one.path, _last_message_ns(one))
        for one in changed[:_MAX_FILES]
        if one.path in known or _is_of_project(one.path, root)
    ]
    later = [one for one in written if one.time_ns > since_ns]
    return max(later, key=lambda one: one.time_ns, default=None)


def _candidates(agent: str, root: str) -> Iterator[str]:
    """Yield transcripts that may be of a project."""
    home = os.path.expanduser("~")
    name = _NOT_IN_NAMES.sub("-", root)
    if agent == "claude-code":
        base = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        for directory in _listed(os.path.join(base, "projects")):
            # A session that was started below the root has a directory of its own.
            if f"{os.path.basename(directory)}-".startswith(f"{name}-"):
                yield from _files(directory)
    elif agent == "codex":
        base = os.environ.get("CODEX_HOME") or os.path.join(home, ".codex")
        yield from islice(_by_day(os.path.join(base, "sessions")), _MAX_FILES)
    elif agent == "gemini":
        for directory in _listed(os.path.join(home, ".gemini", "tmp")):
            if _is_gemini_project(directory, root):
                yield from _files(os.path.join(directory, "chats"))
    elif agent == "qwen":
        yield from _files(os.path.join(home, ".qwen", "projects", name, "chats"))


def _beside(agent: str, path: str) -> Iterator[str]:
    """Yield a transcript and those in its directory; Codex has those of all projects in one."""
    yield path
    if agent != "codex":
        yield from _files(os.path.dirname(path))


def _by_day(directory: str) -> Iterator[str]:
    """Yield the files below year/month/day, the newest day first."""
    days = [directory]
    for _ in range(3):
        days = [below for one in days for below in sorted(_listed(one), reverse=True)]
    for day in days:
        yield from sorted(_files(day), reverse=True)


def _is_gemini_project(directory: str, root: str) -> bool:
    if os.path.basename(directory) == sha256(os.fsencode(root)).hexdigest():
        return True
    return _read(os.path.join(directory, ".project_root"), 0, _HEAD_BYTES).strip() == os.fsencode(
        root
    )


def _is_of_project(path: str, root: str) -> bool:
    """Return whether a transcript is of a session below `root`; True if it does not show that."""
    found = _CWD.search(_read(path, 0, _HEAD_BYTES))
    if found is None:
        return True
    try:
        directory = str(json.loads(found[1]))
    except ValueError:
        return True
    return f"{directory.rstrip('/')}/".startswith(f"{root.rstrip('/')}/")


def _last_message_ns(transcript: Transcript) -> int:
    """Return the newest time in a transcript, and at most that of its last change."""
    try:
        size = os.path.getsize(transcript.path)
    except OSError:
        return transcript.time_ns
    tail = _read(transcript.path, max(0, size - _TAIL_BYTES), _TAIL_BYTES)
    times = [_nanoseconds(found) for found in _TIMESTAMP.findall(tail)]
    return min(max(times), transcript.time_ns) if times else transcript.time_ns


def _nanoseconds(text: bytes) -> int:
    try:
        at = datetime.fromisoformat(text.decode("ascii")).replace(tzinfo=UTC)
    except ValueError:
        return 0
    return int(at.timestamp()) * 1_000_000_000


def _mtime(path: str) -> Transcript | None:
    try:
        return Transcript(path, os.stat(path).st_mtime_ns)
    except OSError:
        return None


def _read(path: str, offset: int, size: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, size, offset)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _files(directory: str) -> Iterator[str]:
    return (path for path in _listed(directory) if path.endswith((".jsonl", ".json")))


def _listed(directory: str) -> list[str]:
    try:
        return [os.path.join(directory, name) for name in os.listdir(directory)]
    except OSError:
        return []
