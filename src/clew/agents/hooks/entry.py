"""`clew hook AGENT`: one event in, one answer out, and never in the agent's way.

Whatever goes wrong is a line in the log and an exit code of 0: another one could stop the agent's
work (2 forbids the call), and a checkpoint that was not taken is no reason for that.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

from clew.agents.hooks.events import NOTHING, Event, EventKind, HookAnswer, Payload
from clew.errors import ClewError
from clew.model import quick_json

AGENTS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
    "qwen": "qwen",
}
LARGEST_PAYLOAD = 64 << 20
PATIENCE = 50.0
"""Seconds; agents give a hook a minute."""


class TookTooLong(Exception):
    """A hook that must end now; nobody but the log hears of it."""


def run(words: Sequence[str]) -> int:
    """Answer the event on standard input; always 0."""
    agent = next((word for word in words if not word.startswith("-")), "")
    heard = _Heard(agent)
    try:
        _set_alarm()
        said = heard.answer("--machine" in words)
        if said is not None:
            import json  # most events are answered with silence

            sys.stdout.write(json.dumps(said))
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the agent goes on, whatever it is
        heard.log(error)
    return 0


class _Heard:
    """One event, as far as it is known when something goes wrong."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.event = Event(EventKind.OTHER)

    def answer(self, is_machine: bool) -> dict[str, object] | None:
        if self.agent not in AGENTS:
            raise ClewError(f"No agent is called so: {self.agent!r}")
        translator = import_module(f"clew.agents.hooks.{AGENTS[self.agent]}")
        self.event = translator.read(_payload())
        if self.event.kind == EventKind.OTHER:
            return None
        from clew.agents.hooks.act import act

        answer = act(self.agent, self.event, is_machine=is_machine)
        found: dict[str, object] | None = translator.reply(self.event, answer)
        return found

    def log(self, error: BaseException) -> None:
        """Write down what went wrong; where even that fails, the last resort is standard error."""
        from clew.agents.hooks import log  # what goes well needs none

        signal.setitimer(signal.ITIMER_REAL, 0)
        message = str(error) or type(error).__name__
        if not isinstance(error, (ClewError, OSError, TookTooLong)):
            message = f"{type(error).__name__}: {message}"
        try:
            path = log.log_path(os.environ)
            log.write(path, self.agent, self.event.name, self.event.cwd or os.getcwd(), message)
        except (OSError, ValueError):
            sys.stderr.write("clew: a hook failed, and could not be logged\n")


def _payload() -> Payload:
    content = sys.stdin.buffer.read(LARGEST_PAYLOAD + 1)
    if len(content) > LARGEST_PAYLOAD:
        raise ClewError("The event is larger than any that is meant")
    try:
        value = quick_json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ClewError(f"The event is no JSON: {len(content)} bytes") from error
    if not isinstance(value, dict):
        raise ClewError("The event is no JSON object")
    return value


def _set_alarm() -> None:
    """End in time to say so: what an agent kills says nothing."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(
            "The hook was stopped before it had ended; another command may be at work"
        )

    signal.signal(signal.SIGALRM, end)
    signal.signal(signal.SIGTERM, end)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)


__all__ = ["AGENTS", "NOTHING", "HookAnswer", "run"]
