"""A workspace, a storage directory and a service."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from clew.compat.praisonai import Checkpoint, CheckpointEvent, CheckpointService

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine of the service; each call may use its own event loop."""
    return asyncio.run(work)


class Place:
    """A temporary workspace and services for it."""

    def __init__(self, root: Path) -> None:
        self.workspace = root / "project"
        self.storage = root / "storage"
        self.workspace.mkdir()

    def service(self, **options: Any) -> CheckpointService:
        """Return another service, as another process would create it."""
        made = CheckpointService(str(self.workspace), str(self.storage), **options)
        assert run(made.initialize())
        return made

    def write(self, name: str, text: str) -> Path:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name: str) -> str:
        return (self.workspace / name).read_text()


def saved(service: CheckpointService, message: str, **options: Any) -> Checkpoint:
    """Save and return the checkpoint; fail the test if that fails."""
    result = run(service.save(message, **options))
    assert result.success, result.error
    assert result.checkpoint is not None
    return result.checkpoint


def restored(service: CheckpointService, checkpoint: Checkpoint) -> None:
    """Restore; fail the test if that fails."""
    result = run(service.restore(checkpoint.id))
    assert result.success, result.error


def heard(service: CheckpointService) -> list[tuple[str, object]]:
    """Return a list to which every event of a service is appended."""
    events: list[tuple[str, object]] = []
    for event in CheckpointEvent:
        service.on(event, partial(_noted, events, event.value))
    return events


def _noted(events: list[tuple[str, object]], name: str, data: object) -> None:
    events.append((name, data))
