"""Interpreter of clew: its import path, and how to start it again.

The files of a workspace are untrusted, so nothing is imported from one, nor from the current
directory: `-P` keeps Python from adding that directory to its path, the working directory is `/`,
and entries of `PYTHONPATH` that are relative or inside the workspace are removed.
The only exception is the directory that the running clew was loaded from.
"""

from __future__ import annotations

import os
import sys

from clew.filenames import as_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH = "PYTHONPATH"
_SEARCHED = ("PYTHONHOME", "PYTHONUSERBASE")
"""Directories that Python imports from, or below."""
_HARMLESS = (
    "PYTHONCOERCECLOCALE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONNOUSERSITE",
    "PYTHONUTF8",
)
"""Python variables that name no file and no module."""
_SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The directory that holds the package `clew`."""

BACKGROUND = "CLEW_BACKGROUND"
"""The environment variable that, if `off`, prevents detached processes."""
PASSED_DESCRIPTOR = 3
"""The number under which a detached process is given an open file."""

_DETACHED = 'cd / && exec </dev/null >/dev/null 2>&1 && "$@" &'
"""The shell exits at once, and init adopts the command: no zombie, no terminal."""


def own_command() -> tuple[str, ...]:
    """Return the command that starts this clew with the same Python."""
    return (sys.executable, "-P", "-m", "clew")


def own_environment(environment: Mapping[str, str], workspace: str) -> dict[str, str]:
    """Return the environment for a Python process that imports nothing from a workspace."""
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith("PYTHON")
        or name in _HARMLESS
        or (name in _SEARCHED and _is_outside(value, workspace))
    }
    entries = [
        entry
        for entry in environment.get(_PATH, "").split(os.pathsep)
        if _is_outside(entry, workspace) or _is_source(entry)
    ]
    if entries:
        kept[_PATH] = os.pathsep.join(map(os.path.abspath, entries))
    return kept


def may_start_detached() -> bool:
    """Return whether the environment allows detached processes."""
    return os.environ.get(BACKGROUND) != "off"


def start_detached(
    command: Sequence[str], workspace: bytes, *, descriptor: int | None = None
) -> None:
    """Start a command of this Python for a workspace in a detached process.

    It has no open file of this process but `descriptor`, as `PASSED_DESCRIPTOR`: an agent waits
    until all copies of its pipes are closed.
    """
    if not may_start_detached():
        return
    shell = ("/bin/sh", "-c", _DETACHED, "sh", *command)
    environment = own_environment(os.environ, as_argument(workspace))
    actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_CLOSE, one) for one in _inherited()]
    if descriptor is not None:
        actions.append((os.POSIX_SPAWN_DUP2, descriptor, PASSED_DESCRIPTOR))
    pid = os.posix_spawn(shell[0], shell, environment, file_actions=actions, setsid=True)
    os.waitpid(pid, 0)


def clean_import_path(path: list[str], environment: Mapping[str, str]) -> None:
    """Prevent this process from importing files of the current directory.

    Entries of `PYTHONPATH` that are relative, or that contain or are inside the current directory,
    are removed; the others are moved behind the installed packages, so that they shadow no module.
    """
    given = environment.get(_PATH, "").split(os.pathsep)
    if given == [""]:
        return
    entries = {os.path.abspath(entry): entry for entry in given}
    here = _current_directory()
    moved = [
        entry
        for entry in path
        if entry in entries
        and (_is_source(entry) or (os.path.isabs(entries[entry]) and _is_disjoint(entry, here)))
    ]
    path[:] = [entry for entry in path if entry and entry not in entries] + moved


def installed(path: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the directories of an import path that do not come from `PYTHONPATH`."""
    entries = {os.path.abspath(entry) for entry in environment.get(_PATH, "").split(os.pathsep)}
    return (*(entry for entry in path if os.path.isabs(entry) and entry not in entries), _SOURCE)


def find_program(name: str) -> str | None:
    """Return the path of a program, searching only the absolute directories of `PATH`."""
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(directory, name)
        if os.path.isabs(directory) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _inherited() -> list[int]:
    """Return the open files, other than the standard streams, that a child would inherit."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2 and os.get_inheritable(int(name)):
                found.append(int(name))
        except OSError:  # the descriptor of the listing itself
            continue
    return found


def _current_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "/"  # deleted: there is nothing to import from it


def _is_source(entry: str) -> bool:
    return os.path.realpath(entry) == os.path.realpath(_SOURCE)


def _is_outside(path: str, workspace: str) -> bool:
    """Return whether a path is absolute and outside a workspace; for a machine, absolute."""
    if not os.path.isabs(path):
        return False
    return workspace == "/" or not _is_below(os.path.realpath(path), os.path.realpath(workspace))


def _is_disjoint(entry: str, here: str) -> bool:
    """Return whether neither of two directories contains the other."""
    real = os.path.realpath(entry)
    if here == "/":
        return real != "/"
    return not _is_below(real, here) and not _is_below(here, real)


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")
