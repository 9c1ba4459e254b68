"""Text of commands run in copies: verify, drill, exec and try."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from clew.model.shorten import shorten_to_width, width_of
from clew.model.verdict import RunEnd
from clew.render import card, changes, checkpoint_title, drill, units, verdicts
from clew.render.columns import pad
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.model.results import Difference
    from clew.model.sandbox_results import (
        AttemptResult,
        DrillResult,
        Executed,
        RunOutcome,
        TryResult,
        VerifyResult,
    )

_ENDED = {
    RunEnd.TIMEOUT: "timed out",
    RunEnd.INTERRUPTED: "interrupted",
    RunEnd.FAILED: "could not be run",
}
_HOW = "`--all`"
"""What lists every path."""
_TAIL_LINES = 5
_LIMITS_SHOWN = 20
_GAP = "  "
_INDENT = "      "
_LEAST_ROOM = 20
"""Characters for the last column of a table."""


def judged(result: VerifyResult, look: Style) -> Iterator[str]:
    """Yield the verdict on a checkpoint, where the check ran, and its limitations."""
    verdict = result.verdict
    yield card.heading(result.checkpoint, look)
    yield from verdicts.ran(verdict, look)
    yield f"  ran in {verdicts.place(verdict)}"
    yield from notes(verdict.details.notes, look)


def drilled(result: DrillResult, look: Style) -> Iterator[str]:
    """Yield the outcome of a drill: what was compared, what differs, and its check."""
    coverage = result.checkpoint.record.coverage
    yield card.heading(result.checkpoint, look)
    took = units.duration(result.duration_ns)
    if result.drill.is_proven:
        what = units.count(coverage.files, "entry", "entries")
        size = units.size(coverage.total_bytes)
        yield f"  {drill.summary(result.drill, look)}: {what}, {size}, in {took}"
    else:
        what = units.count(result.drill.differing_count, "path")
        yield f"  {drill.summary(result.drill, look)}: {what}"
        yield from drill.differences(result.differences, result.drill.differing_count)
    if result.limits:
        what = units.count(len(result.limits), "path")
        yield f"  {what} not compared in full:"
        for item in result.limits[:_LIMITS_SHOWN]:
            yield f"    {safe_path(item.path) or '.'}  ({safe_line(item.reason)})"
        if len(result.limits) > _LIMITS_SHOWN:
            yield f"    and {len(result.limits) - _LIMITS_SHOWN:,} more"
    if result.verdict is not None:
        yield from verdicts.ran(result.verdict, look)
        yield f"  ran in {verdicts.place(result.verdict)}"
    for notice in result.notices:
        yield paint(f"  ⚠ {safe_line(notice)}", "yellow", look)


def executed(result: Executed, look: Style, *, everything: bool = False) -> Iterator[str]:
    """Yield how a command ended, and what it changed in the discarded copy."""
    outcome = result.outcome
    yield f"{safe_line(outcome.command)}: {ended(outcome)}; the copy was discarded"
    yield from notes(outcome.notes, look)
    if result.difference is not None:
        yield from changes.with_story(result.difference, look, _HOW, everything=everything)


def board(found: TryResult, look: Style, *, everything: bool = False) -> Iterator[str]:
    """Yield a table of all attempts, then what each one did."""
    what = units.count(len(found.attempts), "attempt")
    asked = f", checked with {safe_line(found.check)}" if found.check else ""
    yield f"{what} from {checkpoint_title.called(found.base)}{asked}:"
    yield from _results([_row(attempt, found.check) for attempt in found.attempts], look)
    common = _common_notes(found)
    yield from notes(common, look)
    for attempt in found.attempts:
        yield ""
        yield from _attempt(attempt, common, look, everything)


def table(rows: list[tuple[str, ...]], look: Style) -> Iterator[str]:
    """Yield rows in columns; the last column takes the rest of the line."""
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for *cells, last in rows:
        kept = [pad(text, width) for text, width in zip(cells, widths, strict=False) if width]
        line = _GAP.join(["", *kept])
        room = max(look.width - width_of(line) - len(_GAP), _LEAST_ROOM)
        yield f"{line}{_GAP}{shorten_to_width(last, room)}".rstrip()


def ended(outcome: RunOutcome) -> str:
    """Return `exit 0, 2.1 s`, or `timed out, 600 s`."""
    how = _ENDED.get(outcome.end_reason, f"exit {outcome.exit_code}")
    return f"{how}, {units.duration(outcome.duration_ns)}"


def notes(sentences: Iterable[str], look: Style) -> Iterator[str]:
    """Yield the limitations of a run."""
    for sentence in sentences:
        yield paint(f"  · {safe_line(sentence, 1000)}", "dim", look)


def _results(rows: list[tuple[str, ...]], look: Style) -> Iterator[str]:
    """Yield a table of attempts; on a narrow terminal, some lines for each."""
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    if sum(widths[:-1]) + len(_GAP) * len(widths) + _LEAST_ROOM <= look.width:
        yield from table(rows, look)
        return
    for name, command, check, counts, headline in rows:
        yield shorten_to_width(f"{_GAP}{name}", look.width)
        for text in filter(None, (command, check, _GAP.join(filter(None, (counts, headline))))):
            yield shorten_to_width(f"{_INDENT}{text}", look.width)


def _row(attempt: AttemptResult, check: str) -> tuple[str, ...]:
    return (
        safe_line(attempt.fork or attempt.name),
        f"command {ended(attempt.outcome)}",
        checkpoint_title.check(attempt.verdict) if attempt.verdict else _unchecked(check),
        checkpoint_title.counts(attempt.checkpoint.changes)
        if attempt.checkpoint is not None
        else "",
        _headline(attempt.difference),
    )


def _unchecked(check: str) -> str:
    return "check not run" if check else "no check"


def _headline(difference: Difference | None) -> str:
    return safe_line(difference.story.headline) if difference and difference.story else ""


def _common_notes(found: TryResult) -> list[str]:
    """Return the notes that all attempts share."""
    first = found.attempts[0].outcome.notes
    return [
        note for note in first if all(note in attempt.outcome.notes for attempt in found.attempts)
    ]


def _attempt(
    attempt: AttemptResult, common: list[str], look: Style, everything: bool
) -> Iterator[str]:
    name = paint(safe_line(attempt.fork or attempt.name), "bold", look)
    called = (
        f" (given as {safe_line(attempt.name)})" if attempt.fork not in ("", attempt.name) else ""
    )
    yield f"{name}{called}: {safe_line(attempt.outcome.command)}"
    if attempt.difference is not None:
        yield from changes.with_story(attempt.difference, look, _HOW, everything=everything)
    if attempt.verdict is not None and attempt.verdict.details.reason:
        yield f"  inconclusive: {safe_line(attempt.verdict.details.reason)}"
    if not attempt.is_good:
        yield from _tail(attempt)
    yield from notes([note for note in attempt.outcome.notes if note not in common], look)
    if attempt.fork:
        yield f"  `clew adopt {shlex.quote(safe_line(attempt.fork))}` merges it"


def _tail(attempt: AttemptResult) -> Iterator[str]:
    """Yield the end of the output of what failed: the check, or the command."""
    is_check = attempt.outcome.succeeded and attempt.verdict is not None
    output = (
        attempt.verdict.output
        if is_check and attempt.verdict is not None
        else attempt.outcome.output
    )
    for line in output.splitlines()[-_TAIL_LINES:]:
        yield f"    {safe_line(line)}"
