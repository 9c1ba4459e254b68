"""A machine on which nothing runs and nobody listens, so that stories are of files alone."""

from __future__ import annotations

import pytest

from clew.model.signals import Listening, Signals
from clew.operations.history import story, story_worker
from clew.operations.save import commit as save
from clew.story.worker import WorkerLimits


class Machine:
    """What is observed, as a test wants it."""

    def __init__(self) -> None:
        self.signals = Signals(boot="a boot")

    def listen(self, port: int, command: str) -> None:
        self.signals = Signals(
            (Listening("tcp", "127.0.0.1", port, command, "/"),), (), self.signals.boot
        )

    def observe(self, root: bytes, *, budget: float = 0) -> Signals:
        return self.signals


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(save, "observe", machine.observe)
    monkeypatch.setattr(story, "observe", machine.observe)
    # Other tests run at the same time.
    monkeypatch.setattr(story_worker, "WorkerLimits", lambda: WorkerLimits(30.0))
    return machine
