"""Text of the timeline: one line for each checkpoint, newest first.

Checkpoints that a person asked for are bold, rescues are dim, and verdict, changes, id and *here*
are in columns, so that one of them can be scanned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.shorten import shorten_to_width, width_of
from clew.policy.labels import FAILED
from clew.render import checkpoint_title, position, timestamps
from clew.render.columns import pad
from clew.render.safe import safe_line
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.checkpoint import Checkpoint
    from clew.model.results import Log
    from clew.model.verdict import Verdict

Row = tuple[str, str, str, str, str, str, str]
"""Time, who, title, verdict, headline, id and notes."""

_TITLE, _HEADLINE = 2, 4
_GAP = "  "
_MIN_WIDTH = 20
"""Minimum width of a title and a headline."""
_LARGEST_VERDICT = 24
_SAME_TIME_NS = 120 * 1_000_000_000
"""A check within this time of the save is shown without its own time."""


def lines(log: Log, look: Style) -> Iterator[str]:
    """Yield one line for each checkpoint."""
    workers = position.who(log.checkpoints)
    rows = [
        _row(checkpoint, worker, look)
        for checkpoint, worker in zip(log.checkpoints, workers, strict=True)
    ]
    widths = _widths(rows, look.width)
    for checkpoint, row in zip(log.checkpoints, rows, strict=True):
        yield _line(checkpoint, row, widths, look)


def _row(checkpoint: Checkpoint, worker: str, look: Style) -> Row:
    verdict = checkpoint.verdict
    return (
        timestamps.short(checkpoint.record.time_ns, look),
        worker,
        checkpoint_title.title(checkpoint),
        _verdict(verdict, checkpoint.record.time_ns, look) if verdict else "",
        _what_happened(checkpoint),
        short(checkpoint.id),
        _notes(checkpoint, look),
    )


def _verdict(verdict: Verdict, saved_ns: int, look: Style) -> str:
    """Return `✔ npm test`, with its time unless it ran right after the save."""
    if abs(verdict.time_ns - saved_ns) < _SAME_TIME_NS:
        return shorten_to_width(checkpoint_title.verdict(verdict), _LARGEST_VERDICT)
    when = timestamps.brief(verdict.time_ns, look)
    return f"{shorten_to_width(checkpoint_title.verdict(verdict), _LARGEST_VERDICT - len(when) - 1)} {when}"


def _what_happened(checkpoint: Checkpoint) -> str:
    """Return the headline of the story, or the counts if there is no story yet."""
    if checkpoint.headline is None:
        return checkpoint_title.counts(checkpoint.changes)
    return safe_line(checkpoint.headline)


def _notes(checkpoint: Checkpoint, look: Style) -> str:
    notes = []
    if checkpoint.is_here:
        notes.append("← here")
    if checkpoint.labels.pinned:
        notes.append("pinned")
    if any(key == FAILED for key, _ in checkpoint.labels.meta):
        notes.append("a call failed")
    if not checkpoint.record.coverage.complete:
        notes.append("incomplete")
    text = " ".join(notes)
    if checkpoint.drill is None:
        return text
    drill = checkpoint_title.drill_in_words(checkpoint.drill, look)
    return f"{text}, {drill}" if text else drill


def _widths(rows: list[Row], width: int) -> list[int]:
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    if widths:
        title, headline = widths[_TITLE], widths[_HEADLINE]
        room = width - 1 - sum(len(_GAP) + other for other in widths if other) + title + headline
        widths[_HEADLINE] = min(headline, max(room - title, room // 2, _MIN_WIDTH))
        widths[_TITLE] = min(title, max(room - widths[_HEADLINE], _MIN_WIDTH))
    return widths


def _line(checkpoint: Checkpoint, row: Row, widths: list[int], look: Style) -> str:
    colours = _colours(checkpoint)
    cells = [paint(checkpoint_title.mark(checkpoint), colours[0], look)]
    for text, width, colour in zip(row, widths, colours[1:], strict=True):
        if width:  # empty columns are left out
            cells.append(paint(pad(shorten_to_width(text, width), width), colour, look))
    line = _GAP.join(cells)
    return line if look.colour else line.rstrip()


def _colours(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the colours of the mark and of each cell."""
    if checkpoint.is_rescue:
        return ("dim",) * 8
    verdict = checkpoint_title.verdict_colour(checkpoint.verdict) if checkpoint.verdict else ""
    title = "bold" if checkpoint_title.mark(checkpoint) == checkpoint_title.MARK_SAVED else ""
    notes = _notes_colour(checkpoint)
    return ("cyan", "dim", "", title, verdict, "", "cyan", notes)


def _notes_colour(checkpoint: Checkpoint) -> str:
    drill = checkpoint.drill
    if drill is not None and not drill.is_proven:
        return "red"
    has_failed = any(key == FAILED for key, _ in checkpoint.labels.meta)
    is_fine = drill is not None and not has_failed and checkpoint.record.coverage.complete
    return "green" if checkpoint.is_here or is_fine else "yellow"
