"""A workspace whose only file holds a number, and a check that fails from some number on."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.bisect_search import BisectResult
from clew.model.checkpoint import Checkpoint
from clew.model.record import Origin
from clew.model.verdict import RunEnd, Verdict
from clew.monitor import RecordingMonitor
from clew.operations.sandbox.bisect import BisectOptions, bisect, known_to_pass, with_story
from clew.operations.sandbox.bisect_range import Range, range_to
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost

OPTIONS = BisectOptions("check", 60.0)


class Bench:
    """A workspace whose only file holds a number, and a check that fails from some number on."""

    def __init__(self, ws: Workspace, project: Path) -> None:
        self.ws = ws
        self.file = project / "number"
        self.asked: list[int] = []
        self.answers: dict[int, list[tuple[int | None, str]]] = {}
        self.first_bad = 1 << 30
        self.monitor = RecordingMonitor()

    def save(self, number: int) -> Checkpoint:
        self.file.write_text(str(number))
        return self.ws.save(f"number {number}", origin=Origin.HOOK).checkpoint  # no story

    def line(self, *numbers: int) -> list[Checkpoint]:
        return [self.save(number) for number in numbers]

    def judge(self, checkpoint: Checkpoint) -> Verdict:
        """Say what the check would, and keep it."""
        number = self.number(checkpoint)
        self.asked.append(number)
        answers = self.answers.get(number) or [(int(number >= self.first_bad), RunEnd.EXITED)]
        code, how = answers.pop(0) if len(answers) > 1 else answers[0]
        verdict = Verdict(
            OPTIONS.command, code, 61 * 10**9 if how == RunEnd.TIMEOUT else 10**6, "", 0,
            "private copy", checkpoint.record.state, how,
        )  # fmt: skip
        self.ws._access.store.verdicts.add(checkpoint.id, verdict)
        return verdict

    def find(self, options: BisectOptions = OPTIONS, line: Range | None = None) -> BisectResult:
        context = self.ws._access.context
        here = self.ws.resolve("@")
        line = line or range_to(context, here, known_to_pass(context, options))
        return with_story(context, bisect(context, line, options, self.judge, self.monitor))

    def number(self, checkpoint: Checkpoint | None) -> int:
        assert checkpoint is not None
        if checkpoint.labels.intent.startswith("forked from"):
            return int(checkpoint.labels.intent.split()[-1].rstrip(")"))
        return int(checkpoint.labels.intent.removeprefix("number "))


def sequences(found: BisectResult) -> tuple[int, int]:
    """Return which checkpoints are the last good and the first bad one, counted from 1."""
    assert found.last_good is not None
    assert found.first_bad is not None
    return found.last_good.record.sequence, found.first_bad.record.sequence


@pytest.fixture
def bench(ws: Workspace, project: Path, quiet: FakeHost) -> Bench:
    return Bench(ws, project)
