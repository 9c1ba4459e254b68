"""Automatic pruning: after every few saves, a background process prunes if that is due."""

from __future__ import annotations

from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.operations.context import Context

_INTERVAL = 20
"""Saves between two checks of the size of the store: each check costs a query."""


def prune_if_due(context: Context, saved: Checkpoint) -> None:
    """Start a prune in the background if it is due; a failure never affects the save."""
    if saved.record.sequence % _INTERVAL:
        return
    from clew.operations.maintenance.prune import is_due  # noqa: PLC0415 - most saves do not look

    try:
        if is_due(context):
            prune_in_background(context)
    except (ClewError, OSError):
        return  # the next look comes after a few saves


def prune_in_background(context: Context) -> None:
    """Start a prune by the rules in force, in a detached process."""
    from clew.filenames import as_argument  # noqa: PLC0415 - the same
    from clew.worktree.interpreter import own_command, start_detached  # noqa: PLC0415

    place = ("-C", as_argument(context.root), "--store", context.store.layout.root)
    start_detached((*own_command(), *place, "prune"), context.root)
