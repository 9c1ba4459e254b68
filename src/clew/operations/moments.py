"""Moments by name: a checkpoint of this workspace, or the newest state of one of its forks."""

from __future__ import annotations

from clew.monitor import Monitor
from clew.operations.compare import Asked
from clew.operations.context import Context
from clew.operations.resolve import resolve


def moment_named(context: Context, text: str, monitor: Monitor) -> Asked:
    """Return the moment that `text` means."""
    return Asked(text, "", resolve(context, text, monitor))
