"""Processes that ran at a checkpoint and do not run now; a restore cannot start them."""

from __future__ import annotations

from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.restore_results import Stopped
from clew.model.signals import Signals
from clew.operations.context import Context


def signals_of(context: Context, checkpoint: Checkpoint) -> Signals | None:
    """Return the signals of a checkpoint, if they can be read."""
    identifier = checkpoint.record.signals
    if identifier is None:
        return None
    try:
        return Signals.decode(context.store.objects.get(identifier))
    except (ClewError, ValueError):
        return None


def stopped_since(context: Context, checkpoint: Checkpoint) -> tuple[Stopped, ...]:
    """Return the processes of a checkpoint that do not run any more."""
    then = signals_of(context, checkpoint)
    if then is None or not then.running:
        return ()
    now = context.host.observe(context.root)
    if not now.complete:
        return ()  # a process that was not seen may be running
    places: dict[tuple[str, str], list[str]] = {}
    for one in then.listening:
        places.setdefault((one.command, one.directory), []).append(one.place)
    gone = sorted(set(then.running) - set(now.running))
    return tuple(Stopped(*one, tuple(places.get((one.command, one.directory), ()))) for one in gone)
