"""Enclosure: a command runs in a private copy of the workspace, at the workspace's own path.

    us ── fork ── A: new mount, IPC, host name and network namespaces (and user, for others than root);
                  │  the copy over the path; runs the body
                  └─ fork ── R: starts and follows one command
                               └─ fork ── B: first process of a new PID namespace, fresh /proc
                                            └─ C: the command

A keeps our PID namespace and /proc, so the body can scan the copy and write to the store.
B ends with C, and with B everything that C left running; each of them dies with the one before.
All mounts are in namespaces that die with their processes, so there is nothing to clean up.

It guards against accidents; a hostile root can get out.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from clew.errors import EnclosureUnavailable
from clew.model.verdict import RunEnd
from clew.worktree.apart import Apart, apart
from clew.worktree.http_probe import require_address
from clew.worktree.init import Confined, InitTask
from clew.worktree.namespaces import (
    NEW_HOSTNAME,
    NEW_IPC,
    NEW_MOUNTS,
    NEW_NETWORK,
    NEW_USERS,
    capabilities,
    make_mounts_private,
    map_ourselves,
    may_administer,
    raise_loopback,
    reason,
    set_capabilities,
    unshare,
)
from clew.worktree.run_command import Ran, Watch, could_not_start, follow
from clew.worktree.sandbox_mounts import (
    PRIVATE_PLACES,
    Enclosure,
    Layers,
    Net,
    Whole,
    become_machine,
    close_in,
    is_below,
    show_copy,
)
from clew.worktree.server_probe import Asker, probe
from clew.worktree.syscalls import die_with
from clew.worktree.wait_child import Interrupts

__all__ = ["Enclosure", "Inside", "Layers", "Net", "Whole", "enclosed", "why_unavailable"]

T = TypeVar("T")


def enclosed(enclosure: Enclosure, body: Callable[[Inside], T]) -> T:
    """Run `body` in a process in which `path` is the copy, and return or raise what it did.

    The body must bring along all the code it needs: what it imports may be another version there.
    `EnclosureUnavailable`, before it runs, where the system does not allow this.
    Ctrl-C ends the command that runs, and the body goes on; the second one ends all.
    """

    def work(interrupts: Interrupts) -> tuple[T, bool]:
        inside = _enter(enclosure, parent, interrupts)
        return body(inside), inside.was_interrupted

    parent = os.getpid()
    with Interrupts() as interrupts:
        helper = Apart(work)
        try:
            result, was_heard = helper.result(interrupts)
        finally:
            helper.end()
    if helper.was_interrupted and not was_heard:
        raise KeyboardInterrupt  # it came when no command ran, and still was meant
    return result


@functools.cache
def why_unavailable() -> str | None:
    """Return why there are no enclosures here, or None if there are."""
    parent = os.getpid()
    with Interrupts() as interrupts:
        try:
            apart(lambda _: _leave_the_others(Net.OWN, parent), interrupts)
        except EnclosureUnavailable as error:
            return error.why
    return None


class Inside:
    """What the body of an enclosure can do in it."""

    def __init__(
        self, enclosure: Enclosure, root: bytes, rights: int | None, interrupts: Interrupts
    ) -> None:
        self.root = root
        """Where the body sees the copy: the workspace's path, but for a machine."""
        self.notes: tuple[str, ...] = tuple(_notes(enclosure, is_ordinary=rights is not None))
        """What is not isolated here, a sentence each; a run can add to them."""
        self.was_interrupted = False
        """Whether a run was; those after it do not begin."""
        self._enclosure = enclosure
        self._rights = rights
        self._interrupts = interrupts

    def run(
        self,
        command: Sequence[str | bytes],
        *,
        timeout: float | None,
        directory: bytes | None = None,
        watch: Watch | None = None,
    ) -> Ran:
        """Run a command to its end, and end with it all that it started.

        Its directory is the workspace, unless another one is given.
        `watch` is told what it says, in a process of its own.
        """
        task = self._task(command, directory)
        return self._apart(lambda interrupts: _run(task, timeout, interrupts, watch))

    def serve_and_probe(self, serve: str, url: str, *, timeout: float | None) -> Ran:
        """Start a server by a shell's words, and ask an address until it answers with success.

        That is exit code 0, and the server is ended.  A server that ends before has failed, and so
        has one that gave other answers until time was up.  `ValueError` for no such address.
        """
        require_address(url)
        task = self._task(["/bin/sh", "-c", serve], None)
        return self._apart(lambda interrupts: _serve(task, url, timeout, interrupts))

    def _task(self, command: Sequence[str | bytes], directory: bytes | None) -> InitTask:
        enclosure = self._enclosure
        if enclosure.as_root:
            surround = functools.partial(
                become_machine, self.root, read_only_elsewhere=enclosure.read_only_elsewhere
            )
        else:
            surround = functools.partial(close_in, enclosure)
        return InitTask(tuple(command), directory or enclosure.path, surround, self._rights)

    def _apart(self, work: Callable[[Interrupts], tuple[Ran, tuple[str, ...]]]) -> Ran:
        """Have a command started and listened to in a process of its own."""
        if self.was_interrupted or self._interrupts.come():
            self.was_interrupted = True
            return Ran(RunEnd.INTERRUPTED, None, b"", 0)
        ran, notes = apart(work, self._interrupts)
        self.was_interrupted = ran.how == RunEnd.INTERRUPTED
        self.notes += tuple(note for note in notes if note not in self.notes)
        return ran


def _notes(enclosure: Enclosure, *, is_ordinary: bool) -> Iterator[str]:
    """Yield what is not isolated, as far as it is known before a command runs."""
    if enclosure.as_root:
        yield "Devices are the live ones"
    else:
        unless = ", but cannot be written" if enclosure.read_only_elsewhere else ""
        yield f"The home directory and the rest of the disk are the live ones{unless}"
        if (place := _live_temporary(enclosure.path)) is not None:
            yield f"Temporary files are in a live directory: {place!r}"
    if enclosure.net == Net.HOST:
        yield "The network is shared"
    if is_ordinary:
        yield "Programs that become another user (sudo) do not work"


def _live_temporary(path: bytes) -> str | None:
    """Return what `$TMPDIR` says if that is not private."""
    place = os.environb.get(b"TMPDIR", b"")
    private = (path, *PRIVATE_PLACES)
    if not place or any(place == one or is_below(place, one) for one in private):
        return None
    return os.fsdecode(place)


# In the process that holds the enclosure


def _enter(enclosure: Enclosure, parent: int, interrupts: Interrupts) -> Inside:
    rights = _leave_the_others(enclosure.net, parent)
    before = _here()
    try:
        root = show_copy(enclosure)
    except OSError as error:
        raise EnclosureUnavailable(reason(error)) from error
    # Where we stand may be covered now, and what we would find from there is the live one.
    for directory in (before, root):
        with suppress(OSError):
            os.chdir(directory)
            break
    if rights is not None:
        # The body is to find what it may read and write by its own rights, as outside.
        _, permitted, inheritable = capabilities()
        set_capabilities(0, permitted, inheritable)
    return Inside(enclosure, root, rights, interrupts)


def _here() -> bytes:
    try:
        return os.getcwdb()
    except FileNotFoundError:  # it was deleted under us
        return b""


def _leave_the_others(net: str, parent: int) -> int | None:
    """Enter namespaces of our own; return the rights we had, if these gave us more."""
    flags = NEW_MOUNTS | NEW_IPC | NEW_HOSTNAME | (NEW_NETWORK if net == Net.OWN else 0)
    user, group = os.geteuid(), os.getegid()
    rights = None if may_administer() else capabilities()[1]
    try:
        if rights is None:
            unshare(flags, "namespaces")
        else:
            unshare(flags | NEW_USERS, "user namespaces")
            map_ourselves(user, group)
            die_with(parent)  # who gets new rights is no longer bound to anybody
        make_mounts_private()
        if net == Net.OWN:
            raise_loopback()
    except OSError as error:
        raise EnclosureUnavailable(reason(error)) from error
    return rights


# In the process that follows one command


def _run(
    task: InitTask, timeout: float | None, interrupts: Interrupts, watch: Watch | None
) -> tuple[Ran, tuple[str, ...]]:
    try:
        started = Confined(task)
    except OSError as error:
        return could_not_start(error), ()
    return follow(started, timeout, interrupts, watch), started.notes


def _serve(
    task: InitTask, url: str, timeout: float | None, interrupts: Interrupts
) -> tuple[Ran, tuple[str, ...]]:
    with Asker(url) as asker:  # first: from a process with a task no second one can be forked
        try:
            started = Confined(task)
        except OSError as error:
            return could_not_start(error), ()
        return probe(started, asker, timeout, interrupts), started.notes
