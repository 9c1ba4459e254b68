"""Text of forks: created, listed, discarded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.fork_results import Directory
from clew.model.ids import short
from clew.model.shorten import shorten_to_width
from clew.render import checkpoint_title, units
from clew.render.restore import reasons
from clew.render.safe import safe_line, safe_path
from clew.render.sandbox import table
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.fork_results import DiscardResult, ForkResult, ForkStatus, PathReferences

_LARGEST_VERDICT = 24


def forked(result: ForkResult, look: Style) -> Iterator[str]:
    """Yield the new fork, where it is, and how to merge it back."""
    name = safe_line(result.fork.name)
    what = f"Forked {checkpoint_title.called(result.base)} as {name}: {safe_path(result.workspace.path)}"
    yield paint(what, "yellow" if result.problems else "", look)
    files = units.count(result.checkpoint.record.coverage.files, "entry", "entries")
    yield f"  {files} written and read back in {units.duration(result.duration_ns)}"
    yield from reasons("could not write exactly", result.problems)
    yield from _references(result.references, name, look)
    if result.session is not None:
        yield f"  conversation and tasks continue there as session {result.session.text_id[:8]}"
    if result.resumable is not None:
        yield f"  to continue there: {safe_line(result.resumable.command)}"
    yield f"  `clew adopt {name}` merges its changes back"


def _references(found: PathReferences, name: str, look: Style) -> Iterator[str]:
    """Yield what leads programs in a fork to the original, and the command that avoids it."""
    original = safe_path(found.original)
    for group in found.groups:
        files = units.count(group.files, "file")
        where = f" in {safe_path(group.directory)}" if group.directory else ""
        verb = "names" if group.files == 1 else "name"
        some = checkpoint_title.some(list(group.paths), group.files)
        yield paint(
            f"  {files}{where} {verb} {original}, so programs there may write to the original: {some}",
            "yellow",
            look,
        )
    if found.groups:
        yield f"  `clew enter {name}` starts a shell in which {original} is the fork"
    for link in found.git_links:
        what = f"  {safe_path(link.path)} names {safe_path(link.target)}"
        yield paint(f"{what}: git in the fork changes it too", "yellow", look)


def lines(found: Sequence[ForkStatus], look: Style) -> Iterator[str]:
    """Yield two lines for each fork: its status, and where it is."""
    if not found:
        yield "No forks of this workspace; create one with `clew fork REF DIR`"
        return
    rows = table([_row(status) for status in found], look)
    for line, status in zip(rows, found, strict=True):
        yield line
        yield paint(f"      {_base(status)}: {_place(status)}", "dim", look)


def discarded(result: DiscardResult) -> Iterator[str]:
    """Yield what was removed and what was kept."""
    number = units.count(result.checkpoints, "checkpoint")
    yield f"Discarded {safe_line(result.fork.name)} with its {number}"
    path = safe_path(result.workspace.path)
    if result.kept_because:
        yield f"  its directory was not removed, {safe_line(result.kept_because)}: {path}"
    elif result.workspace.path:
        yield f"  its directory {'was removed' if result.removed else 'was kept'}: {path}"
    if result.lost.files:
        files, size = units.count(result.lost.files, "file"), units.size(result.lost.total_bytes)
        names = ", ".join(safe_path(one) for one in result.lost.paths)
        more = result.lost.files - len(result.lost.paths)
        rest = f" and {more:,} more" if more else ""
        yield f"  with {files} that no checkpoint held ({size}): {names}{rest}"


def _row(status: ForkStatus) -> tuple[str, ...]:
    here = status.here
    verdict = here.verdict if here is not None else None
    return (
        safe_line(status.fork.name),
        shorten_to_width(checkpoint_title.verdict(verdict), _LARGEST_VERDICT)
        if verdict is not None
        else "",
        _what_happened(status),
    )


def _what_happened(status: ForkStatus) -> str:
    if not status.is_changed or status.here is None:
        return "unchanged"
    if status.here.headline is not None:
        return safe_line(status.here.headline)
    return checkpoint_title.title(status.here)


def _base(status: ForkStatus) -> str:
    came_from = f"from {short(status.fork.base)}"
    if status.base is None:
        return f"{came_from} (deleted)"
    return f"from {checkpoint_title.called(status.base)}"


def _place(status: ForkStatus) -> str:
    if status.directory == Directory.NONE:
        return "no directory"
    missing = "missing: " if status.directory == Directory.MISSING else ""
    return missing + safe_path(status.workspace.path)
