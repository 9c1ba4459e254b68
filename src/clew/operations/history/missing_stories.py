"""Missing stories: derive and store those that commits have left out.

A story is derived without a lock, so that no save, prune or gc waits for it.  A gc can remove or
move meanwhile what is being read, so a story is stored only if the store's generation and the
checkpoint are what they were; otherwise it is derived once more.
"""

from __future__ import annotations

import time
from contextlib import suppress

from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId
from clew.model.named_tuple import NamedTuple
from clew.model.story import UNTOLD, Story
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.story import current_version, derive
from clew.story.budget import WorkerLimits

BACKGROUND_LIMITS = WorkerLimits(
    seconds=300.0,
    stalled=150.0,
    processor_seconds=60.0,
    per_detector=20.0,
    per_path=1e-3,
    lowers_priority=True,
)
"""For stories that no command waits for.  On a busy machine, 0.2 s of processor time at the lowest
priority took a minute.  Only the worker of a story has it: a process that waits for a processor while
it holds a lock delays others."""

_TRIES = 2


def derive_missing_stories(
    context: Context,
    tried: set[CheckpointId],
    *,
    count: int,
    seconds: float,
    limits: WorkerLimits = BACKGROUND_LIMITS,
) -> int:
    """Derive and store stories that are missing or of another version; return how many were stored.

    Newest first, at most `count`, and none is begun after `seconds`.  Checkpoints are added to
    `tried`, and those in it are skipped.  It takes its own locks, so the caller holds none.
    """
    deadline = time.monotonic() + seconds
    stored = 0
    for _ in range(count):
        if time.monotonic() >= deadline:
            break
        checkpoint = next_missing(context, tried)
        if checkpoint is None:
            break
        tried.add(checkpoint.id)
        with suppress(ClewError, OSError):  # damaged, or the disk is full
            stored += _derive_and_store(context, checkpoint, limits)
    return stored


def next_missing(context: Context, tried: set[CheckpointId]) -> Checkpoint | None:
    """Return the newest checkpoint that needs a story and is not in `tried`; takes its own lock."""
    store = context.store
    with store.locks.shared(Monitor()):
        version = current_version(context)
        found = store.stories.missing(context.workspace, version, len(tried) + 1)
        left = (store.checkpoints.get(one) for one in found if one not in tried)
        return next(left, None)


def derive_again(
    context: Context, checkpoint: Checkpoint, limits: WorkerLimits = BACKGROUND_LIMITS
) -> bool:
    """Derive and store the story of a checkpoint about which more is known; it takes its own locks."""
    return _derive_and_store(context, checkpoint, limits)


class _Basis(NamedTuple):
    """What must not change while a story is derived."""

    generation: int
    since: CheckpointId | None
    version: str


def _derive_and_store(context: Context, checkpoint: Checkpoint, limits: WorkerLimits) -> bool:
    store = context.store
    for _ in range(_TRIES):
        with store.locks.shared(Monitor()):
            basis = _basis(context, checkpoint)
        if basis is None:
            return False
        story = _derive(context, checkpoint, basis.since, limits)
        context.host.fail_point("story.derived")
        with store.locks.shared(Monitor()):
            if _basis(context, checkpoint) == basis:
                if story is not None:
                    store.stories.put(checkpoint.id, basis.since, basis.version, story)
                return story is not None
        store.forget_places()
    return False


def _basis(context: Context, checkpoint: Checkpoint) -> _Basis | None:
    """Return what the story of a checkpoint is based on; None if it can no longer be stored."""
    store = context.store
    if store.checkpoints.get(checkpoint.id) is None:
        return None
    since, _ = store.checkpoints.surviving(checkpoint.record.parent)
    if since != checkpoint.record.parent and store.stories.get(checkpoint.id) is not None:
        return None  # the only record of what happened
    return _Basis(store.generation, since, current_version(context))


def _derive(
    context: Context, checkpoint: Checkpoint, since: CheckpointId | None, limits: WorkerLimits
) -> Story | None:
    try:
        story = derive(context, checkpoint, since, limits)
    except (ClewError, OSError):
        return None
    return story if story.headline != UNTOLD else None
