"""Command context: the options common to all commands, the workspace, and the output.

Results go to standard output, messages to standard error. `--json` affects results only, so a
command provides both formats and the context picks one.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.cli.library import Library, Setup
    from clew.cli.pager import Pager
    from clew.cli.progress import ProgressLine
    from clew.cli.terminal import Terminal
    from clew.cli.user_settings import UserSettings
    from clew.render.json_values import Json
    from clew.render.style import Style
    from clew.workspace.protocol import WorkspaceProtocol


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
        """The value of `-C`."""
        self.named: str | None = None
        """The value of `--workspace`."""
        self.store: str | None = None
        """The value of `--store`."""
        self.verb = "COMMAND"
        """The name of the command, once it is known."""
        self.as_json = False
        self.pages = False
        """Whether the output goes through a pager, if it is shown on a terminal."""
        self.is_for_reading = False
        """Whether the command only shows things: it then heeds the user's settings in a pipe too."""
        self.reveals = False
        """Whether `--reveal` was given."""
        self.workspace: WorkspaceProtocol | None = None
        """The workspace that the command has opened."""
        self.was_asked = False
        """Whether the user was asked for confirmation."""
        self.always_asks = False
        """Whether a restore asks whatever `restore.ask` says."""
        self._monitor: ProgressLine | None = None
        self._pager: Pager | None = None
        self._user: UserSettings | None = None
        self._library = library
        self._now_ns = now_ns
        self._offset = offset or local_offset
        self._setup = setup or _setup

    def again(self) -> CommandContext:
        """Return a context for another command line on the same terminal."""
        return CommandContext(self.terminal, self._library, self._now_ns, self._offset, self._setup)

    @property
    def setup(self) -> Setup:
        """The setup of agents, imported on first use."""
        return self._setup()

    @property
    def library(self) -> Library:
        """The library, imported on first use."""
        return self._library()

    @property
    def monitor(self) -> ProgressLine:
        """The monitor that draws progress and writes messages."""
        if self._monitor is None:
            from clew.cli.progress import ProgressLine  # `clew --help` does not need it

            terminal = self.terminal
            self._monitor = ProgressLine(terminal.stderr, terminal.draws, time.monotonic)
            if self._pager is not None:
                self._monitor.hold()
        return self._monitor

    def open(self, *, create: bool = False) -> WorkspaceProtocol:
        """Open the workspace of the command."""
        if self.named is not None:
            workspace = self.library.open_named(self.named, self.store)
        else:
            workspace = self.library.open(self.directory or ".", self.store, create=create)
        workspace.monitor = self.monitor
        self.workspace = workspace
        return workspace

    @property
    def user(self) -> UserSettings:
        """The user's settings, read on first use; what is wrong in their file is reported once."""
        if self._user is None:
            from clew.cli.user_settings import read_user_settings  # a save in a pipe needs none

            self._user = read_user_settings(self.terminal.environ)
            if self._user.problems:
                self._say_ignored(self._user)
        return self._user

    def forget_user(self) -> None:
        """Read the user's settings again when they are next needed."""
        self._user = None

    def _say_ignored(self, user: UserSettings) -> None:
        from clew.render.safe import safe_line

        first, *more = user.problems
        others = f", as are {len(more)} more: see `clew config --user`" if more else ""
        self.say(f"Warning: {safe_line(user.path, 1000)}: {safe_line(first)} (ignored{others})")

    def look(self) -> Style:
        from clew.render.style import Style  # `clew --help` does not need it

        return Style(self._now_ns(), self._offset, self.terminal.width, self._has_colour())

    def _has_colour(self) -> bool:
        """Return whether text is coloured: as the user has set it, or else as the terminal asks."""
        terminal = self.terminal
        if self.as_json or not (self.is_for_reading or terminal.stdout.isatty()):
            return terminal.colour
        color = self.user["color"]
        return terminal.colour if color == "auto" else color == "always"

    def emit(self, value: Callable[[], Json], lines: Callable[[], Iterable[str]]) -> None:
        """Write a result to standard output, as JSON or as text."""
        self.clear()
        if self.reveals:
            from clew.render.safe import revealing  # rarely asked for

            with revealing():
                self._write(value, lines)
        else:
            self._write(value, lines)

    def _write(self, value: Callable[[], Json], lines: Callable[[], Iterable[str]]) -> None:
        if self.as_json:
            from clew.render.json import dumps  # only with --json

            self.terminal.stdout.write(dumps(value()) + "\n")
            return
        self.print_lines(lines())

    def print_lines(self, lines: Iterable[str]) -> None:
        """Write lines to the pager, or else to standard output, until no more are wanted."""
        for line in lines:
            if not self.put(line + "\n"):
                return

    def put(self, text: str) -> bool:
        """Write text to the pager, or else to standard output; return whether more is wanted."""
        if self.pages:
            self.pages = False  # it is started once, when the first text is there
            self._start_pager()
        if self._pager is not None:
            return self._pager.write(text)
        self.terminal.stdout.write(text)
        return True

    def _start_pager(self) -> None:
        if not self.terminal.stdout.isatty():
            return
        from clew.cli.pager import open_pager  # only on a terminal

        self._pager = open_pager(self.terminal, lambda: self.user["pager"])
        if self._pager is not None and self._monitor is not None:
            self._monitor.hold()

    def end_paging(self) -> None:
        """Wait until the user leaves the pager, if there is one, and write the messages held back."""
        if self._pager is None:
            return
        self._pager.close()
        self._pager = None
        if self._monitor is not None:
            self._monitor.release()

    @property
    def can_ask(self) -> bool:
        """Return whether a person reads the output as text and can answer."""
        return not self.as_json and self.terminal.can_ask

    def ask(self, question: str) -> bool:
        """Ask for confirmation on the terminal; anything but y or yes declines."""
        return self.answer_to(f"{question} [y/N] ").strip().lower() in ("y", "yes")

    def answer_to(self, question: str) -> str:
        """Return the line that is typed as an answer; empty at the end of input."""
        self.end_paging()
        self.clear()
        self.terminal.stderr.write(question)
        self.terminal.stderr.flush()
        self.was_asked = True
        return self.terminal.stdin.readline()

    def say(self, line: str) -> None:
        """Write a message to standard error."""
        self.monitor.say(line)

    def say_redacted(self, **given: str | None) -> None:
        """Report which of the given texts were redacted."""
        from clew.policy.labels import made_label, said_redacted  # few commands take texts

        named = [name for name, text in given.items() if text and made_label(text).was_redacted]
        if named:
            self.say(said_redacted(named))

    def clear(self) -> None:
        """Clear the progress line, if there is one."""
        if self._monitor is not None:
            self._monitor.clear()


def _setup() -> Setup:
    from clew.agents import setup  # few commands need it

    return setup


def local_offset(seconds: int) -> int:
    """Return the UTC offset in seconds at a time; 0 beyond the system's calendar."""
    try:
        return time.localtime(seconds).tm_gmtoff
    except (OverflowError, ValueError, OSError):
        return 0
