"""`clew hook AGENT`: read one event, write one answer, and never block the agent.

Every error is logged, and the exit code is 0: another one could stop the agent's work (2 forbids the
call), and a missing checkpoint does not justify that.
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
_TEST = "clew.test"
"""The name of a test event, see `probe_event`."""
MAX_PAYLOAD_BYTES = 64 << 20
TIMEOUT_SECONDS = 50.0
"""Agents stop a hook after a minute."""


class HookTimeout(Exception):
    """The hook must end now; only the log records it."""


def run(words: Sequence[str]) -> int:
    """Answer the event on standard input; return 0."""
    agent = next((word for word in words if not word.startswith("-")), "")
    hook_run = _HookRun(agent)
    try:
        hook_run.set_alarm()
        output = hook_run.answer("--machine" in words)
        if output is not None:
            import json  # most events get no answer

            sys.stdout.write(json.dumps(output))
            sys.stdout.flush()
        hook_run.is_done = True
    except BaseException as error:  # noqa: BLE001 - no error stops the agent
        hook_run.log(error)
    return 0


class _HookRun:
    """One event, as far as it is known when an error occurs."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.event = Event(EventKind.OTHER)
        self.is_done = False
        """Whether the answer was written, or its error logged."""

    def set_alarm(self) -> None:
        """End before the agent kills the hook, so that the timeout is logged."""
        signal.signal(signal.SIGALRM, self._time_out)
        signal.signal(signal.SIGTERM, self._time_out)
        signal.setitimer(signal.ITIMER_REAL, TIMEOUT_SECONDS)

    def answer(self, is_machine: bool) -> dict[str, object] | None:
        if self.agent not in AGENTS:
            raise ClewError(f"Unknown agent: {self.agent!r}")
        translator = import_module(f"clew.agents.hooks.{AGENTS[self.agent]}")
        payload = _read_payload()
        self.event = translator.read(payload)
        if self.event.kind == EventKind.OTHER:
            return self._answer_test(payload, is_machine) if self.event.name == _TEST else None
        from clew.agents.hooks.act import act

        answer = act(self.agent, self.event, is_machine=is_machine)
        reply: dict[str, object] | None = translator.reply(self.event, answer)
        return reply

    def _answer_test(self, payload: Payload, is_machine: bool) -> dict[str, object]:
        from clew.agents.hooks.probe_event import answer_test  # only `clew doctor` sends it

        return answer_test(payload, self.event, is_machine=is_machine)

    def log(self, error: BaseException) -> None:
        """Log an error; if that fails, write to standard error."""
        from clew.agents.hooks import log  # not needed without an error

        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        message = str(error) or type(error).__name__
        if not isinstance(error, (ClewError, OSError, HookTimeout)):
            message = f"{type(error).__name__}: {message}"
        try:
            path = log.log_path(os.environ)
            log.write(path, self.agent, self.event.name, self.event.cwd or os.getcwd(), message)
        except (OSError, ValueError):
            sys.stderr.write("clew: a hook failed, and the error could not be logged\n")

    def _time_out(self, number: int, frame: FrameType | None) -> None:
        if self.is_done:
            os._exit(0)  # what runs after the answer is only for the next hook
        raise HookTimeout("The hook did not finish in time; another clew command may be running")


def _read_payload() -> Payload:
    content = sys.stdin.buffer.read(MAX_PAYLOAD_BYTES + 1)
    if len(content) > MAX_PAYLOAD_BYTES:
        raise ClewError("The event is too large")
    try:
        value = quick_json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ClewError(f"The event is not JSON: {len(content)} bytes") from error
    if not isinstance(value, dict):
        raise ClewError("The event is not a JSON object")
    return value


__all__ = ["AGENTS", "NOTHING", "HookAnswer", "run"]
