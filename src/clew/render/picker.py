"""Text of the picker: one line for each checkpoint, what is shown beside it, and its keys.

A row is at most as wide as its pane, and is made when it comes into view: a history of thousands of
checkpoints opens at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.shorten import shorten_to_width, width_of
from clew.render import checkpoint_title, position, story, timestamps, verdicts
from clew.render.columns import pad
from clew.render.safe import safe, safe_line, safe_path
from clew.render.style import Style, paint
from clew.render.units import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clew.model.checkpoint import Checkpoint, WorkspaceInfo
    from clew.model.results import CheckpointStory, Log

_ID_WIDTH = 8
_MIN_TITLE = 12


class PickRows:
    """The rows of the list: each a text, and the checkpoint that it selects."""

    def __init__(
        self, checkpoints: Sequence[Checkpoint | None], text: Callable[[int], str]
    ) -> None:
        self.checkpoints = checkpoints
        """One for each row; None for a row that cannot be selected, as a heading."""
        self.text = text
        """Returns the text of a row, which is made only then."""


def rows(log: Log, look: Style) -> PickRows:
    """Return the rows of a timeline, each a column narrower than `look.width`."""
    found = log.checkpoints
    # The oldest has the longest date.
    times = max((width_of(_when(found[at], look)) for at in (0, -1)), default=0) if found else 0
    return PickRows(found, lambda number: _row(found[number], times, look))


def searched(checkpoint: Checkpoint) -> str:
    """Return the text in which a search looks, in lower case."""
    labels = checkpoint.labels
    parts = (labels.intent, labels.name, checkpoint.headline or "")
    return " ".join("\n".join(parts).lower().split())


def story_of(details: CheckpointStory, look: Style) -> Iterator[str]:
    """Yield what decides about a checkpoint: title, verdict, story."""
    checkpoint = details.checkpoint
    labels, record = checkpoint.labels, checkpoint.record
    yield paint(checkpoint_title.title(checkpoint), "bold", look)
    when = timestamps.full(record.time_ns, look)
    here = paint("  ← here", "green", look) if checkpoint.is_here else ""
    yield f"{paint(short(checkpoint.id), 'cyan', look)}  {when}{here}"
    if checkpoint.verdict is not None:
        yield verdicts.known(checkpoint.verdict, look)
    else:
        yield paint("no check has run on it", "dim", look)
    if record.position.session:
        yield paint(f"session {position.called(record.position)}", "dim", look)
    for line in labels.description.splitlines():
        yield safe(line)
    yield ""
    yield from story.lines(details.story, look)
    for text in details.unmentioned:
        yield paint(f"≠ not mentioned in the intent: {safe(text)}", "yellow", look)
    for note in labels.notes:
        yield f"note: {safe_line(note)}"
    for gap in checkpoint_title.gaps(record.coverage):
        yield paint(f"⚠ {gap}", "yellow", look)


def heading(info: WorkspaceInfo, shown: int, total: int, searched_for: str) -> str:
    """Return the first line of the screen."""
    what = count(total, "checkpoint")
    if searched_for:
        what = f"{shown:,} of {what} with {safe(searched_for)!r}"
    return f"{what} in {safe_path(info.path)}"  # the end may be cut


KEYS = (
    "Enter restore  p preview  d diff  f fork  v verify  u undo  / search  ? help  q quit",
    "Enter restore  p preview  / search  ? more keys  q quit",
    "? keys  q quit",
)
"""The keys in the last line: the first that fits is shown."""

HELP = (
    "j, ↓            next checkpoint",
    "k, ↑            previous checkpoint",
    "PageDown, PageUp, g, G",
    "                a screen down or up, the newest, the oldest",
    "J, K            scroll this pane",
    "/               search in intents, names, headlines and ids;",
    "                Enter keeps the matches, Escape shows everything again",
    "Enter, r        restore the checkpoint; shows what it would change, and asks",
    "p               show here what a restore would change",
    "d               show what differs in the workspace as it is",
    "f               fork: create a workspace from it, in a directory",
    "v               verify: run a check on it in a sandboxed copy",
    "u               undo the last restore or save",
    "?               this help",
    "q, Ctrl-C       leave",
)


def _row(checkpoint: Checkpoint, times: int, look: Style) -> str:
    """Return `● 10:27 ✔ before auth  3 packages upgraded  4f2a91c0`."""
    is_rescue = checkpoint.is_rescue
    verdict = checkpoint.verdict
    sign = checkpoint_title.verdict(verdict)[:1] if verdict is not None else " "
    colour = checkpoint_title.verdict_colour(verdict) if verdict is not None else ""
    mark = checkpoint_title.mark(checkpoint)
    cells = [
        paint(mark, "dim" if is_rescue else "cyan", look),
        paint(pad(_when(checkpoint, look), times), "dim", look),
        paint(sign, colour, look),
        _words(checkpoint, look, max(look.width - times - _ID_WIDTH - 7, _MIN_TITLE)),
        paint(short(checkpoint.id), "dim" if is_rescue else "cyan", look),
    ]
    return " ".join(cells)


def _words(checkpoint: Checkpoint, look: Style, room: int) -> str:
    """Return the title and what happened, in exactly `room` columns."""
    here = "here: " if checkpoint.is_here else ""
    title = checkpoint_title.title(checkpoint)
    told = safe_line(checkpoint.headline) if checkpoint.headline else ""
    told = told or checkpoint_title.counts(checkpoint.changes)
    left = room - width_of(here)
    # The title comes first, and leaves two fifths to the story where there is room for both.
    is_wide = told and left >= 3 * _MIN_TITLE
    title = shorten_to_width(
        title, max(left - width_of(told) - 2, left * 3 // 5) if is_wide else left
    )
    rest = left - width_of(title) - 2
    told = shorten_to_width(told, rest) if told and rest >= _MIN_TITLE else ""
    used = width_of(here) + width_of(title) + (2 + width_of(told) if told else 0)
    is_saved = checkpoint_title.mark(checkpoint) == checkpoint_title.MARK_SAVED
    colour = "dim" if checkpoint.is_rescue else "bold" if is_saved else ""
    text = paint(here, "green", look) + paint(title, colour, look)
    if told:
        text += "  " + paint(told, "dim" if checkpoint.is_rescue else "", look)
    return text + " " * (room - used)


def _when(checkpoint: Checkpoint, look: Style) -> str:
    return timestamps.brief(checkpoint.record.time_ns, look)
