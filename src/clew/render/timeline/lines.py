"""Lines of a timeline: cells laid out in columns that fit the terminal.

From left to right: the graph with a mark, id, time, who, the result of the check as one sign, the
intent, and the headline, which gets the room that the others leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.named_tuple import NamedTuple
from clew.model.shorten import shorten_to_width, width_of
from clew.render.columns import pad
from clew.render.style import Style, paint
from clew.render.timeline.cells import Cells, Layout
from clew.render.timeline.rows import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.results import Log

_LEAST_TITLE = 10
_LEAST_STORY = 12
_NARROW = 80


def lines(log: Log, look: Style, *, graph: bool = True, fold: bool = True) -> Iterator[str]:
    """Yield the lines of a timeline."""
    found = rows(log, fold=fold)
    cells = Layout(log, look, found, graph=graph and log.branches is not None).cells()
    widths = _widths(cells, look.width)
    for one in cells:
        yield _line(one, widths, look)


class _Widths(NamedTuple):
    """The columns of all lines."""

    graph: int
    id: int
    time: int
    who: int
    sign: int
    title: int
    story: int
    total: int
    is_ragged: bool
    """Whether a story begins right after its title: a narrow terminal has no room for gaps."""


def _widths(cells: Sequence[Cells], width: int) -> _Widths:
    def widest(texts: Iterator[str]) -> int:
        return max(map(width_of, texts), default=0)

    total = width - 1
    graph = widest(one.graph.text for one in cells)
    identifier = widest(one.id for one in cells)
    time = widest(one.time for one in cells)
    who = widest(one.who for one in cells)
    sign = widest(one.sign for one in cells)
    title = widest(_titled(one.title, one.notes) for one in cells if not one.line)
    story = widest(one.story for one in cells)
    used = sum(column + 1 for column in (graph, identifier, time, who, sign) if column)
    room = total - used - (2 if title and story else 0)
    if title + story > room:
        least_story = min(story, max(_LEAST_STORY, room * 55 // 100))
        title = min(title, max(room - least_story, _LEAST_TITLE))
        story = max(room - title, 0)
    is_ragged = width < _NARROW
    return _Widths(graph, identifier, time, who, sign, title, story, total, is_ragged)


def _titled(title: str, notes: str) -> str:
    return f"{title} {notes}" if title and notes else title or notes


def _line(one: Cells, widths: _Widths, look: Style) -> str:
    """Return one line; it never exceeds the width, and its id is never shortened."""
    parts: list[str] = []
    used = 0

    def add(text: str, width: int, *colours: str) -> None:
        nonlocal used
        if width:
            parts.append(paint(pad(text, width), next(filter(None, colours), ""), look) + " ")
            used += width + 1

    quiet = "dim" if one.is_quiet else ""
    if widths.graph:
        parts.append(_graph(one, widths.graph, look) + " ")
        used += widths.graph + 1
    if one.line:
        room = widths.total - used - width_of(one.notes)
        text = paint(shorten_to_width(one.line, max(room, 1)), one.colours[3], look)
        return "".join([*parts, text, paint(one.notes, one.colours[2], look)]).rstrip()
    add(one.id, widths.id, quiet, "cyan")
    add(one.time, widths.time, "dim")
    add(one.who, widths.who, quiet)
    if one.rest:
        text = shorten_to_width(one.rest, max(widths.total - used, 1))
        return "".join([*parts, paint(text, one.colours[3], look)]).rstrip()
    add(one.sign, widths.sign, quiet if not one.sign.strip() else "", one.colours[0])
    left = widths.story
    if widths.title:
        cell, spare = _title_cell(one, widths.title, quiet, look)
        if widths.is_ragged:
            left += spare
        else:
            cell += " " * spare
        parts.append(cell)
    if widths.story:
        text = shorten_to_width(one.story, left)
        parts.append(("  " if widths.title else "") + paint(text, one.colours[3] or quiet, look))
    return "".join(parts).rstrip()


def _graph(one: Cells, width: int, look: Style) -> str:
    text, at = one.graph.text, one.graph.node
    padding = " " * (width - width_of(text))
    if at is None:
        return paint(text, "dim", look) + padding
    before, mark, after = text[:at], text[at], text[at + 1 :]
    colour = "dim" if one.is_quiet else one.mark_colour
    return (
        paint(before, "dim", look) + paint(mark, colour, look) + paint(after, "dim", look) + padding
    )


def _title_cell(one: Cells, width: int, quiet: str, look: Style) -> tuple[str, int]:
    """Return title and notes, and the columns that they leave."""
    notes = shorten_to_width(one.notes, width)
    left = width - width_of(notes) - (1 if notes else 0)
    title = shorten_to_width(one.title, left) if left > 0 and one.title else ""
    cell = paint(title, quiet or one.colours[1], look)
    if notes:
        cell += (" " if title else "") + paint(notes, one.colours[2], look)
    return cell, width - width_of(_titled(title, notes))
