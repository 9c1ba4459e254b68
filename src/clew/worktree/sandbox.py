"""Sandbox: runs commands in a private copy of the workspace, at the workspace's own path.

    us ── fork ── A: new mount, IPC, host name and network namespaces (and user, unless root);
                  │  mounts the copy over the path; runs the body
                  └─ fork ── R: starts and follows one command
                               └─ fork ── B: init of a new PID namespace, new /proc
                                            └─ C: the command

A stays in our PID namespace and /proc, so the body can scan the copy and write to the store.
B exits with C, which kills everything that C left running; each process is killed when its parent
ends.  All mounts are in namespaces that end with their processes, so there is nothing to clean up.

The sandbox protects from accidents; a hostile root can escape.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from clew.errors import SandboxUnavailable
from clew.model.verdict import RunEnd
from clew.worktree.http_probe import require_address
from clew.worktree.init import Confined, InitTask
from clew.worktree.machine_root import switch_root
from clew.worktree.namespaces import (
    NEW_HOSTNAME,
    NEW_IPC,
    NEW_MOUNTS,
    NEW_NETWORK,
    NEW_USERS,
    SYSTEM_CAPABILITIES,
    capabilities,
    make_mounts_private,
    map_current_user,
    may_administer,
    raise_loopback,
    reason,
    set_capabilities,
    unshare,
)
from clew.worktree.run_command import CommandResult, Watch, could_not_start, follow
from clew.worktree.run_in_child import ChildCall, run_in_child
from clew.worktree.sandbox_mounts import (
    FullCopy,
    Net,
    OverlayCopy,
    SandboxSpec,
    mount_copy,
    mount_private_view,
)
from clew.worktree.server_probe import Prober, probe
from clew.worktree.syscalls import die_with
from clew.worktree.wait_child import Interrupts

__all__ = [
    "FullCopy",
    "Inside",
    "Net",
    "OverlayCopy",
    "SandboxSpec",
    "run_sandboxed",
    "why_unavailable",
]

T = TypeVar("T")

_NAMED = 2
"""Sockets that a note names."""


def run_sandboxed(spec: SandboxSpec, body: Callable[[Inside], T]) -> T:
    """Run `body` in a process that sees the copy at `path`; return or raise its result.

    All code that the body needs must be imported before: an import inside the sandbox may load
    another version.  It must be picklable, because a process with several threads cannot fork.
    `SandboxUnavailable`, before the body runs, if the system does not permit sandboxes.
    The first Ctrl-C ends the running command and the body continues; the second one ends both.
    """
    work = functools.partial(_work_inside, spec, body, os.getpid())
    with Interrupts() as interrupts:
        call = ChildCall(work, preload=True)
        try:
            result, was_heard = call.result(interrupts)
        finally:
            call.end()
    if call.was_interrupted and not was_heard:
        raise KeyboardInterrupt  # it arrived while no command ran
    return result


@functools.cache
def why_unavailable() -> str | None:
    """Return why sandboxes are unavailable on this system, or None if they are available."""
    with Interrupts() as interrupts:
        try:
            run_in_child(functools.partial(_try_namespaces, os.getpid()), interrupts)
        except SandboxUnavailable as error:
            return error.reason
    return None


class Inside:
    """The operations available to the body of a sandbox."""

    def __init__(
        self, spec: SandboxSpec, root: bytes, rights: int | None, interrupts: Interrupts
    ) -> None:
        self.root = root
        """Where the body sees the copy: the workspace's path, except for a machine."""
        self.notes: tuple[str, ...] = tuple(_notes(spec, is_ordinary=rights is not None))
        """What is not isolated, one sentence each; a run can add more."""
        self.was_interrupted = False
        """Whether a run was interrupted; later runs do not start."""
        self._spec = spec
        self._rights = rights
        self._interrupts = interrupts

    def run(
        self,
        command: Sequence[str | bytes],
        *,
        timeout: float | None,
        directory: bytes | None = None,
        watch: Watch | None = None,
    ) -> CommandResult:
        """Run a command until it exits, then kill everything it started.

        The working directory is the workspace by default.
        `watch` receives the output, in a separate process.
        """
        task = self._task(command, directory)
        return self._run_in_child(lambda interrupts: _run(task, timeout, interrupts, watch))

    def serve_and_probe(self, serve: str, url: str, *, timeout: float | None) -> CommandResult:
        """Start a server with a shell command and send requests to `url` until one succeeds.

        Success is exit code 0, and the server is terminated.  A server that exits before that has
        failed, and so has one without a successful response within the time limit.
        `ValueError` if `url` is invalid.
        """
        require_address(url)
        task = self._task(["/bin/sh", "-c", serve], None)
        return self._run_in_child(lambda interrupts: _serve(task, url, timeout, interrupts))

    def _task(self, command: Sequence[str | bytes], directory: bytes | None) -> InitTask:
        spec = self._spec
        if spec.machine is not None:
            surround = functools.partial(
                switch_root,
                self.root,
                spec.machine,
                spec.sockets,
                read_only_elsewhere=spec.read_only_elsewhere,
            )
        else:
            surround = functools.partial(mount_private_view, spec)
        rights = self._rights
        if spec.read_only_elsewhere:
            permitted = capabilities()[1] if rights is None else rights
            rights = permitted & ~SYSTEM_CAPABILITIES
        return InitTask(tuple(command), directory or spec.path, surround, rights)

    def _run_in_child(
        self, work: Callable[[Interrupts], tuple[CommandResult, tuple[str, ...]]]
    ) -> CommandResult:
        """Start and follow a command in a separate process."""
        if self.was_interrupted or self._interrupts.poll():
            self.was_interrupted = True
            return CommandResult(RunEnd.INTERRUPTED, None, b"", 0)
        # The process of the body was started with one thread, and a new Python would import
        # what the copy shows.
        ran, notes = run_in_child(work, self._interrupts, must_fork=True)
        self.was_interrupted = ran.how == RunEnd.INTERRUPTED
        self.notes += tuple(note for note in notes if note not in self.notes)
        return ran


def _notes(spec: SandboxSpec, *, is_ordinary: bool) -> Iterator[str]:
    """Yield what is not isolated, as far as known before a command runs."""
    if spec.read_only_elsewhere:
        yield "Disks, mounts, the clock and kernel settings cannot be changed"
    elif spec.machine is not None:
        yield "Devices are not isolated"
    if spec.machine is None:
        state = "read-only" if spec.read_only_elsewhere else "not isolated"
        yield f"The home directory and the rest of the disk are {state}"
    if spec.net == Net.HOST:
        yield "The network is shared with the host"
    if spec.hidden_sockets:
        yield f"Live unix sockets are not reachable: {_some(spec.hidden_sockets)}"
    if is_ordinary:
        yield "Files of other users appear to belong to nobody"
        yield "Programs that change the user (sudo) do not work"


def _some(paths: Sequence[bytes]) -> str:
    """Return `/run/docker.sock, /run/dbus/system_bus_socket and 3 more`."""
    named = ", ".join(repr(os.fsdecode(path)) for path in paths[:_NAMED])
    return named + (f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else "")


# In the process that holds the sandbox


def _work_inside(
    spec: SandboxSpec, body: Callable[[Inside], T], parent: int, interrupts: Interrupts
) -> tuple[T, bool]:
    inside = _enter(spec, parent, interrupts)
    return body(inside), inside.was_interrupted


def _try_namespaces(parent: int, _: Interrupts) -> None:
    _enter_namespaces(Net.OWN, parent)


def _enter(spec: SandboxSpec, parent: int, interrupts: Interrupts) -> Inside:
    rights = _enter_namespaces(spec.net, parent)
    before = _current_directory()
    try:
        root = mount_copy(spec)
    except OSError as error:
        raise SandboxUnavailable(reason(error)) from error
    # The current directory may be covered now, and would then be the live one.
    for directory in (before, root):
        with suppress(OSError):
            os.chdir(directory)
            break
    if rights is not None:
        # Access checks in the body must give the same results as outside.
        _, permitted, inheritable = capabilities()
        set_capabilities(0, permitted, inheritable)
    return Inside(spec, root, rights, interrupts)


def _current_directory() -> bytes:
    try:
        return os.getcwdb()
    except FileNotFoundError:  # it was deleted
        return b""


def _enter_namespaces(net: str, parent: int) -> int | None:
    """Enter new namespaces; return the previous capabilities if a user namespace added more."""
    flags = NEW_MOUNTS | NEW_IPC | NEW_HOSTNAME | (NEW_NETWORK if net == Net.OWN else 0)
    user, group = os.geteuid(), os.getegid()
    rights = None if may_administer() else capabilities()[1]
    try:
        if rights is None:
            unshare(flags, "namespaces")
        else:
            unshare(flags | NEW_USERS, "user namespaces")
            map_current_user(user, group)
            die_with(parent)  # again: gaining capabilities clears the parent-death signal
        make_mounts_private()
        if net == Net.OWN:
            raise_loopback()
    except OSError as error:
        raise SandboxUnavailable(reason(error)) from error
    return rights


# In the process that follows one command


def _run(
    task: InitTask, timeout: float | None, interrupts: Interrupts, watch: Watch | None
) -> tuple[CommandResult, tuple[str, ...]]:
    try:
        started = Confined(task)
    except OSError as error:
        return could_not_start(error), ()
    return follow(started, timeout, interrupts, watch), started.notes


def _serve(
    task: InitTask, url: str, timeout: float | None, interrupts: Interrupts
) -> tuple[CommandResult, tuple[str, ...]]:
    with Prober(url) as asker:  # first: after `Confined` this process cannot fork another child
        try:
            started = Confined(task)
        except OSError as error:
            return could_not_start(error), ()
        return probe(started, asker, timeout, interrupts), started.notes
