"""Init process of a PID namespace: starts one command, reaps orphans, and exits with the command.

When it exits, the kernel kills every other process of the namespace.
It first sets up the mounts that the command sees, in a mount namespace of its own.
"""

from __future__ import annotations

import marshal
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from clew.errors import SandboxUnavailable
from clew.model.named_tuple import NamedTuple
from clew.worktree.child_process import fork
from clew.worktree.namespaces import (
    NEW_MOUNTS,
    NEW_PIDS,
    capabilities,
    die_with_parent,
    give_up_capabilities,
    make_mounts_private,
    reason,
    set_capabilities,
    unshare,
)
from clew.worktree.run_command import exit_code

_STARTED, _FAILED, _UNAVAILABLE = "started", "failed", "unavailable"
_SIGNALS = (signal.SIGTERM, signal.SIGCHLD)
_TEMPORARY = (b"TMPDIR", b"TMP", b"TEMP")


class InitTask(NamedTuple):
    """What the init process sets up and starts."""

    command: Sequence[str | bytes]
    directory: bytes
    set_up: Callable[[], Iterable[str]]
    """Sets up the mounts, and yields a note for each one that is unavailable."""
    rights: int | None
    """The capabilities that the command keeps; None to leave them unchanged."""


class Confined:
    """A command in a PID namespace of its own; a `Started` command for `OutputReader`."""

    def __init__(self, task: InitTask) -> None:
        """Start the command; a process can do this once.

        `OSError` if the command cannot be started, `SandboxUnavailable` if its namespaces and
        mounts cannot be set up.
        """
        try:
            raise_capabilities()
            unshare(NEW_PIDS, "PID namespaces")
        except OSError as error:
            raise SandboxUnavailable(reason(error)) from error
        self.output, output = os.pipe()
        reading, report = os.pipe()
        lifeline, holding = os.pipe()  # never written to; closed by the kernel if this process dies
        self.pid = fork(partial(_run_init, task, output, report, (lifeline, holding)))
        for descriptor in (output, report, lifeline):
            os.close(descriptor)
        self._lifeline = holding
        self.notes = self._read_report(reading)

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        code = exit_code(os.waitpid(self.pid, 0)[1])
        os.close(self._lifeline)
        return code

    def _read_report(self, reading: int) -> tuple[str, ...]:
        with os.fdopen(reading, "rb") as file:
            words = file.read()
        if not words:
            words = marshal.dumps((_UNAVAILABLE, 0, "its init process was killed", "", ()))
        what, number, text, name, notes = marshal.loads(words)  # noqa: S302 - from our own child
        if what == _STARTED:
            return tuple(notes)
        self.kill()
        self.wait()
        os.close(self.output)
        if what == _FAILED:
            raise OSError(number, text, name)
        raise SandboxUnavailable(text)


def raise_capabilities() -> None:
    """Make all permitted capabilities effective."""
    _, permitted, inheritable = capabilities()
    set_capabilities(permitted, permitted, inheritable)


# In the init process


def _run_init(task: InitTask, output: int, report: int, lifeline: tuple[int, int]) -> int:
    os.close(lifeline[1])
    die_with_parent(lifeline[0])
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # `_reap_until` waits for them
    pid = _start(task, output, report)
    os.close(output)
    if pid is not None:
        _reap_until(pid)
    return 1


def _start(task: InitTask, output: int, report: int) -> int | None:
    """Start the command and write the report; return its pid, or None if it failed."""
    pid, notes = None, list[str]()
    try:
        _prepare(task, notes)
        try:
            os.chdir(task.directory)
            pid = _spawn(task.command, output)
            words: tuple[Any, ...] = (_STARTED, 0, "", "", notes)
        except OSError as error:
            name = os.fsdecode(error.filename or b"")
            words = (_FAILED, error.errno or 0, error.strerror or str(error), name, notes)
    except OSError as error:
        words = (_UNAVAILABLE, 0, reason(error), "", notes)
    except Exception as error:  # noqa: BLE001 - reported to the parent
        words = (_UNAVAILABLE, 0, f"{type(error).__name__}: {error}", "", notes)
    with os.fdopen(report, "wb") as file:
        file.write(marshal.dumps(words))
    return pid


def _prepare(task: InitTask, notes: list[str]) -> None:
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the one that listed the others
            os.set_inheritable(int(descriptor), False)
    unshare(NEW_MOUNTS, "mount namespaces")
    make_mounts_private()
    notes += task.set_up()
    if task.rights is not None:
        give_up_capabilities(but=task.rights)


def _spawn(command: Sequence[str | bytes], output: int) -> int:
    return os.posix_spawnp(
        command[0],
        tuple(command),
        _environment(os.environb),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # Python ignores them
    )


def _environment(environment: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """Return the environment without variables that name a missing temporary directory."""
    missing = {
        name for name in _TEMPORARY if name in environment and not os.path.isdir(environment[name])
    }
    return {name: value for name, value in environment.items() if name not in missing}


def _reap_until(pid: int) -> None:
    """Reap children until the command exits; pass SIGTERM on to all processes."""
    while True:
        if signal.sigwait(_SIGNALS) == signal.SIGTERM:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGTERM)  # to every other process of the namespace
        ended, status = os.waitpid(-1, os.WNOHANG)
        while ended:
            if ended == pid:
                os._exit(exit_code(status))
            ended, status = os.waitpid(-1, os.WNOHANG)
