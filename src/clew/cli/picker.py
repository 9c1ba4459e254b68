"""The picker: `clew restore` without a checkpoint, at a terminal.

It shows the timeline, and runs the command that a key stands for, as it would be typed, with its
questions, its progress and its output; the screen is left for that, and shown again afterwards.
"""

from __future__ import annotations

import os
import shlex
import termios
import tty
from typing import TYPE_CHECKING

from clew.cli.exits import ExitCode
from clew.cli.picker_state import PickerState
from clew.errors import ClewError, MissingDependency
from clew.model.ids import short
from clew.monitor import Monitor
from clew.policy.redaction.redact import redact_words
from clew.render import picker
from clew.render.restore import preview
from clew.render.safe import safe
from clew.render.style import paint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clew.cli.context import CommandContext
    from clew.cli.picker_view import Wish
    from clew.model.checkpoint import Checkpoint
    from clew.render.style import Style
    from clew.workspace.protocol import WorkspaceProtocol


def can_pick(context: CommandContext) -> bool:
    """Return whether there is a terminal to pick at."""
    terminal = context.terminal
    return context.can_ask and terminal.stdout.isatty() and terminal.draws


def pick(context: CommandContext, dispatch: Callable[[Sequence[str], CommandContext], int]) -> int:
    """Show the timeline until it is left; return the exit code."""
    try:
        from clew.cli.picker_view import View  # drawn only here
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("prompt_toolkit", "wcwidth"):
            raise
        raise MissingDependency("prompt_toolkit", package="prompt_toolkit") from error
    runner = _Runner(context, dispatch)
    state, previews = PickerState(()), dict[bytes, list[str]]()
    while True:
        with context.open() as workspace:
            log = workspace.log()
            context.clear()
            if not log.checkpoints:
                context.say("No checkpoints yet: run `clew save`")
                return ExitCode.FAILED
            look = context.look()
            state.load(picker.rows(log, look).checkpoints)
            describe = _describer(workspace)
            wish = View(state, log, workspace.info, look, describe, previews).run()
            if wish.key == "preview":
                _preview(wish, state, previews, workspace, context)
                continue
        if wish.key == "quit":
            return ExitCode.DONE
        if wish.key == "interrupt":
            return ExitCode.INTERRUPTED
        if runner.run(wish):
            previews.clear()
            if not _is_back(context):
                return ExitCode.DONE


def _describer(workspace: WorkspaceProtocol) -> Callable[[Checkpoint, Style], list[str]]:
    def describe(checkpoint: Checkpoint, look: Style) -> list[str]:
        """Return the story of a checkpoint, or why there is none."""
        try:
            details = workspace.show(checkpoint.id.hex(), monitor=Monitor())
        except (ClewError, OSError) as error:
            return [safe(redact_words(str(error)))]
        return list(picker.story_of(details, look))

    return describe


def _preview(
    wish: Wish,
    state: PickerState,
    previews: dict[bytes, list[str]],
    workspace: WorkspaceProtocol,
    context: CommandContext,
) -> None:
    """Compare a checkpoint with the workspace, with progress; the result is shown in the pane."""
    if wish.checkpoint is None:
        return
    if state.pane != "preview" or wish.checkpoint.id not in previews:
        try:
            plan = workspace.preview(wish.checkpoint.id.hex(), monitor=context.monitor)
            found = list(preview(plan, context.look()))
        except (ClewError, OSError) as error:
            found = [safe(redact_words(str(error)))]
        except KeyboardInterrupt:
            found = ["Interrupted"]
        context.clear()
        previews[wish.checkpoint.id] = found
    state.show("preview")


class _Runner:
    """Runs commands on the ordinary screen."""

    def __init__(
        self, context: CommandContext, dispatch: Callable[[Sequence[str], CommandContext], int]
    ) -> None:
        self._context = context
        self._dispatch = dispatch

    def run(self, wish: Wish) -> bool:
        """Run the command of a key; return False if it was called off, and nothing is to be read."""
        words = self._words(wish)
        if words is None:
            return False
        context = self._context
        own = context.again()
        own.always_asks = True
        common = [*_option("-C", context.directory), *_option("--store", context.store)]
        shown = [short(wish.checkpoint.id) if wish.checkpoint else "", *words[2:]]
        line = shlex.join(["clew", words[0], *(word for word in shown if word)])
        context.say(paint(f"$ {safe(redact_words(line))}", "dim", context.look()))
        self._dispatch([*common, *words], own)
        return True

    def _words(self, wish: Wish) -> list[str] | None:
        """Return the command line of a key, or None if it is called off."""
        if wish.key == "undo":
            return ["undo"]
        if wish.checkpoint is None:
            return None
        ref = wish.checkpoint.id.hex()
        try:
            if wish.key == "fork":
                where = self._asked("New or empty directory for the fork (Enter: none)")
                return ["fork", ref, os.path.expanduser(where)] if where else None
            if wish.key == "verify":
                check = self._own_check()
                default = f"Enter: {safe(redact_words(check))}" if check else "Enter: none"
                command = self._asked(f"Command that checks it ({default})")
                if not (command or check):
                    return None
                return ["verify", ref, *(["--", command] if command else [])]
        except KeyboardInterrupt:
            return None
        return [wish.key, ref]

    def _asked(self, what: str) -> str:
        return self._context.answer_to(f"{what}: ").strip()

    def _own_check(self) -> str:
        with self._context.open() as workspace:
            return workspace.settings.all().get("verify", "")


def _option(flag: str, value: str | None) -> list[str]:
    return [flag, value] if value is not None else []


def _is_back(context: CommandContext) -> bool:
    """Wait for a key; return whether the list is to be shown again."""
    stream, keyboard = context.terminal.stderr, context.terminal.stdin.fileno()
    stream.write("\nAny key shows the list again, q leaves ")
    stream.flush()
    before = termios.tcgetattr(keyboard)
    tty.setcbreak(keyboard, termios.TCSAFLUSH)
    try:
        key = os.read(keyboard, 1)
    finally:
        termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)
        stream.write("\n")
        stream.flush()
    return key not in (b"q", b"")
