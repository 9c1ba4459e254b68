"""Claude Code, driven by a model that follows a script; every step of it takes time."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Sequence
from threading import Thread
from typing import Any, NamedTuple

from tests.real_agents.conftest import claude_settings
from tests.real_agents.stub_model import Step, StubModel
from tests.recorded.recording import machine
from tests.recorded.recording.journal import Journal

_TOOLS = "Bash,Write,Edit,Read"


class Call(NamedTuple):
    """One tool call; the name is that of its entry in the journal."""

    name: str
    tool: str
    arguments: dict[str, str]


def bash(name: str, command: str) -> Call:
    return Call(name, "Bash", {"command": command})


def write(name: str, path: str, content: str) -> Call:
    return Call(name, "Write", {"file_path": str(machine.SHOP / path), "content": content})


def read(name: str, path: str) -> Call:
    return Call(name, "Read", {"file_path": str(machine.SHOP / path)})


def edit(name: str, path: str, old: str, new: str) -> Call:
    where = str(machine.SHOP / path)
    return Call(name, "Edit", {"file_path": where, "old_string": old, "new_string": new})


class Agent:
    """One session of Claude Code; a second prompt resumes it."""

    def __init__(self, journal: Journal, session: str) -> None:
        self._journal = journal
        self._session = session
        self._calls: list[Step] = []

    def prompt(self, text: str, *calls: Call, answer: str = "Done.") -> None:
        """Ask for something: the script of the model is these calls and an answer."""
        script: list[Step] = [{"tool": call.tool, "args": call.arguments} for call in calls]
        words = ["--resume" if self._calls else "--session-id", self._session]
        model = _Model(self._journal, text, self._calls, script, calls, answer)
        thread = Thread(target=model.serve_forever, daemon=True)
        thread.start()
        try:
            done = subprocess.run(
                ["claude", "-p", text, *words, "--output-format", "json", "--allowedTools", _TOOLS],
                cwd=machine.SHOP,
                env=machine.environment(**claude_settings(model.address)),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
            )  # fmt: skip
        finally:
            model.shutdown()
            thread.join(10)
            model.server_close()
        if done.returncode or json.loads(done.stdout)["is_error"]:
            raise RuntimeError(done.stdout + done.stderr)
        model.finish()
        self._calls += script


class _Model(StubModel):
    def __init__(
        self,
        journal: Journal,
        prompt: str,
        before: list[Step],
        script: list[Step],
        calls: Sequence[Call],
        answer: str,
    ) -> None:
        super().__init__([*before, *script, {"text": answer}])
        self._journal = journal
        self._prompt = prompt
        self._first = len(before)
        self._calls = calls
        self._begun: dict[str, Any] | None = None
        self._steps = 0
        self.asked += [[]] * 10 * len(before)  # ids of calls are numbered, and may not come again
        self._chance = random.Random(answer + str(self._first))

    def next_step(self, asked: list[dict[str, Any]], results: int) -> Step:
        step = super().next_step(asked, results)
        if self._begun is not None:
            self._end(_failed(asked))
        self._journal.clock.on(self._chance.uniform(4, 48))
        number = results - self._first
        if number < len(self._calls):
            call = self._calls[number]
            what = call.arguments.get("command") or f"{call.tool} {call.arguments['file_path']}"
            self._begun = self._journal.begin(call.name, "claude", what)
            self._begun["prompt"] = self._prompt
            self._steps += 1
        return step

    def finish(self) -> None:
        if self._steps != len(self._calls):
            raise RuntimeError(f"{self._steps} of {len(self._calls)} calls were made")

    def _end(self, failed: bool) -> None:
        assert self._begun is not None
        self._begun["failed"] = failed
        self._journal.end(self._begun)
        self._begun = None


def _failed(asked: list[dict[str, Any]]) -> bool:
    blocks = [
        block
        for message in asked
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    return bool(blocks[-1].get("is_error"))
