"""Standard streams and their capabilities."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO, TextIO

_PLAIN_WIDTH = 200
"""Columns without a terminal: programs and pagers have room, but limits keep lines readable."""


class Terminal:
    """Standard input, output and error, each a terminal or not."""

    def __init__(
        self, stdin: TextIO, stdout: TextIO, stderr: TextIO, environ: Mapping[str, str]
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.environ = environ

    @property
    def can_ask(self) -> bool:
        """Return whether a user can answer a question."""
        return self.stdin.isatty() and self.stderr.isatty()

    @property
    def draws(self) -> bool:
        """Return whether a line on standard error can be redrawn."""
        return self.stderr.isatty() and not self._is_dumb

    @property
    def colour(self) -> bool:
        """Return whether the environment and the terminal ask for colours."""
        if self.environ.get("NO_COLOR"):
            return False
        if self.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
            return True
        is_wanted = self.environ.get("CLICOLOR") != "0"
        return is_wanted and self.stdout.isatty() and not self._is_dumb

    @property
    def width(self) -> int:
        """Return the columns of standard output, or a default."""
        columns = self.environ.get("COLUMNS", "")
        if columns.isascii() and columns.isdigit() and int(columns[:6]):
            return int(columns[:6])
        try:
            return os.get_terminal_size(self.stdout.fileno()).columns or _PLAIN_WIDTH
        except (OSError, ValueError):
            return _PLAIN_WIDTH

    @property
    def binary_output(self) -> BinaryIO:
        return self.stdout.buffer

    @property
    def debug(self) -> bool:
        return bool(self.environ.get("CLEW_DEBUG"))

    @property
    def _is_dumb(self) -> bool:
        return self.environ.get("TERM") == "dumb"
