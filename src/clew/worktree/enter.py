"""Enter a directory: become a program that sees the directory at other paths.

This process itself enters a mount namespace and executes the program.  There is no process in
between, so the terminal, job control, signals and the exit code are the program's own.  The mounts end
with the last process in the namespace.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from clew.errors import CommandNotStarted, SandboxUnavailable
from clew.model.named_tuple import NamedTuple
from clew.worktree.namespaces import (
    NEW_MOUNTS,
    NEW_USERS,
    capabilities,
    give_up_capabilities,
    make_mounts_private,
    map_current_user,
    may_administer,
    reason,
    unshare,
)
from clew.worktree.sandbox_mounts import FullCopy, SandboxSpec, mount_copy


class View(NamedTuple):
    """A directory, and where a program sees it; all are absolute paths."""

    directory: bytes
    paths: tuple[bytes, ...]
    """Where it is mounted, over what is there."""
    store: bytes
    """The store's directory, which stays visible."""
    working_directory: bytes
    """Where the program starts; the nearest directory above if it does not exist."""


def become(
    command: Sequence[str | bytes], view: View, environment: Mapping[bytes, bytes]
) -> NoReturn:
    """Replace this process with a command that sees `view`; it must have a single thread.

    `SandboxUnavailable` if the system permits no namespaces, `CommandNotStarted` if the command does
    not exist.  After either, this process must do nothing but end.
    """
    _mount(view)
    directory = _enter_directory(view.working_directory)
    variables = {name: value for name, value in environment.items() if name != b"OLDPWD"}
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], tuple(command), {**variables, b"PWD": directory})  # noqa: S606
    except OSError as error:
        raise CommandNotStarted(os.fsdecode(command[0]), error.strerror or str(error)) from error


def _mount(view: View) -> None:
    user, group = os.geteuid(), os.getegid()
    rights = None if may_administer() else capabilities()[1]
    try:
        if rights is None:
            unshare(NEW_MOUNTS, "mount namespaces")
        else:
            unshare(NEW_MOUNTS | NEW_USERS, "user namespaces")
            map_current_user(user, group)
        make_mounts_private()
        for path in view.paths:
            mount_copy(SandboxSpec(path, FullCopy(view.directory), store=view.store))
        if rights is not None:
            give_up_capabilities(but=rights)
    except OSError as error:
        raise SandboxUnavailable(reason(error)) from error


def _enter_directory(path: bytes) -> bytes:
    """Change to a directory, or to the nearest one above it that exists; return it."""
    while path != b"/":
        with suppress(OSError):
            os.chdir(path)
            return path
        path = os.path.dirname(path)
    os.chdir(path)
    return path
