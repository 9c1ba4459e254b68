"""Cells of a timeline: the texts and colours of each row, and the lines between days and checks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.named_tuple import NamedTuple
from clew.policy.labels import FAILED
from clew.render import authors, checkpoint_title, timestamps, units
from clew.render.safe import safe_line
from clew.render.style import Style
from clew.render.timeline.graph import Graph, GraphCells
from clew.render.timeline.rows import (
    CheckpointRow,
    FailureRow,
    FoldedRow,
    ForkRow,
    GapRow,
    HeadingRow,
    HereRow,
    Row,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from clew.model.checkpoint import Checkpoint
    from clew.model.failed_call import FailedCall
    from clew.model.ids import CheckpointId
    from clew.model.results import Log

MARK_HERE = "@"
MARK_FAILURE = "×"
MARK_FORK = "◇"

_NARROW, _WIDE = 80, 110
_RULE = re.compile(r"[-=_*#~]{4,} ?")


class Cells(NamedTuple):
    """One line before it is laid out."""

    graph: GraphCells
    id: str = ""
    time: str = ""
    who: str = ""
    sign: str = ""
    title: str = ""
    notes: str = ""
    """Shown after the title, and never shortened for it."""
    story: str = ""
    rest: str = ""
    """Text across the columns behind the time, in place of them."""
    line: str = ""
    """Text across all columns."""
    colours: tuple[str, str, str, str] = ("", "", "", "")
    """Of sign, title, notes and story (or `rest`, or `line`)."""
    mark_colour: str = "cyan"
    is_quiet: bool = False
    """Whether it is dim as a whole."""


class Layout:
    """Turns rows into cells, from top to bottom."""

    def __init__(self, log: Log, look: Style, found: Sequence[Row], *, graph: bool) -> None:
        self._log = log
        self._look = look
        self._rows = found
        most = 3 if look.width < _NARROW else 5 if look.width < _WIDE else 8
        self._graph = Graph(_main_line(log), most) if graph else None
        self._names = authors.names(log.checkpoints)
        self._clocks = _clocks(found, look)
        self._command = ""

    def cells(self) -> list[Cells]:
        days = [_day(row, self._look) for row in self._rows]
        shows_days = any(day not in ("", timestamps.TODAY) for day in days)
        found: list[Cells] = []
        day = ""
        for row, its_day in zip(self._rows, _filled(days), strict=True):
            if shows_days and its_day != day:
                day = its_day
                found.append(self._across(day, "bold"))
            if (command := _command_of(row)) and command != self._command:
                self._command = command
                found.append(self._across(f"check: {command}", "dim"))
            found.append(self._row(row))
        return found

    def _row(self, row: Row) -> Cells:
        match row:
            case CheckpointRow():
                return self._checkpoint(row)
            case HereRow(checkpoint):
                return self._checkpoint(CheckpointRow(checkpoint))
            case FoldedRow():
                return self._folded(row)
            case FailureRow():
                return self._failure(row)
            case ForkRow():
                return self._fork(row)
            case HeadingRow():
                return self._heading(row)
            case GapRow(number):
                graph = self._between()
                missing = units.count(number, "checkpoint")
                return Cells(graph, line=f"{missing} not shown", colours=("", "", "", "dim"))

    def _checkpoint(self, row: CheckpointRow) -> Cells:
        checkpoint = row.checkpoint
        mark = MARK_HERE if checkpoint.is_here else checkpoint_title.mark(checkpoint)
        graph = self._node(checkpoint.id, mark, self._parents(checkpoint))
        verdict = checkpoint.verdict
        found = self._log.matches.get(checkpoint.id)
        story = safe_line(found) if found else _what_happened(checkpoint)
        is_aside = checkpoint.is_rescue or bool(graph.node)
        return Cells(
            graph,
            short(checkpoint.id),
            self._clocks[checkpoint.id],
            "" if row.is_headed else self._names.author(checkpoint),
            checkpoint_title.verdict_sign(verdict) if verdict else "",
            _title(checkpoint, is_headed=row.is_headed),
            self._notes(row),
            story,
            colours=(
                checkpoint_title.verdict_colour(verdict) if verdict else "",
                "bold" if mark == checkpoint_title.MARK_SAVED or checkpoint.is_here else "",
                _notes_colour(row),
                "red" if story.startswith("! ") else "",
            ),
            mark_colour="green" if checkpoint.is_here else "cyan",
            is_quiet=is_aside,
        )

    def _folded(self, row: FoldedRow) -> Cells:
        newest, oldest = row.checkpoints[0], row.checkpoints[-1]
        graph = self._node(newest.id, checkpoint_title.MARK_AUTOMATIC, self._parents(oldest))
        headlines = dict.fromkeys(map(_what_happened, row.checkpoints))
        return Cells(
            graph,
            short(newest.id),
            self._clocks.get(newest.id, ""),
            "" if row.is_headed else self._names.author(newest),
            title=f"{len(row.checkpoints)} edits from {short(oldest.id)}",
            story="; ".join(headlines),
            is_quiet=bool(graph.node),
        )

    def _failure(self, row: FailureRow) -> Cells:
        newest, *others = row.failures
        graph = (
            self._graph.mark(newest.before, MARK_FAILURE)
            if self._graph
            else GraphCells(MARK_FAILURE, 0)
        )
        reason = f": {_reason(newest)}" if newest.reason else ""
        more = f" (and {len(others):,} more failed calls)" if others else ""
        return Cells(
            graph,
            time=timestamps.clock(newest.time_ns, self._look, seconds=True),
            who="" if row.is_headed else self._names.of_session(newest.session),
            rest=f"failed: {safe_line(newest.call)}{reason}{more}",
            colours=("", "", "", "red"),
            mark_colour="red",
        )

    def _fork(self, row: ForkRow) -> Cells:
        fork = row.fork
        graph = self._node(fork.workspace, MARK_FORK, [fork.base])
        saves = units.count(fork.saves, "checkpoint") if fork.saves else "no checkpoint yet"
        headline = f": {safe_line(fork.headline)}" if fork.headline else ""
        return Cells(
            graph,
            time=timestamps.clock(fork.time_ns, self._look),
            rest=f"fork {safe_line(fork.name)}, {saves}{headline}",
            mark_colour="yellow",
        )

    def _heading(self, row: HeadingRow) -> Cells:
        who = self._names.heading(row.checkpoint)
        prompt = safe_line(row.checkpoint.labels.prompt)
        text = f"{who}: {prompt}" if prompt else who
        number = units.count(row.number, "checkpoint")
        return self._across(text, "cyan", f" ({number})" if row.number else "")

    def _across(self, text: str, colour: str, suffix: str = "") -> Cells:
        return Cells(self._between(), line=text, notes=suffix, colours=("", "", "dim", colour))

    def _between(self) -> GraphCells:
        return self._graph.between() if self._graph else GraphCells("", None)

    def _node(self, name: Hashable, mark: str, parents: Sequence[Hashable]) -> GraphCells:
        return self._graph.node(name, mark, parents) if self._graph else GraphCells(mark, 0)

    def _parents(self, checkpoint: Checkpoint) -> list[Hashable]:
        branches = self._log.branches
        if branches is None:
            return []
        found: list[Hashable] = []
        if checkpoint.id in branches.parents:
            found.append(branches.parents[checkpoint.id])
        adopted = branches.adopted.get(checkpoint.id)
        if adopted is not None and found and self._is_below(adopted, checkpoint):
            found.append(adopted)
        return found

    def _is_below(self, fork: bytes, checkpoint: Checkpoint) -> bool:
        """Return whether the row of a fork is still to come."""
        at = next(
            number
            for number, row in enumerate(self._rows)
            if isinstance(row, CheckpointRow) and row.checkpoint.id == checkpoint.id
        )
        later = self._rows[at:]
        return any(isinstance(row, ForkRow) and row.fork.workspace == fork for row in later)

    def _notes(self, row: CheckpointRow) -> str:
        checkpoint = row.checkpoint
        notes = []
        if checkpoint.is_here:
            notes.append("← here")
        if checkpoint.labels.pinned:
            notes.append("pinned")
        if row.failures or (self._log.branches is None and _has_failed_label(checkpoint)):
            notes.append("failed")
        if not checkpoint.record.coverage.complete:
            notes.append("incomplete")
        if checkpoint.drill is not None:
            notes.append(checkpoint_title.drill_in_words(checkpoint.drill, self._look))
        return " ".join(notes)


def _main_line(log: Log) -> CheckpointId | None:
    """Return the first node of the current line of history, if it is listed."""
    if log.branches is not None and log.branches.here is not None:
        return log.branches.here.id
    return log.here if any(one.id == log.here for one in log.checkpoints) else None


def _title(checkpoint: Checkpoint, *, is_headed: bool) -> str:
    """Return name and intent, without the prompt if a heading names it."""
    labels = checkpoint.labels
    if checkpoint.is_rescue:
        return f"↩ {safe_line(labels.intent)}"
    if not labels.named and not labels.intent:
        return ""
    if is_headed and labels.prompt and labels.intent.startswith(labels.prompt):
        rest = labels.intent[len(labels.prompt) :].removeprefix(": ")
        intent = safe_line(rest) if rest else "end of the turn"
        return f"{safe_line(labels.name)} · {intent}" if labels.named else intent
    return checkpoint_title.title(checkpoint)


def _what_happened(checkpoint: Checkpoint) -> str:
    """Return the headline of the story, or the counts if there is no story yet."""
    if checkpoint.headline is None:
        return checkpoint_title.counts(checkpoint.changes)
    return safe_line(checkpoint.headline)


def _reason(failure: FailedCall) -> str:
    """Return why a call failed, without the rules that programs draw."""
    return safe_line(_RULE.sub("", failure.reason))


def _has_failed_label(checkpoint: Checkpoint) -> bool:
    return any(key == FAILED for key, _ in checkpoint.labels.meta)


def _notes_colour(row: CheckpointRow) -> str:
    checkpoint = row.checkpoint
    if row.failures or (checkpoint.drill is not None and not checkpoint.drill.is_proven):
        return "red"
    is_fine = checkpoint.is_here or (checkpoint.drill is not None)
    return "green" if is_fine and checkpoint.record.coverage.complete else "yellow"


def _command_of(row: Row) -> str:
    """Return the command of the check whose result a row shows."""
    if not isinstance(row, CheckpointRow | HereRow):
        return ""
    verdict = row.checkpoint.verdict
    return safe_line(verdict.command) if verdict is not None and not verdict.is_by_hand else ""


def _time_ns(row: Row) -> int | None:
    match row:
        case CheckpointRow(checkpoint) | HereRow(checkpoint):
            return checkpoint.record.time_ns
        case FoldedRow(checkpoints):
            return checkpoints[0].record.time_ns
        case FailureRow(failures):
            return failures[0].time_ns
        case ForkRow(fork):
            return fork.time_ns
        case _:
            return None


def _day(row: Row, look: Style) -> str:
    time_ns = _time_ns(row)
    return "" if time_ns is None else timestamps.day(time_ns, look)


def _filled(days: Sequence[str]) -> list[str]:
    """Return the days, with those of rows without a time taken from the next row."""
    found: list[str] = []
    following = ""
    for day in reversed(days):
        following = day or following
        found.append(following)
    return found[::-1]


def _clocks(found: Sequence[Row], look: Style) -> dict[CheckpointId, str]:
    """Return the time of day of each checkpoint, with seconds if a neighbour has the same minute."""
    timed = [
        (row.checkpoints[0] if isinstance(row, FoldedRow) else row.checkpoint)
        for row in found
        if isinstance(row, CheckpointRow | FoldedRow | HereRow)
    ]
    minutes = [timestamps.minute(one.record.time_ns, look) for one in timed]
    clocks = {}
    for number, one in enumerate(timed):
        neighbours = minutes[max(number - 1, 0) : number] + minutes[number + 1 : number + 2]
        clocks[one.id] = timestamps.clock(
            one.record.time_ns, look, seconds=minutes[number] in neighbours
        )
    return clocks
