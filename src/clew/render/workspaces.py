"""Text of the workspaces of a store: two lines for each, and what to do about lost ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.shorten import shorten_to_width, width_of
from clew.model.workspace_status import Place, WorkspaceStatus
from clew.render import timestamps, units
from clew.render.columns import pad, pad_left
from clew.render.safe import safe, safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GAP = "  "
_INDENT = "    "
_MIN_NAME = 12


def lines(found: Sequence[WorkspaceStatus], look: Style) -> Iterator[str]:
    """Yield two lines for each workspace: what is known of it, and where it is."""
    rows = [_row(one, look) for one in found]
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    stores = {one.store for one in found}
    for one, row in zip(found, rows, strict=True):
        yield _line(one, row, widths, look)
        yield from _place(one, look)
        if len(stores) > 1:
            yield paint(f"{_INDENT}store: {safe(one.store)}", "dim", look)
    yield from _advice(found)


def _row(one: WorkspaceStatus, look: Style) -> tuple[str, ...]:
    return (
        safe_line(one.name),
        timestamps.short(one.last_ns, look) if one.last_ns else "never saved",
        units.count(one.checkpoints, "checkpoint"),
        units.size(one.total_bytes),
        one.info.text_id[:8],
    )


def _line(one: WorkspaceStatus, row: tuple[str, ...], widths: list[int], look: Style) -> str:
    name, time, number, size, identifier = row
    others = sum(widths[1:]) + len(_GAP) * (len(widths) - 1)
    width = min(widths[0], max(look.width - others, _MIN_NAME))
    colour = "bold" if one.place == Place.PRESENT else "dim"
    cells = (
        paint(pad(shorten_to_width(name, width), width), colour, look),
        pad(time, widths[1]),
        pad_left(number, widths[2]),
        pad_left(size, widths[3]),
        paint(identifier, "cyan", look),
    )
    return _GAP.join(cells)


def _place(one: WorkspaceStatus, look: Style) -> Iterator[str]:
    path = safe_path(one.info.path)
    match one.place:
        case Place.MISSING:
            yield paint(f"{_INDENT}missing: {path}", "red", look)
        case Place.REPLACED:
            yield paint(f"{_INDENT}another directory is there now: {path}", "yellow", look)
        case Place.NONE:
            yield paint(f"{_INDENT}no directory", "dim", look)
        case _:
            yield paint(f"{_INDENT}{path}", "dim", look)
    if one.info.machine:
        yield paint(f"{_INDENT}the whole machine", "dim", look)
    if one.fork:
        of = safe_path(one.source.path) if one.source is not None else "a removed workspace"
        yield paint(f"{_INDENT}fork {safe_line(one.fork)} of {of}", "dim", look)


def _advice(found: Sequence[WorkspaceStatus]) -> Iterator[str]:
    lost = next((one for one in found if one.place == Place.MISSING and one.checkpoints), None)
    if lost is not None:
        is_plain = not lost.name.startswith("-") and all(
            char.isalnum() or char in "._-/" for char in lost.name
        )
        name = lost.name if is_plain else lost.info.text_id[:8]
        yield ""
        yield f"`clew -w {name} restore @` brings a missing directory back;"
        yield f"`clew init DIR --attach {name}` connects one that was moved to DIR."
