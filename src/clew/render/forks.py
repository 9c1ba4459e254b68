"""Forks as text: one that has just grown, all of them, and one that is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.fork_results import Directory
from clew.model.ids import short
from clew.render import checkpoint_title, units
from clew.render.columns import shorten
from clew.render.restore import reasons
from clew.render.safe import safe_line, safe_path
from clew.render.sandbox import table
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.fork_results import DiscardResult, ForkResult, ForkStanding

_LARGEST_VERDICT = 24


def forked(result: ForkResult, look: Style) -> Iterator[str]:
    """Yield what grew, where, and what to do with it."""
    name = safe_line(result.fork.name)
    what = f"Forked {checkpoint_title.called(result.base)} as {name}: {safe_path(result.workspace.path)}"
    yield paint(what, "yellow" if result.problems else "", look)
    files = units.count(result.checkpoint.record.coverage.files, "entry", "entries")
    yield f"  {files} written and read back in {units.duration(result.duration_ns)}"
    yield from reasons("could not be given back", result.problems)
    if result.session is not None:
        yield f"  conversation and tasks go on there as session {result.session.text_id[:8]}"
    if result.resumable is not None:
        yield f"  to go on there: {safe_line(result.resumable.command)}"
    yield f"  `clew adopt {name}` brings what changes there back here"


def lines(found: Sequence[ForkStanding], look: Style) -> Iterator[str]:
    """Yield two lines for each fork: what came of it, and where it is."""
    if not found:
        yield "Nothing grew from this workspace yet; `clew fork REF DIR` makes a fork"
        return
    rows = table([_row(standing) for standing in found], look)
    for line, standing in zip(rows, found, strict=True):
        yield line
        yield paint(f"      {_base(standing)}: {_place(standing)}", "dim", look)


def discarded(result: DiscardResult) -> Iterator[str]:
    """Yield what went and what stayed."""
    number = units.count(result.checkpoints, "checkpoint")
    yield f"Discarded {safe_line(result.fork.name)} with its {number}"
    path = safe_path(result.workspace.path)
    if result.kept_because:
        yield f"  its directory stays, {safe_line(result.kept_because)}: {path}"
    elif result.workspace.path:
        yield f"  its directory {'is removed' if result.removed else 'stays'}: {path}"
    if result.lost.files:
        files, size = units.count(result.lost.files, "file"), units.size(result.lost.total_bytes)
        names = ", ".join(safe_path(one) for one in result.lost.paths)
        more = result.lost.files - len(result.lost.paths)
        rest = f" and {more:,} more" if more else ""
        yield f"  with {files} that no checkpoint held ({size}): {names}{rest}"


def _row(standing: ForkStanding) -> tuple[str, ...]:
    here = standing.here
    verdict = here.verdict if here is not None else None
    return (
        safe_line(standing.fork.name),
        shorten(checkpoint_title.verdict(verdict), _LARGEST_VERDICT) if verdict is not None else "",
        _what_happened(standing),
    )


def _what_happened(standing: ForkStanding) -> str:
    if not standing.is_changed or standing.here is None:
        return "as it began"
    if standing.here.headline is not None:
        return safe_line(standing.here.headline)
    return checkpoint_title.title(standing.here)


def _base(standing: ForkStanding) -> str:
    came_from = f"from {short(standing.fork.base)}"
    if standing.base is None:
        return f"{came_from}, which is deleted"
    return f"from {checkpoint_title.called(standing.base)}"


def _place(standing: ForkStanding) -> str:
    if standing.directory == Directory.NONE:
        return "no directory"
    gone = "gone: " if standing.directory == Directory.GONE else ""
    return gone + safe_path(standing.workspace.path)
