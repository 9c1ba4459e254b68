"""Notes on what a checkpoint does not hold, because a check in a copy may fail without it."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.entry import Reason
from clew.model.record import Coverage, Uncovered
from clew.model.shorten import shorten_to_width
from clew.render.checkpoint_title import some
from clew.render.safe import safe_path

_GIVEN_ANEW = (b"dev", b"proc", b"run", b"sys", b"tmp")
"""Directories that every machine provides itself."""
_OURS = (Reason.STORE, Reason.STAGE)
_NAMED = 3


def coverage_notes(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return a sentence for each way in which a copy lacks what the workspace had."""
    coverage = checkpoint.record.coverage
    found = []
    missing = missing_paths(coverage)
    if missing:
        found.append(f"Not in the checkpoint: {missing}")
    if coverage.unstable:
        paths = some(list(coverage.unstable), len(coverage.unstable))
        found.append(f"Files that changed during the capture: {paths}")
    return tuple(found)


def missing_paths(coverage: Coverage) -> str:
    """Return `secrets (unreadable), node_modules (excluded) and 3 more`."""
    missed = [item for item in coverage.uncovered if _is_missed(item)]
    total = coverage.uncovered_count - len(coverage.uncovered) + len(missed)
    named = [
        f"{shorten_to_width(safe_path(item.path), 60)} ({item.reason_name})"
        for item in missed[:_NAMED]
    ]
    more = total - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more and named else "")


def _is_missed(item: Uncovered) -> bool:
    is_anew = item.reason == Reason.PSEUDO and item.path in _GIVEN_ANEW
    return not is_anew and item.reason not in _OURS
