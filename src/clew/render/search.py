"""Text of a search: each checkpoint, and below it where the words were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import ChangeKind
from clew.model.excerpt import Excerpt
from clew.model.ids import short
from clew.model.search_results import SearchHit, SearchMatch, SearchResult, Section
from clew.model.shorten import shorten_to_width, width_of
from clew.render import checkpoint_title, timestamps, units
from clew.render.columns import pad
from clew.render.safe import safe, safe_line, safe_path, shown_name
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

_LABELS = {
    Section.INTENTS: "intent",
    Section.NOTES: "note",
    Section.CHECKS: "check",
    Section.HEADLINES: "headline",
    Section.FACTS: "fact",
    Section.PATHS: "path",
    Section.CONVERSATION: "said",
}
_LABEL_WIDTH = max(map(len, _LABELS.values()))
_SHOWN = 4
"""Hits of one kind that are shown for a checkpoint."""
_MIN_WIDTH = 20
_TITLE_COLUMNS = 42
"""Most columns of a title line besides the title: mark, id, date and `← here`."""


def lines(result: SearchResult, look: Style, *, with_workspace: bool = False) -> Iterator[str]:
    """Yield the checkpoints that match, newest first, with the matches in colour."""
    for match in result.matches:
        yield _title(match, look)
        if with_workspace:
            where = safe_path(match.workspace.path) or match.workspace.text_id[:8]
            yield paint(f"   in {where}", "dim", look)
        yield from _hits(match, look)


def _title(match: SearchMatch, look: Style) -> str:
    checkpoint = match.checkpoint
    time = timestamps.short(checkpoint.record.time_ns, look)
    here = "  ← here" if checkpoint.is_here else ""
    mark = checkpoint_title.mark(checkpoint)
    taken = width_of(f"{mark}  {short(checkpoint.id)}  {time}  {here}")
    title = shorten_to_width(
        checkpoint_title.title(checkpoint), max(look.width - taken, _MIN_WIDTH)
    )
    head = f"{paint(mark, 'cyan', look)}  {paint(short(checkpoint.id), 'cyan', look)}  {time}"
    return f"{head}  {_marked_title(title, match, look)}{paint(here, 'green', look)}".rstrip()


def _marked_title(title: str, match: SearchMatch, look: Style) -> str:
    """Return a title with the matches in it in colour."""
    excerpt = next((hit.excerpt for hit in match.hits if _is_in_title(hit, title)), None)
    if excerpt is None:
        return paint(title, "bold", look)
    at = title.index(excerpt.text)
    spans = tuple((start + at, end + at) for start, end in excerpt.spans)
    pieces = Excerpt(title, spans).pieces()
    return "".join(paint(text, "red" if marked else "bold", look) for text, marked in pieces)


def _is_in_title(hit: SearchHit, title: str) -> bool:
    return hit.section == Section.INTENTS and hit.excerpt.text in title


def _hits(match: SearchMatch, look: Style) -> Iterator[str]:
    shown: dict[str, int] = {}
    title = checkpoint_title.title(match.checkpoint)
    for hit in match.hits:
        if _is_in_title(hit, title) and width_of(title) <= look.width - _TITLE_COLUMNS:
            continue  # it is marked there
        shown[hit.section] = shown.get(hit.section, 0) + 1
        if shown[hit.section] <= _SHOWN:
            yield _hit(hit, look)
    for section, number in shown.items():
        hidden = max(number - _SHOWN, 0)
        if section == Section.CONVERSATION:
            hidden += match.hidden
        if hidden:
            yield paint(
                f"   {pad('', _LABEL_WIDTH)}  and {hidden:,} more {_plural(section)}", "dim", look
            )


def _plural(section: str) -> str:
    return "messages" if section == Section.CONVERSATION else section


def _hit(hit: SearchHit, look: Style) -> str:
    before, after = "", ""
    if hit.section == Section.CONVERSATION and hit.role:
        before = f"{safe_line(hit.role)}: "
    if hit.section == Section.PATHS:
        letter = ChangeKind.LETTERS.get(hit.kind, "")
        before = f"{letter} " if letter else ""
        after = f"/ ({units.count(hit.paths, 'path')})" if hit.paths > 1 else ""
    label = paint(pad(_LABELS[hit.section], _LABEL_WIDTH), "dim", look)
    room = look.width - _LABEL_WIDTH - 5 - width_of(before) - width_of(after)
    return f"   {label}  {before}{_excerpt(hit, max(room, _MIN_WIDTH), look)}{after}"


def _excerpt(hit: SearchHit, room: int, look: Style) -> str:
    """Return the part of an excerpt that fits, escaped, with the matches in colour."""
    whole = hit.excerpt
    if hit.section == Section.PATHS:
        shown = shown_name(whole.text)
        whole = whole if shown == whole.text else Excerpt(shown)
    limit = room
    while limit > _MIN_WIDTH and _width(whole.around(limit)) > room:
        limit -= 1
    pieces = whole.around(limit).pieces()
    return "".join(paint(safe(text), "red" if marked else "", look) for text, marked in pieces)


def _width(excerpt: Excerpt) -> int:
    return width_of(safe(excerpt.text))
