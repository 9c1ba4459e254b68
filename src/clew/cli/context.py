"""What a command works with: where it is asked to work, and how to answer.

Data goes to standard output, talk to standard error, and `--json` changes the shape of the data
only, so a command gives both shapes and the context picks one.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.cli.library import Library, Setup
    from clew.cli.progress import ProgressLine
    from clew.cli.terminal import Terminal
    from clew.render.json_values import Json
    from clew.render.style import Style
    from clew.workspace import Workspace


class CommandContext:
    """One run of the command line."""

    def __init__(
        self,
        terminal: Terminal,
        library: Callable[[], Library],
        now_ns: Callable[[], int] = time.time_ns,
        offset: Callable[[int], int] | None = None,
        setup: Callable[[], Setup] | None = None,
    ) -> None:
        self.terminal = terminal
        self.directory: str | None = None
        """What `-C` says."""
        self.store: str | None = None
        """What `--store` says."""
        self.verb = "COMMAND"
        """The command that runs, once it is known."""
        self.as_json = False
        self.workspace: Workspace | None = None
        """The one that the command has opened."""
        self.was_asked = False
        """Whether a person was shown a preview and said no."""
        self._monitor: ProgressLine | None = None
        self._library = library
        self._now_ns = now_ns
        self._offset = offset or local_offset
        self._setup = setup or _setup

    @property
    def setup(self) -> Setup:
        """What puts agents' settings right, imported when a command needs it."""
        return self._setup()

    @property
    def library(self) -> Library:
        """The library, imported when the first command needs it."""
        return self._library()

    @property
    def monitor(self) -> ProgressLine:
        """What draws progress, and writes every line of talk."""
        if self._monitor is None:
            from clew.cli.progress import ProgressLine  # `clew --help` is silent

            terminal = self.terminal
            self._monitor = ProgressLine(terminal.stderr, terminal.draws, time.monotonic)
        return self._monitor

    def open(self, *, create: bool = False) -> Workspace:
        """Return the workspace that the command is about."""
        workspace = self.library.open(self.directory or ".", self.store, create=create)
        workspace.monitor = self.monitor
        self.workspace = workspace
        return workspace

    def look(self) -> Style:
        from clew.render.style import Style  # `clew --help` has none

        terminal = self.terminal
        return Style(self._now_ns(), self._offset, terminal.width, terminal.colour)

    def emit(self, value: Callable[[], Json], lines: Callable[[], Iterable[str]]) -> None:
        """Write a result to standard output, in the shape that was asked for."""
        self.clear()
        if self.as_json:
            from clew.render.json import dumps  # only where it is asked for

            self.terminal.stdout.write(dumps(value()) + "\n")
            return
        for line in lines():
            self.terminal.stdout.write(line + "\n")

    def ask(self, question: str) -> bool:
        """Put a question to whoever sits at the terminal; only a plain yes is one."""
        self.clear()
        self.terminal.stderr.write(f"{question} [y/N] ")
        self.terminal.stderr.flush()
        self.was_asked = True
        return self.terminal.stdin.readline().strip().lower() in ("y", "yes")

    def say(self, line: str) -> None:
        """Write a line of talk to standard error."""
        self.monitor.say(line)

    def say_redacted(self, **given: str | None) -> None:
        """Say which of the texts that were typed are kept without something."""
        from clew.policy.labels import made_label, said_redacted  # few commands take texts

        named = [name for name, text in given.items() if text and made_label(text).was_redacted]
        if named:
            self.say(said_redacted(named))

    def clear(self) -> None:
        """Take the progress line away, if there is one."""
        if self._monitor is not None:
            self._monitor.clear()


def _setup() -> Setup:
    from clew.agents import setup  # few commands need it

    return setup


def local_offset(seconds: int) -> int:
    """Return the seconds east of UTC at a moment; UTC where the system's calendar ends."""
    try:
        return time.localtime(seconds).tm_gmtoff
    except (OverflowError, ValueError, OSError):
        return 0
