"""The process of an agent: identified when it sends an event, and looked up later.

A process is written as `<pid namespace>:<pid>:<start time>`: pids are reused, and mean nothing in
another namespace.
"""

from __future__ import annotations

import os

_WRAPPERS = frozenset(
    ("sh", "dash", "bash", "zsh", "fish", "ksh", "ash", "busybox", "env", "timeout", "nice", "sudo")
)
"""Programs that start a hook on behalf of the agent and end with it."""
_MAX_DEPTH = 16


def own_process() -> str:
    """Return this process; empty if /proc does not show it."""
    return _identity(os.getpid())


def calling_process() -> str:
    """Return the nearest ancestor that is not a shell; empty if there is none."""
    pid = os.getppid()
    for _ in range(_MAX_DEPTH):
        found = _read_stat(pid) if pid > 1 else None
        if found is None:
            return ""
        name, parent, _ = found
        if name not in _WRAPPERS:
            return _identity(pid)
        pid = parent
    return ""


def is_running(process: str) -> bool | None:
    """Return whether a process still runs; None if that cannot be known from here."""
    namespace, _, rest = process.partition(":")
    pid = rest.partition(":")[0]
    if not process or namespace != _namespace() or not pid.isdigit():
        return None
    return _identity(int(pid)) == process


def _identity(pid: int) -> str:
    found = _read_stat(pid)
    return f"{_namespace()}:{pid}:{found[2]}" if found is not None else ""


def _namespace() -> str:
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"


def _read_stat(pid: int) -> tuple[str, int, str] | None:
    """Return name, parent and start time of a process; None if it does not run."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            content = file.readall()
    except OSError:
        return None
    name, _, rest = content.partition(b"(")[2].rpartition(b")")  # a name may contain both
    fields = rest.split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    return name.decode("utf-8", "replace"), int(fields[1]), fields[19].decode()
