"""A person at a terminal: types, and sees the screen as a terminal emulator draws it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from select import select
from types import TracebackType
from typing import Self

import pyte

from tests.kit.running import Clew

PATIENCE = 25.0

ENTER, ESCAPE, CONTROL_C = "\r", "\x1b", "\x03"
UP, DOWN, PAGE_UP, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~"


class Seat:
    """One command at a terminal of its own, with that terminal as its controlling one."""

    def __init__(
        self,
        clew: Clew,
        *words: str,
        columns: int = 120,
        rows: int = 40,
        command: list[str] | None = None,
        **environment: str,
    ) -> None:
        self._ours, theirs = pty.openpty()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        """All that was written, as it came."""
        self.resize(columns, rows)
        env = {**clew.environment(), "TERM": "xterm-256color", **environment}
        del env["COLUMNS"]  # the terminal has its own
        self._process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", *(command or clew.command(*words))],
            cwd=clew.workspace,
            env=env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        self._theirs = theirs
        """Kept open, so that the settings of the terminal can be read after the command."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    @property
    def lines(self) -> list[str]:
        """The lines of the screen."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def is_cooked(self) -> bool:
        """Whether the terminal echoes, and reads lines, as a shell needs it."""
        flags = termios.tcgetattr(self._theirs)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the window."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)
        self._screen.resize(rows, columns)

    def type(self, *texts: str) -> None:
        """Type."""
        for text in texts:
            os.write(self._ours, text.encode())

    def see(self, text: str) -> str:
        """Wait until `text` is on the screen, and return the screen."""
        return self.see_that(lambda: text in self.text, repr(text))

    def see_no(self, text: str) -> str:
        """Wait until `text` is not on the screen any more, and return the screen."""
        return self.see_that(lambda: text not in self.text, f"no {text!r}")

    def see_that(self, is_so: Callable[[], bool], what: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            if not self._read(deadline):
                raise AssertionError(f"never seen: {what}; the screen is:\n{self.text}")
        return self.text

    def leave(self) -> int:
        """Wait until the command has ended, and return its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end; the screen is:\n{self.text}"
            self._read(time.monotonic() + 0.05)
        while self._read(time.monotonic()):
            pass
        return self._process.returncode

    def _read(self, deadline: float) -> bool:
        """Read what was written until then; return whether there was anything."""
        ready, _, _ = select([self._ours], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        found = os.read(self._ours, 65536)
        self.written += found
        self._stream.feed(found)
        return True
