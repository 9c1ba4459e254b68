"""CheckpointService: PraisonAI's checkpoints, with clew underneath.

What takes time is done in a thread, so the event loop goes on.  Failures are results and events,
never exceptions.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from clew.compat.praisonai.config import (
    MAX_CHECKPOINTS,
    MAX_FILE_SIZE,
    USER_EMAIL,
    USER_NAME,
    CheckpointConfig,
)
from clew.compat.praisonai.history import History, Returned, SavedCheckpoint, SaveRequest
from clew.compat.praisonai.types import (
    Checkpoint,
    CheckpointDiff,
    CheckpointEvent,
    CheckpointResult,
    with_step,
)
from clew.errors import ClewError

T = TypeVar("T")
Handler = Callable[[object], object]
Checkpoints = list[Checkpoint]

_LOG = logging.getLogger(__name__)
_NOT_READY = "Service not initialized"
_NO_CHANGES = "No changes to checkpoint"
_SWITCHED_OFF = "Automatic checkpoints are switched off"


class CheckpointService:
    """Checkpoints of one workspace.

    `max_file_size`, `user_name` and `user_email` are accepted and kept in `config`: files of any
    size are captured, and no commit needs an author.
    """

    def __init__(
        self,
        workspace_dir: str,
        storage_dir: str | None = None,
        enabled: bool = True,
        auto_checkpoint: bool = True,
        max_checkpoints: int = MAX_CHECKPOINTS,
        user_name: str = USER_NAME,
        user_email: str = USER_EMAIL,
        max_file_size: int = MAX_FILE_SIZE,
        exclude_patterns: Sequence[str] | None = None,
    ) -> None:
        self.config = CheckpointConfig(
            os.fspath(workspace_dir),
            os.fspath(storage_dir) if storage_dir is not None else None,
            enabled,
            auto_checkpoint,
            max_checkpoints,
            user_name,
            user_email,
            max_file_size,
        )
        if exclude_patterns is not None:
            self.config.exclude_patterns = list(exclude_patterns)
        self._history = History(self.config)
        self._handlers: dict[CheckpointEvent, list[Handler]] = {one: [] for one in CheckpointEvent}
        self._initialized = False
        self._known = 0

    @property
    def workspace_dir(self) -> str:
        """The directory that is captured."""
        return self.config.workspace_dir

    @property
    def checkpoint_dir(self) -> str:
        """The directory in the store that stands for this workspace, there once initialised."""
        return self.config.get_checkpoint_dir()

    @property
    def git_dir(self) -> str:
        """Where the other library keeps a shadow repository; there once initialised, and empty."""
        return os.path.join(self.checkpoint_dir, ".git")

    @property
    def is_initialized(self) -> bool:
        """Whether it can be used."""
        return self._initialized

    @property
    def history(self) -> History:
        """The same without the event loop, for callers that have none."""
        return self._history

    def on(self, event: CheckpointEvent, handler: Handler) -> None:
        """Have a handler called after each event; what it raises is logged and goes no further."""
        self._handlers[CheckpointEvent(event)].append(handler)

    async def initialize(self) -> bool:
        """Make the store and the first checkpoint; False where that is refused or fails."""
        return self._may_begin() and self._begun(await self._in_thread(self._history.begin))

    def begin(self) -> bool:
        """Do the same without an event loop."""
        return self._may_begin() and self._begun(_attempted(self._history.begin))

    async def save(
        self,
        message: str,
        allow_empty: bool = False,
        step: int | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> CheckpointResult:
        """Capture the workspace; that nothing changed is a failure unless `allow_empty`."""
        if not self._initialized:
            return CheckpointResult.fail(_NOT_READY)
        if step is not None and step < 0:
            return CheckpointResult.fail("step must be a non-negative integer")
        wanted = SaveRequest(with_step(message, step), allow_empty, self._known, metadata)
        return self._saved(await self._in_thread(self._history.keep, wanted))

    async def before_change(self, what: str) -> CheckpointResult:
        """Capture the workspace before something changes it, if `auto_checkpoint` says so."""
        if not self.config.auto_checkpoint:
            return CheckpointResult.fail(_SWITCHED_OFF)
        if not self._initialized and not await self.initialize():
            return CheckpointResult.fail(_NOT_READY)
        return self._saved(await self._in_thread(self._history.keep, self._automatic(what)))

    def checkpoint_before(self, what: str) -> CheckpointResult:
        """Do the same without an event loop; for tools, which block anyway."""
        if not self.config.auto_checkpoint:
            return CheckpointResult.fail(_SWITCHED_OFF)
        if not self._initialized and not self.begin():
            return CheckpointResult.fail(_NOT_READY)
        return self._saved(_attempted(self._history.keep, self._automatic(what)))

    async def restore(
        self, checkpoint_id: str | None = None, step: int | None = None
    ) -> CheckpointResult:
        """Make the workspace what a checkpoint holds; what it was is kept first: see `list_rescues`."""
        if not self._initialized:
            return CheckpointResult.fail(_NOT_READY)
        if checkpoint_id is not None and step is not None:
            return CheckpointResult.fail("Provide either checkpoint_id or step, not both")
        if step is not None:
            found = await self.get_checkpoint_by_step(step)
            if found is None:
                return CheckpointResult.fail(f"No checkpoint found for step {step}")
            checkpoint_id = found.id
        if checkpoint_id is None:
            return CheckpointResult.fail("No checkpoint id or step provided")
        return self._restored(await self._in_thread(self._history.go_back, checkpoint_id))

    async def rewind(self, steps: int = 1) -> CheckpointResult:
        """Go back so many checkpoints from where the workspace is."""
        if not self._initialized:
            return CheckpointResult.fail(_NOT_READY)
        if steps < 1:
            return CheckpointResult.fail("steps must be >= 1")
        line = await self._in_thread(self._history.line)
        if isinstance(line, Exception):
            return CheckpointResult.fail(self._failed(line))
        if steps >= len(line):
            return CheckpointResult.fail(
                f"Cannot rewind {steps} step(s): only {len(line)} checkpoint(s) available"
            )
        return await self.restore(line[steps])

    async def diff(self, from_id: str | None = None, to_id: str | None = None) -> CheckpointDiff:
        """Return how two checkpoints differ.

        `from_id` is by default the checkpoint before the one the workspace is at, `to_id` the
        workspace as it is now.  Where it cannot be made the diff is empty and says why in `error`.
        """
        if not self._initialized:
            return CheckpointDiff("", "", error=_NOT_READY)
        found = await self._in_thread(self._history.compare, from_id, to_id)
        if isinstance(found, Exception):
            return CheckpointDiff("", "", error=self._failed(found))
        return found

    async def list_checkpoints(self, limit: int = 50) -> Checkpoints:
        """Return the newest checkpoints, newest first; nothing ever hides one.

        What a restore kept before it overwrote it is not among them, but in `list_rescues`:
        whoever takes the first one for the last good state must not get what was just undone.
        """
        return await self._listed(self._history.newest, max(limit, 0))

    async def list_rescues(self) -> Checkpoints:
        """Return what restores kept before they overwrote it, newest first."""
        return await self._listed(self._history.rescues)

    async def list(self) -> Checkpoints:
        """Return every checkpoint, newest first; those of `list_rescues` stand before the oldest."""
        return await self._listed(self._history.all)

    async def get_checkpoint(self, checkpoint_id: str) -> Checkpoint | None:
        """Return the checkpoint whose id begins so; None unless there is exactly one."""
        if not self._initialized:
            return None
        found = await self._in_thread(self._history.find, checkpoint_id)
        if isinstance(found, Exception):
            self._failed(found)
            return None
        return found

    async def get(self, checkpoint_id: str) -> Checkpoint | None:
        """Return the checkpoint whose id begins so; None unless there is exactly one."""
        return await self.get_checkpoint(checkpoint_id)

    async def get_checkpoint_by_step(self, step: int) -> Checkpoint | None:
        """Return the newest checkpoint of a step."""
        if not self._initialized:
            return None
        found = await self._in_thread(self._history.find_step, step)
        if isinstance(found, Exception):
            self._failed(found)
            return None
        return found

    async def delete(self, checkpoint_id: str) -> bool:
        """Delete one checkpoint and free its space; tell whether that was done."""
        if not self._initialized:
            return False
        failure = await self._in_thread(self._history.delete, checkpoint_id)
        if failure is not None:
            self._failed(failure)
        return failure is None

    async def cleanup(self) -> None:
        """Stop using it; everything kept stays."""
        self._initialized = False

    async def delete_all(self) -> bool:
        """Delete every checkpoint of this workspace; it must then be initialised again."""
        if not os.path.isdir(self.checkpoint_dir):
            self._initialized = False
            return True
        failure = await self._in_thread(self._history.delete_all)
        if failure is not None:
            self._failed(failure)
            return False
        self._initialized = False
        return True

    # What the methods share

    def _may_begin(self) -> bool:
        if not self.config.enabled:
            return False
        if self.config.is_protected:
            found = os.path.realpath(self.workspace_dir)
            _LOG.warning("Cannot checkpoint protected path: %s", found)
            return False
        if not os.path.isdir(self.workspace_dir):
            _LOG.error("Workspace does not exist: %s", self.workspace_dir)
            return False
        return True

    def _begun(self, newest: int | Exception) -> bool:
        if isinstance(newest, Exception):
            self._failed(newest)
            return False
        self._known = newest
        self._initialized = True
        self._emit(CheckpointEvent.INITIALIZED, {"workspace": self.workspace_dir})
        return True

    def _automatic(self, what: str) -> SaveRequest:
        return SaveRequest(f"Before {what}", known=self._known, metadata={"role": "automatic"})

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T | Exception:
        return await asyncio.to_thread(_attempted, work, *arguments)

    async def _listed(self, work: Callable[..., Checkpoints], *arguments: object) -> Checkpoints:
        if not self._initialized:
            return []
        found = await self._in_thread(work, *arguments)
        if isinstance(found, Exception):
            self._failed(found)
            return []
        return found

    def _saved(self, kept: SavedCheckpoint | Exception) -> CheckpointResult:
        if isinstance(kept, Exception):
            return CheckpointResult.fail(self._failed(kept))
        self._known = max(self._known, kept.known)
        if kept.checkpoint is None:
            return CheckpointResult.fail(_NO_CHANGES)
        if kept.removed:
            removed = {"action": "pruned", "removed_count": kept.removed}
            self._emit(CheckpointEvent.CHECKPOINTS_PRUNED, removed)
        self._emit(CheckpointEvent.CHECKPOINT_CREATED, kept.checkpoint)
        return CheckpointResult.ok(kept.checkpoint)

    def _restored(self, returned: Returned | Exception) -> CheckpointResult:
        if isinstance(returned, Exception):
            return CheckpointResult.fail(self._failed(returned))
        self._known = max(self._known, returned.known)
        if returned.rescue is not None:
            _LOG.info("Kept unsaved work as checkpoint %s", returned.rescue.short_id)
            self._emit(CheckpointEvent.CHECKPOINT_CREATED, returned.rescue)
        if returned.incomplete:
            self._emit(CheckpointEvent.ERROR, {"error": returned.incomplete})
            return CheckpointResult(False, returned.checkpoint, returned.incomplete)
        self._emit(CheckpointEvent.CHECKPOINT_RESTORED, returned.checkpoint)
        return CheckpointResult.ok(returned.checkpoint)

    def _failed(self, error: Exception) -> str:
        _LOG.error("%s", error)
        self._emit(CheckpointEvent.ERROR, {"error": str(error)})
        return str(error)

    def _emit(self, event: CheckpointEvent, data: object) -> None:
        for handler in list[Handler](self._handlers[event]):
            try:
                handler(data)
            except Exception as error:  # noqa: BLE001 - the work is done, whatever they make of it
                _LOG.warning("Event handler error: %s", error)


def _attempted(work: Callable[..., T], *arguments: object) -> T | Exception:
    """Return what some work gives, or what it was refused with."""
    try:
        return work(*arguments)
    except (ClewError, OSError, ValueError) as error:
        return error
