"""CheckpointService: PraisonAI's checkpoint service on top of clew.

Blocking work runs in a thread, off the event loop.  Failures are results and events, never
exceptions.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from clew.compat.praisonai.config import (
    MAX_CHECKPOINTS,
    MAX_FILE_SIZE,
    USER_EMAIL,
    USER_NAME,
    CheckpointConfig,
)
from clew.compat.praisonai.history import History, RestoredCheckpoint, SavedCheckpoint, SaveRequest
from clew.compat.praisonai.types import (
    Checkpoint,
    CheckpointDiff,
    CheckpointEvent,
    CheckpointResult,
    Reference,
    with_step,
)

T = TypeVar("T")
Handler = Callable[[object], object]
Checkpoints = list[Checkpoint]

_LOG = logging.getLogger(__name__)
_NOT_READY = "Service not initialized"
_NO_CHANGES = "No changes to checkpoint"
_AUTOMATIC_DISABLED = "Automatic checkpoints are disabled"


class CheckpointService:
    """Checkpoints of one workspace.

    Arguments that are not the defaults have precedence over `config`, which is copied.
    `user_name` and `user_email` are accepted and stored in `config`: no commit needs an author.
    """

    def __init__(
        self,
        workspace_dir: str | None = None,
        storage_dir: str | None = None,
        enabled: bool = True,
        auto_checkpoint: bool = True,
        max_checkpoints: int = MAX_CHECKPOINTS,
        user_name: str = USER_NAME,
        user_email: str = USER_EMAIL,
        max_file_size: int = MAX_FILE_SIZE,
        exclude_patterns: Sequence[str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if workspace_dir is None and not (config and config.workspace_dir):
            raise TypeError("CheckpointService requires workspace_dir, as an argument or in config")
        excluded = None if exclude_patterns is None else list(exclude_patterns)
        given = (
            ("workspace_dir", workspace_dir, None),
            ("storage_dir", storage_dir, None),
            ("enabled", enabled, True),
            ("auto_checkpoint", auto_checkpoint, True),
            ("max_checkpoints", max_checkpoints, MAX_CHECKPOINTS),
            ("user_name", user_name, USER_NAME),
            ("user_email", user_email, USER_EMAIL),
            ("max_file_size", max_file_size, MAX_FILE_SIZE),
            ("exclude_patterns", excluded, None),
        )
        changes: dict[str, Any] = {name: one for name, one, default in given if one != default}
        self.config = replace(
            config or CheckpointConfig(user_name=USER_NAME, user_email=USER_EMAIL), **changes
        )
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
        """The directory in the store that represents this workspace; it exists after initialisation."""
        return self.config.get_checkpoint_dir()

    @property
    def git_dir(self) -> str:
        """The path of PraisonAI's shadow repository; an empty directory after initialisation."""
        return os.path.join(self.checkpoint_dir, ".git")

    @property
    def is_initialized(self) -> bool:
        """Whether `initialize` has succeeded."""
        return self._initialized

    @property
    def history(self) -> History:
        """The synchronous operations, for callers without an event loop."""
        return self._history

    def on(self, event: CheckpointEvent, handler: Handler) -> None:
        """Call a handler after each event; its exceptions are logged."""
        self._handlers[CheckpointEvent(event)].append(handler)

    async def initialize(self) -> bool:
        """Create the store and the first checkpoint; return whether that succeeded."""
        return self._can_initialize() and self._initialized_result(
            await self._in_thread(self._history.begin)
        )

    def begin(self) -> bool:
        """Do the same as `initialize`, synchronously."""
        return self._can_initialize() and self._initialized_result(_try(self._history.begin))

    async def save(
        self,
        message: str,
        allow_empty: bool = False,
        step: int | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> CheckpointResult:
        """Save the workspace; without changes it fails unless `allow_empty`."""
        if not self._initialized:
            return CheckpointResult.fail(_NOT_READY)
        if step is not None and not _is_at_least(step, 0):
            return CheckpointResult.fail("step must be a non-negative integer")
        wanted = SaveRequest(with_step(str(message), step), allow_empty, self._known, metadata)
        return self._save_result(await self._in_thread(self._history.save, wanted))

    async def before_change(self, what: str) -> CheckpointResult:
        """Save the workspace before a change, if `auto_checkpoint` is set."""
        if not self.config.auto_checkpoint:
            return CheckpointResult.fail(_AUTOMATIC_DISABLED)
        if not self._initialized and not await self.initialize():
            return CheckpointResult.fail(_NOT_READY)
        return self._save_result(await self._in_thread(self._history.save, self._automatic(what)))

    def checkpoint_before(self, what: str) -> CheckpointResult:
        """Do the same synchronously, for tools, which block anyway."""
        if not self.config.auto_checkpoint:
            return CheckpointResult.fail(_AUTOMATIC_DISABLED)
        if not self._initialized and not self.begin():
            return CheckpointResult.fail(_NOT_READY)
        return self._save_result(_try(self._history.save, self._automatic(what)))

    async def restore(
        self, checkpoint_id: Reference | None = None, step: int | None = None
    ) -> CheckpointResult:
        """Restore a checkpoint; the current state is saved first, see `list_rescues`.

        `checkpoint_id` may also be a checkpoint, or what `save` returned, as in the documentation.
        """
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
        return self._restore_result(await self._in_thread(self._history.restore, checkpoint_id))

    async def rewind(self, steps: int = 1) -> CheckpointResult:
        """Restore the checkpoint a number of steps before the current one."""
        if not self._initialized:
            return CheckpointResult.fail(_NOT_READY)
        if not _is_at_least(steps, 1):
            return CheckpointResult.fail("steps must be >= 1")
        line = await self._in_thread(self._history.ancestry)
        if isinstance(line, Exception):
            return CheckpointResult.fail(self._failed(line))
        if steps >= len(line):
            return CheckpointResult.fail(
                f"Cannot rewind {steps} step(s): only {len(line)} checkpoint(s) available"
            )
        return await self.restore(line[steps])

    async def diff(
        self, from_id: Reference | None = None, to_id: Reference | None = None
    ) -> CheckpointDiff:
        """Return the diff of two checkpoints.

        `from_id` defaults to the checkpoint before the current one, `to_id` to the live workspace.
        On failure the diff is empty, with the reason in `error`.
        """
        if not self._initialized:
            return CheckpointDiff("", "", error=_NOT_READY)
        found = await self._in_thread(self._history.compare, from_id, to_id)
        if isinstance(found, Exception):
            return CheckpointDiff("", "", error=self._failed(found))
        return found

    async def list_checkpoints(self, limit: int = 50) -> Checkpoints:
        """Return the newest checkpoints, newest first; a restore hides none.

        Rescues are in `list_rescues` instead: a program that uses the first element as the last good
        state must not get the state that was just undone.
        """
        return await self._listed(self._history.newest, limit)

    async def list_rescues(self) -> Checkpoints:
        """Return the rescue checkpoints of restores, newest first."""
        return await self._listed(self._history.rescues)

    async def list(self) -> Checkpoints:
        """Return all checkpoints, newest first, with those of `list_rescues` before the oldest."""
        return await self._listed(self._history.all)

    async def get_checkpoint(self, checkpoint_id: Reference) -> Checkpoint | None:
        """Return the checkpoint with that id prefix; None unless it is unique."""
        if not self._initialized:
            return None
        found = await self._in_thread(self._history.find, checkpoint_id)
        if isinstance(found, Exception):
            self._failed(found)
            return None
        return found

    async def get(self, checkpoint_id: Reference) -> Checkpoint | None:
        """Return the checkpoint with that id prefix; None unless it is unique."""
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

    async def delete(self, checkpoint_id: Reference) -> bool:
        """Delete one checkpoint and free its space; return whether that succeeded."""
        if not self._initialized:
            return False
        deleted = await self._in_thread(self._history.delete, checkpoint_id)
        if isinstance(deleted, Exception):
            self._failed(deleted)
            return False
        self._emit(CheckpointEvent.CHECKPOINT_DELETED, deleted)
        return True

    async def cleanup(self) -> None:
        """Stop the service; all checkpoints remain."""
        self._initialized = False

    async def delete_all(self) -> bool:
        """Delete all checkpoints of this workspace; `initialize` is then required again."""
        if not os.path.isdir(self.checkpoint_dir):
            self._initialized = False
            return True
        # Each is described by a diff, so only on request.
        has_listener = bool(self._handlers[CheckpointEvent.CHECKPOINT_DELETED])
        listed = await self.list() if has_listener else []
        failure = await self._in_thread(self._history.delete_all)
        if failure is not None:
            self._failed(failure)
            return False
        self._initialized = False
        for deleted in listed:
            self._emit(CheckpointEvent.CHECKPOINT_DELETED, deleted)
        return True

    # Shared by the methods

    def _can_initialize(self) -> bool:
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

    def _initialized_result(self, newest: int | Exception) -> bool:
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
        return await asyncio.to_thread(_try, work, *arguments)

    async def _listed(self, work: Callable[..., Checkpoints], *arguments: object) -> Checkpoints:
        if not self._initialized:
            return []
        found = await self._in_thread(work, *arguments)
        if isinstance(found, Exception):
            self._failed(found)
            return []
        return found

    def _save_result(self, saved: SavedCheckpoint | Exception) -> CheckpointResult:
        if isinstance(saved, Exception):
            return CheckpointResult.fail(self._failed(saved))
        self._known = max(self._known, saved.known)
        if saved.checkpoint is None:
            return CheckpointResult(False, None, _NO_CHANGES, saved.existing_id)
        if saved.removed:
            removed = {"action": "pruned", "removed_count": saved.removed}
            self._emit(CheckpointEvent.CHECKPOINTS_PRUNED, removed)
        self._emit(CheckpointEvent.CHECKPOINT_CREATED, saved.checkpoint)
        return CheckpointResult.ok(saved.checkpoint)

    def _restore_result(self, returned: RestoredCheckpoint | Exception) -> CheckpointResult:
        if isinstance(returned, Exception):
            return CheckpointResult.fail(self._failed(returned))
        self._known = max(self._known, returned.known)
        if returned.rescue is not None:
            _LOG.info("Saved unsaved work as checkpoint %s", returned.rescue.short_id)
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
            except Exception as error:  # noqa: BLE001 - the operation has already succeeded
                _LOG.warning("Event handler error: %s", error)


def _is_at_least(number: object, least: int) -> bool:
    """Return whether a caller's argument is a whole number, and not too small."""
    return isinstance(number, int) and number >= least


def _try(work: Callable[..., T], *arguments: object) -> T | Exception:
    """Return the result of some work, or its exception."""
    try:
        return work(*arguments)
    except Exception as error:  # noqa: BLE001 - see the module
        return error
