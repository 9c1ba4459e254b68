"""A command in front of a person: a controlling terminal of its own, keys typed, and the screen."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from select import select
from typing import Any, Self

PATIENCE = 30


class PseudoTerminal:
    """A running command whose standard streams are one terminal."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        rows: int = 24,
        columns: int = 80,
    ) -> None:
        self._ours, self._theirs = pty.openpty()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, size)
        self.modes_before = self._modes()
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *command],  # a pager reads its keys from /dev/tty
            cwd=cwd,
            env=dict(env),
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
        )
        self.screen = ""
        """All that was written so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def wait_for(self, text: str, *, typing: str = "") -> str:
        """Read until `text` is on the screen, and return all that was written.

        `typing` is typed again and again, for a program that drops keys after a signal.
        """
        deadline = time.monotonic() + PATIENCE
        while text not in self.screen:
            assert time.monotonic() < deadline, f"{text!r} does not appear in {self.screen!r}"
            self.type(typing)
            self._read(0.2)
        return self.screen

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self, *, typing: str = "") -> tuple[int, str]:
        """Wait until the command has ended; return its exit code and all that was written."""
        deadline = time.monotonic() + PATIENCE
        while self._process.poll() is None:
            assert time.monotonic() < deadline, f"the command does not end: {self.screen!r}"
            self.type(typing)
            self._read(0.2 if typing else 0.02)
        while self._read(0):
            pass
        return self._process.returncode, self.screen

    @property
    def has_same_modes(self) -> bool:
        """Whether the terminal's modes are those of the start."""
        return self._modes() == self.modes_before

    def _modes(self) -> list[Any]:
        return termios.tcgetattr(self._theirs)

    def _read(self, seconds: float) -> bool:
        """Read what was written, or wait for a moment; return whether there was something."""
        ready, _, _ = select([self._ours], [], [], seconds)
        if ready:
            piece = os.read(self._ours, 65_536)
            self.screen += piece.decode(errors="replace")
        return bool(ready)
