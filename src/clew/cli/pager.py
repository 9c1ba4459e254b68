"""The pager: a program that shows long output one screen at a time, chosen as git chooses its own.

The first of these that is set: $CLEW_PAGER, the user's setting `pager`, $PAGER; otherwise `less`.
`cat` or nothing means no pager.  `less` and `lv` get git's options, unless the user has set others.
Nothing in a workspace can name a program: only the environment and the user's own file are read.
"""

from __future__ import annotations

import os
import signal
import time

from clew.model.user_settings import AUTO, OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO

    from clew.cli.terminal import Terminal

_LESS = "less"
_OPTIONS = {"LESS": "FRX", "LV": "-c"}
_NONE = ("", "cat")

_FOR_A_SHELL = frozenset("|&;<>()$`\\\"' \t\n*?[#~=%")
"""Characters of a command that needs a shell; the same as in git."""
_FAILED = (126, 127)
"""Exit codes of a shell that could not start the command."""

_FIRST_SCREEN = 200
"""Lines that are passed on one at a time: more than a screen holds."""
_PAUSE = 0.05
"""Seconds after which later lines are passed on, even if they are few."""
_KEPT = 65_536
"""Characters that are kept to be printed without the pager: what a pipe holds if nothing reads it."""


def chosen_pager(environ: Mapping[str, str], setting: Callable[[], str]) -> str:
    """Return the command of the pager; empty for none."""
    command = environ.get("CLEW_PAGER")
    if command is None and environ.get("PAGER") == environ.get("GIT_PAGER") == "cat":
        return ""  # as agents set both: nobody is there to leave a pager that a person has set
    if command is None:
        chosen = setting()
        if chosen == OFF:
            return ""
        command = environ.get("PAGER", _LESS) if chosen == AUTO else chosen
    return "" if command.strip() in _NONE else command


def open_pager(terminal: Terminal, setting: Callable[[], str]) -> Pager | None:
    """Start the pager of a terminal; None if it has none, or cannot start it."""
    environ = terminal.environ
    if environ.get("TERM", "dumb") == "dumb":
        return None  # it cannot show a screen
    command = chosen_pager(environ, setting)
    path = _absolute_path(environ)
    words = _words(command, path)
    if not words:
        return None
    terminal.stdout.flush()
    reading, writing = os.pipe()
    try:
        process = os.posix_spawn(
            words[0],
            words,
            {**_OPTIONS, **environ, "PATH": path},
            file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)],
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # Python ignores both
        )
    except OSError:
        os.close(writing)
        return None
    finally:
        os.close(reading)
    stdout = terminal.stdout
    pipe = os.fdopen(writing, "w", encoding=stdout.encoding, errors=stdout.errors, newline="\n")
    return Pager(process, pipe, stdout)


class Pager:
    """A running pager, and the pipe to it.

    If the shell turns out not to find it, its text goes to standard output instead.
    """

    def __init__(self, process: int, pipe: TextIO, stdout: TextIO) -> None:
        self._process = process
        self._pipe: TextIO | None = pipe
        self._stdout = stdout
        self._kept: list[str] = []
        self._kept_size = 0
        self._lines = 0
        self._flushed = 0.0
        self._is_plain = False

    def write(self, text: str) -> bool:
        """Pass text on; return whether more is wanted: False once the user has left the pager."""
        if self._is_plain:
            self._stdout.write(text)
            return True
        if self._pipe is None:
            return False
        self._keep(text)
        try:
            self._pipe.write(text)
            self._flush_if_due(self._pipe)
        except BrokenPipeError:
            self.close()
            return self._is_plain
        return True

    def close(self) -> None:
        """End the text and wait until the user leaves the pager."""
        if self._pipe is None:
            return
        pipe, self._pipe = self._pipe, None
        try:
            pipe.close()
        except (BrokenPipeError, KeyboardInterrupt):
            pass  # the user has left it, or wants no more
        if self._wait() in _FAILED and self._kept_size <= _KEPT:
            self._is_plain = True
            self._stdout.write("".join(self._kept))
        self._kept.clear()

    def _keep(self, text: str) -> None:
        self._kept_size += len(text)
        if self._kept_size <= _KEPT:
            self._kept.append(text)

    def _flush_if_due(self, pipe: TextIO) -> None:
        self._lines += 1
        now = time.monotonic()
        if self._lines <= _FIRST_SCREEN or now - self._flushed > _PAUSE:
            self._flushed = now
            pipe.flush()

    def _wait(self) -> int:
        """Return the exit code of the pager; Ctrl-C is for the pager and does not end the wait."""
        while True:
            try:
                _, status = os.waitpid(self._process, 0)
            except KeyboardInterrupt:
                continue
            except ChildProcessError:
                return 0
            return os.waitstatus_to_exitcode(status)


def _words(command: str, path: str) -> list[str]:
    """Return the program and arguments that run a command; empty if its program is not there."""
    program = command.split()[0] if command.strip() else ""
    if not program:
        return []
    if _FOR_A_SHELL.isdisjoint(program):
        found = _found(program, path)
        if not found:
            return []
        if program == command:
            return [found]
    return ["/bin/sh", "-c", command]


def _found(program: str, path: str) -> str:
    """Return the path of a program; empty if there is none.

    A relative path names none: it could be in a workspace.
    """
    if "/" in program:
        candidates = [program] if program.startswith("/") else []
    else:
        candidates = [os.path.join(directory, program) for directory in path.split(":")]
    return next((one for one in candidates if os.access(one, os.X_OK)), "")


def _absolute_path(environ: Mapping[str, str]) -> str:
    """Return $PATH without relative directories: they could be in a workspace."""
    directories = environ.get("PATH", os.defpath).split(":")
    return ":".join(one for one in directories if one.startswith("/"))
