"""Text of the questions before something is deleted that no command brings back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.fork_results import Directory
from clew.render import checkpoint_title, forks, timestamps
from clew.render.safe import safe_path
from clew.render.units import count, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.checkpoint import Checkpoint
    from clew.model.fork_results import ForkStatus
    from clew.model.results import Stats
    from clew.render.style import Style

_NAMED = 20


def deleting(doomed: Sequence[Checkpoint], look: Style, *, purge: bool) -> Iterator[str]:
    """Yield the checkpoints that would be deleted, and that this cannot be undone."""
    how = ", and erase their data from the store" if purge else ""
    yield f"This would delete {count(len(doomed), 'checkpoint')}{how}:"
    for one in doomed[:_NAMED]:
        when = timestamps.short(one.record.time_ns, look)
        pinned = ", pinned" if one.labels.pinned else ""
        yield f"  {checkpoint_title.called(one)}, {when}{pinned}"
    if len(doomed) > _NAMED:
        yield f"  and {len(doomed) - _NAMED:,} more"
    yield "This cannot be undone."


def discarding(status: ForkStatus, look: Style, *, files: bool) -> Iterator[str]:
    """Yield the fork that would be deleted, and what becomes of its directory."""
    yield "This would delete the history of this fork:"
    yield from (f"  {line}" for line in forks.lines([status], look))
    if status.directory == Directory.PRESENT:
        is_removed = files or status.fork.managed
        path = safe_path(status.workspace.path)
        yield f"  its directory would be {'deleted too' if is_removed else 'kept'}: {path}"
    yield "This cannot be undone."


def purging(stats: Stats) -> Iterator[str]:
    """Yield what a purge of the whole store does."""
    held = f"{size(stats.store_bytes)}, {count(stats.checkpoints, 'checkpoint')}"
    yield f"This would rewrite the store without anything that no checkpoint references ({held}),"
    yield "and empty its quarantine. Data of deleted checkpoints and discarded forks is erased."
    yield "This cannot be undone."
