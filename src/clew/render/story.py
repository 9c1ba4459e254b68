"""Text of a story: the headline, then its lines by heading, warnings first; and of blame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.change import ChangeKind
from clew.model.fact import Severity
from clew.model.ids import short
from clew.model.shorten import shorten_to_width
from clew.render import authors, checkpoint_title, folded, timestamps, units
from clew.render.safe import safe, safe_path, shown_name
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.results import Appearance, Blame
    from clew.model.story import Story, StoryLine

_COLOURS = {Severity.HIGH: "red", Severity.NOTE: "yellow"}
_SIGNS = {Severity.HIGH: "⚠ ", Severity.NOTE: "· "}
_INDENT = "  "
FILES = "Files"
"""The heading of lines about single files."""


def headline(text: str, severity: str, look: Style) -> str:
    """Return a headline, red if it is a warning."""
    return paint(safe(text), _COLOURS.get(severity, "") if severity == Severity.HIGH else "", look)


def lines(
    story: Story, look: Style, *, headline: bool = True, everything: bool = True
) -> Iterator[str]:
    """Yield the headline and every line, each heading once.

    Without `everything`, the paths of a line are folded.
    """
    if headline:
        yield f"{_INDENT}{paint(safe(story.headline), 'bold', look)}"
    if story.retold:
        yield f"{_INDENT}{paint(safe(story.retold), 'dim', look)}"
    heading = ""
    for line in story.lines:
        if line.heading != heading:
            heading = line.heading
            yield f"{_INDENT}{paint(heading, 'dim', look)}"
        yield f"{_INDENT * 2}{_line(line, look)}"
        for text in map(_shown_path, line.paths) if everything else folded.names(line.paths):
            yield paint(f"{_INDENT * 4}{text}", "dim", look)


def brief(story: Story, limit: int, how: str, look: Style, margin: str = _INDENT) -> Iterator[str]:
    """Yield the first lines, each on one line of the terminal, and how to see the others.

    A summary is followed by a listing: lines about single files are left to that.
    """
    told = [line for line in story.lines if line.heading != FILES or line.severity != Severity.NONE]
    most = limit if len(told) <= limit else limit - 1
    for line in told[:most]:
        text = shorten_to_width(_plain(line), look.width - len(margin))
        yield f"{margin}{paint(text, _COLOURS.get(line.severity, ''), look)}"
    if told[most:]:
        what = units.count(len(told) - most, "more fact")
        yield paint(f"{margin}and {what}: {how}", "dim", look)


def _shown_path(path: str) -> str:
    return safe(shown_name(path)) or "."


def blamed(found: Blame, look: Style) -> Iterator[str]:
    """Yield the checkpoints that added, changed or removed something, newest first."""
    if not found.matches:
        yield f"No checkpoint changed {safe(found.subject)}"
        return
    names = authors.names([one.checkpoint for one in found.matches])
    for one in found.matches:
        checkpoint = one.checkpoint
        when = timestamps.short(checkpoint.record.time_ns, look)
        title = checkpoint_title.title(checkpoint)
        identifier = paint(short(checkpoint.id), "cyan", look)
        who = names.author(checkpoint)
        title = f"{who}  {title}" if who else title
        yield f"{paint(when, 'dim', look)}  {identifier}  {title}"
        for text in _events(one):
            yield f"{_INDENT * 2}{text}"


def _events(one: Appearance) -> Iterator[str]:
    for change in one.changes:
        path = safe_path(change.path) or "."
        what = "metadata changed" if change.kind == ChangeKind.METADATA else change.kind
        yield f"{path}: {what}"
    for fact in one.facts:
        parts = [f"{fact.kind} {safe(fact.subject)} ({safe(fact.scope)})"]
        if fact.before or fact.after:
            parts.append(f"{safe(fact.before or 'none')} → {safe(fact.after or 'none')}")
        parts.extend(safe(mark) for mark in fact.marks)
        yield ", ".join(parts)


def _line(line: StoryLine, look: Style) -> str:
    return paint(_plain(line), _COLOURS.get(line.severity, ""), look)


def _plain(line: StoryLine) -> str:
    return f"{_SIGNS.get(line.severity, '')}{safe(line.text)}"
