"""Text of a bisect: each step, and the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.bisect_search import BisectMark, BisectOutcome
from clew.model.ids import short
from clew.model.verdict import RunEnd
from clew.render import card, checkpoint_title, story, units
from clew.render.columns import field
from clew.render.safe import safe, safe_line
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.bisect_search import BisectResult
    from clew.model.checkpoint import Checkpoint
    from clew.model.verdict import Verdict

_SHOWN = 10
"""Checkpoints listed per kind; JSON has all of them."""

_WHY_SKIPPED = {
    RunEnd.SKIPPED: "the check returned 125",
    RunEnd.TIMEOUT: "it timed out",
    RunEnd.FAILED: "it could not be started",
    RunEnd.INCONCLUSIVE: "inconclusive",
}


def question(checkpoint: Checkpoint, more: int) -> str:
    """Return `Checking 3f2a9c10 (upgrade requests), about 3 more`."""
    rest = f", about {more} more" if more else ""
    return f"Checking {checkpoint_title.called(checkpoint)}{rest}"


def answer(word: str, verdict: Verdict | None) -> str:
    """Return the line with the result for one candidate."""
    if verdict is None:
        return "? skipped"
    took = units.duration(verdict.duration_ns)
    match word:
        case BisectMark.GOOD:
            return f"✔ passing, {took}"
        case BisectMark.BAD:
            return f"✘ failing, exit {verdict.exit_code}, {took}"
        case BisectMark.FLAKY:
            return "~ flaky: it passes and fails on the same files, skipped"
        case _:
            why = _WHY_SKIPPED.get(verdict.end_reason, "it changed the files under test")
            return f"? skipped: {why}, {took}"


def ended(found: BisectResult, look: Style) -> Iterator[str]:
    """Yield the result, the story of the first bad checkpoint, and the next step."""
    match found.outcome:
        case BisectOutcome.FOUND:
            yield "The first bad checkpoint is"
            yield from _culprit(found, look)
        case BisectOutcome.BETWEEN:
            yield "The first bad checkpoint is one of these; the check cannot judge those before the last"
            yield from _listed(found.suspects)
            yield from _culprit(found, look)
        case BisectOutcome.ALL_GOOD:
            yield f"All good: the check passes on {_called(found.newest)}"
        case BisectOutcome.ALL_BAD:
            yield f"All bad: the check fails even on {_called(found.first_bad)}"
        case BisectOutcome.INCONCLUSIVE:
            yield f"Inconclusive: {safe_line(found.reason, 1000)}"
        case _:
            yield _undecided(found)
    yield from _search(found, look)
    yield from _next_step(found)


def _culprit(found: BisectResult, look: Style) -> Iterator[str]:
    """Yield the first bad checkpoint, its intent, and the story of what changed there."""
    if found.details is None:
        return
    checkpoint = found.details.checkpoint
    if found.outcome == BisectOutcome.FOUND:
        yield card.heading(checkpoint, look)
        for line in checkpoint.labels.intent.splitlines():
            yield f"  {safe(line)}"
    yield ""
    yield from story.lines(found.details.story, look)
    for text in found.details.unmentioned if found.outcome == BisectOutcome.FOUND else ():
        yield paint(f"  ≠ not mentioned in the intent: {safe(text)}", "yellow", look)
    yield ""


def _undecided(found: BisectResult) -> str:
    newest = _called(found.newest)
    if found.first_bad is not None:
        return f"Undecided: the check cannot judge any before {newest}, which is bad"
    if any(one.id == found.newest.id for one in found.flaky):
        return f"Undecided: the check both passes and fails on {newest}"
    return f"Undecided: the check cannot judge {newest}"


def _search(found: BisectResult, look: Style) -> Iterator[str]:
    """Yield the extent of the search, and the checkpoints that could not be judged."""
    if found.last_good is not None and found.outcome != BisectOutcome.ALL_GOOD:
        yield field("last good", _called(found.last_good))
    yield field("check", safe_line(found.command))
    known = f", {found.known:,} known before" if found.known else ""
    states = units.count(found.candidates, "state")
    yield field("searched", f"{states}, {units.count(found.runs, 'run')}{known}")
    if found.deleted:
        yield field("", f"{units.count(found.deleted, 'deleted checkpoint')} skipped")
    for label, checkpoints in (("skipped", found.skipped), ("flaky", found.flaky)):
        if checkpoints:
            yield paint(field(label, f"{len(checkpoints):,} not judged"), "yellow", look)
            yield from _listed(checkpoints)


def _listed(checkpoints: Sequence[Checkpoint]) -> Iterator[str]:
    for checkpoint in checkpoints[:_SHOWN]:
        yield f"    {_called(checkpoint)}"
    if len(checkpoints) > _SHOWN:
        yield f"    and {len(checkpoints) - _SHOWN:,} more; --json lists all"


def _next_step(found: BisectResult) -> Iterator[str]:
    good, bad = found.last_good, found.first_bad
    match found.outcome:
        case BisectOutcome.ALL_GOOD:
            yield "To search further, give a checkpoint that fails: `clew bisect GOOD BAD`"
        case BisectOutcome.ALL_BAD if bad is not None and bad.record.parent is None:
            yield "It is the first checkpoint, so the check never passed"
        case BisectOutcome.ALL_BAD:
            yield "To search further, give an older checkpoint that passes: `clew bisect GOOD`"
        case BisectOutcome.INCONCLUSIVE:
            yield "The check needs what a copy lacks: see --allow-socket and --network in `clew bisect --help`"
        case BisectOutcome.UNDECIDED:
            yield "To search further, give others: `clew bisect GOOD BAD`"
        case _ if good is not None and bad is not None:
            yield from _follow_ups(good, bad, found.newest)


def _follow_ups(good: Checkpoint, bad: Checkpoint, newest: Checkpoint) -> Iterator[str]:
    if good.record.workspace == newest.record.workspace:
        yield f"`clew restore {short(good.id)}` restores the last good one"
    if bad.record.workspace == newest.record.workspace:
        yield f"`clew show {short(bad.id)} --paths` lists every path that changed"
    else:
        yield "It is a checkpoint of the workspace that this one was forked from"


def _called(checkpoint: Checkpoint | None) -> str:
    return checkpoint_title.called(checkpoint) if checkpoint is not None else ""
