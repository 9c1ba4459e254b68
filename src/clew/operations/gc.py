"""Gc: frees what no checkpoint needs any more."""

from __future__ import annotations

from clew.model.results import GcResult
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.store.gc import gc
from clew.store.purge import finish_purge


def collect(context: Context, monitor: Monitor) -> GcResult:
    """Collect the whole store; takes its own locks, so the caller holds none."""
    if context.store.is_purge_unfinished:
        return finish_purge(context.store, monitor)
    return gc(context.store, monitor)
