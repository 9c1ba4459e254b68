"""Text of a search in contents: the lines of each file, with the checkpoints that hold them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from clew.model.excerpt import Excerpt
from clew.model.grep_results import GrepHit, GrepResult, Lifetime
from clew.model.ids import short
from clew.model.shorten import width_of
from clew.render import timestamps, units
from clew.render.safe import safe, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIN_WIDTH = 20
_NAMED = 3
"""Skipped directories that are named."""


def lines(result: GrepResult, look: Style, *, with_ranges: bool = True) -> Iterator[str]:
    """Yield each file, and below it its lines; below each line the checkpoints that hold it."""
    number_width = max((len(str(hit.number)) for hit in result.hits), default=0)
    is_first = True
    for path, hits in groupby(result.hits, lambda hit: hit.path):
        found = list(hits)
        if not is_first and found[0].number:
            yield ""
        is_first = False
        yield paint(safe_path(path), "bold", look)
        for hit in found:
            yield from _hit(hit, number_width, look, with_ranges=with_ranges)


def notes(result: GrepResult) -> Iterator[str]:
    """Yield how much was searched, and what was not."""
    where = f"{units.count(result.checkpoints, 'checkpoint')}, {units.count(result.contents, 'file version')}"
    if not result.hits:
        yield f"No match in {where}"
    elif result.more:
        yield f"{result.more:,} more; show them with -n {len(result.hits) + result.more}"
    if result.skipped:
        named = ", ".join(safe_path(path) for path in result.skipped[:_NAMED])
        more = "" if len(result.skipped) <= _NAMED else ", …"
        what = units.count(len(result.skipped), "generated directory", "generated directories")
        yield f"Not searched: {what} ({named}{more}); --generated includes them"
    for note in result.notes:
        yield safe(note)


def _hit(hit: GrepHit, number_width: int, look: Style, *, with_ranges: bool) -> Iterator[str]:
    indent = "  "
    if hit.is_binary:
        yield "  binary file matches"
    elif hit.number:
        number = f"  {hit.number:>{number_width}}  "
        yield f"{paint(number, 'dim', look)}{_text(hit.line, look.width - len(number), look)}"
        indent = " " * len(number)
    if with_ranges:
        yield paint(f"{indent}{_range(hit.lifetime, look)}", "dim", look)


def _text(line: Excerpt, room: int, look: Style) -> str:
    """Return the part of a line that fits, escaped, with the matches in colour."""
    room = max(room, _MIN_WIDTH)
    limit = room
    line = _stripped(line)
    while limit > _MIN_WIDTH and width_of(_safe(line.around(limit).text)) > room:
        limit -= 1
    return "".join(
        paint(_safe(text), "red" if marked else "", look)
        for text, marked in line.around(limit).pieces()
    ).rstrip()


def _stripped(line: Excerpt) -> Excerpt:
    """Return a line without its indentation."""
    cut = len(line.text) - len(line.text.lstrip())
    spans = ((max(start - cut, 0), max(end - cut, 0)) for start, end in line.spans)
    return Excerpt(line.text[cut:].rstrip("\r"), tuple(spans))


def _safe(text: str) -> str:
    return safe(text.replace("\t", "  "))


def _range(lifetime: Lifetime, look: Style) -> str:
    """Return the checkpoints that hold a line, as `from 4f2a91c0 10:27, still there`."""
    first, last = lifetime.first, lifetime.last
    start = f"{short(first.id)} {timestamps.short(first.record.time_ns, look)}"
    end = f"{short(last.id)} {timestamps.short(last.record.time_ns, look)}"
    gaps = (
        "" if lifetime.held == lifetime.between else f", in {lifetime.held} of {lifetime.between}"
    )
    if lifetime.is_current:
        return f"from {start}, still there{gaps}"
    if first.id == last.id:
        return f"only in {start}"
    return f"from {start} to {end}{gaps}"
