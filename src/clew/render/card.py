"""Text of one checkpoint: short after a save, in full for `show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.record import Origin
from clew.policy.labels import FAILED, label
from clew.render import (
    checkpoint_title,
    databases,
    drill,
    position,
    story,
    timestamps,
    units,
    verdicts,
)
from clew.render.columns import field
from clew.render.safe import safe, safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.checkpoint import Checkpoint
    from clew.model.record import Coverage
    from clew.model.results import CheckpointStory
    from clew.model.save_result import SaveResult
    from clew.model.story import Story

_INCOMPLETE = "  ⚠ this checkpoint is incomplete"

_FAILED_WIDTH = 160
"""Characters of the failed calls; `clew log --failed` lists them."""


def saved(result: SaveResult, look: Style) -> Iterator[str]:
    """Yield the new checkpoint: its title, changes, size, verdict, and gaps in coverage."""
    checkpoint = result.checkpoint
    yield heading(checkpoint, look)
    if checkpoint.labels.intent:
        yield f"  {safe_line(checkpoint.labels.intent)}{_source(checkpoint, look)}"
    if result.story is not None and result.created:
        yield _headline(result.story, look)
    cost = f"{units.size(result.new_bytes)} new in {units.duration(result.duration_ns)}"
    if not result.created:
        yield "  nothing changed, no checkpoint created"
    elif checkpoint.changes is None:
        yield f"  {cost}"
    else:
        yield f"  {checkpoint_title.counts_in_words(checkpoint.changes)}; {cost}"
    if result.verdict is not None:
        yield from verdicts.ran(result.verdict, look)
    elif checkpoint.verdict is not None:
        yield f"  {verdicts.known(checkpoint.verdict, look)}"
    if checkpoint.record.position.session:
        yield f"  {_session(checkpoint)}"
    for gap in checkpoint_title.gaps(checkpoint.record.coverage):
        yield paint(f"  ⚠ {gap}", "yellow", look)


def vouched(checkpoint: Checkpoint, look: Style) -> Iterator[str]:
    """Yield a checkpoint, its intent, and its verdict."""
    yield heading(checkpoint, look)
    if checkpoint.labels.intent:
        yield f"  {safe_line(checkpoint.labels.intent)}"
    if checkpoint.verdict is not None:
        yield f"  {verdicts.known(checkpoint.verdict, look)}"
        if checkpoint.verdict.is_by_hand:
            for line in checkpoint.verdict.output.splitlines():
                yield f"    {safe(line)}"


def shown(
    details: CheckpointStory, look: Style, *, verbose: bool = False, everything: bool = False
) -> Iterator[str]:
    """Yield one checkpoint: its story and verdict first, with `verbose` all that is recorded.

    With `everything`, the paths of a line are not folded.
    """
    checkpoint = details.checkpoint
    labels = checkpoint.labels
    yield f"{heading(checkpoint, look)}  {paint(_who(checkpoint), 'dim', look)}"
    for number, line in enumerate(labels.intent.splitlines()):
        yield f"  {safe(line)}{'' if number else _source(checkpoint, look)}"
    if labels.description:
        yield ""
        for line in labels.description.splitlines():
            yield f"  {safe(line)}"
    yield ""
    yield from story.lines(details.story, look, everything=everything)
    if details.look is not None:
        yield from databases.looked(details.look, checkpoint.record.time_ns, look)
    for text in details.unmentioned:
        yield paint(f"  ≠ not mentioned in the intent: {safe(text)}", "yellow", look)
    if checkpoint.verdict is not None:
        yield from verdicts.every_run(details.verdicts, checkpoint.verdict.command, look)
    yield from _labels(checkpoint)
    if verbose:
        yield ""
        yield from _recorded(checkpoint, look)
        return
    if checkpoint.record.parent is not None:
        yield field("parent", paint(short(checkpoint.record.parent), "cyan", look))
    for gap in checkpoint_title.gaps(checkpoint.record.coverage):
        yield paint(f"  ⚠ {gap}", "yellow", look)
    if not checkpoint.record.coverage.complete:
        yield paint(_INCOMPLETE, "yellow", look)
    is_folded = not everything and any(line.paths for line in details.story.lines)
    more = "`--all` lists every path; " if is_folded else ""
    yield paint(f"  {more}`--verbose` shows ids, coverage and position", "dim", look)


def _labels(checkpoint: Checkpoint) -> Iterator[str]:
    """Yield the metadata and notes."""
    for key, value in checkpoint.labels.meta:
        if key == FAILED:
            yield field("failed", safe_line(value, _FAILED_WIDTH))
            continue
        yield field("meta", f"{safe_line(key)} = {safe_line(value)}")
    for note in checkpoint.labels.notes:
        first, *more = note.splitlines()
        yield field("note", safe(first))
        for line in more:
            yield field("", safe(line))


def _recorded(checkpoint: Checkpoint, look: Style) -> Iterator[str]:
    """Yield the record: ids, coverage, consistency and position."""
    record = checkpoint.record
    yield field("id", checkpoint.id.hex())
    yield field("time", timestamps.full(record.time_ns, look))
    yield field("origin", f"{record.origin}, number {record.sequence} of its workspace")
    yield field("parent", record.parent.hex() if record.parent else "none, this is the first")
    yield field("tree", record.tree.hex())
    yield field("state", record.state.hex())
    if checkpoint.changes is not None:
        yield field("changes", checkpoint_title.counts_in_words(checkpoint.changes))
    yield field("consistency", record.consistency)
    yield from _coverage(record.coverage, look)
    if checkpoint.drill is not None:
        yield from drill.fields(checkpoint.drill, look)
    if record.position.session:
        yield field("session", position.called(record.position))
    if progress := position.progress(checkpoint):
        yield field("position", progress)


def _who(checkpoint: Checkpoint) -> str:
    """Return the agent, `you`, or how the checkpoint was made."""
    record = checkpoint.record
    if record.position.session:
        return safe_line(label(record.position.agent), 40) or "an agent"
    return "you" if record.origin == Origin.MANUAL else record.origin


def _source(checkpoint: Checkpoint, look: Style) -> str:
    """Return a remark behind an intent that was not given."""
    return paint("  (from git)", "dim", look) if checkpoint.labels.is_intent_from_git else ""


def _session(checkpoint: Checkpoint) -> str:
    progress = position.progress(checkpoint)
    who = f"session {position.called(checkpoint.record.position)}"
    return f"{who}: {progress}" if progress else who


def _headline(found: Story, look: Style) -> str:
    return f"  {story.headline(found.headline, found.severity, look)}"


def heading(checkpoint: Checkpoint, look: Style) -> str:
    """Return the first line."""
    labels = checkpoint.labels
    parts = [
        paint(checkpoint_title.mark(checkpoint), "cyan", look),
        paint(short(checkpoint.id), "cyan", look),
        paint(safe_line(labels.name), "bold", look),
        paint(timestamps.short(checkpoint.record.time_ns, look), "dim", look),
    ]
    if checkpoint.is_here:
        parts.append(paint("← here", "green", look))
    if labels.pinned:
        parts.append("pinned")
    return "  ".join(part for part in parts if part)


def _coverage(coverage: Coverage, look: Style) -> Iterator[str]:
    held = f"{units.count(coverage.files, 'entry', 'entries')}, {units.size(coverage.total_bytes)}"
    yield field("holds", held)
    if coverage.uncovered_count:
        parts = (f"{number:,} {reason}" for reason, number in coverage.counts)
        yield field("not captured", safe(", ".join(parts)))
        for item in coverage.uncovered:
            yield f"    {safe_path(item.path)}  ({item.reason_name})"
        if coverage.uncovered_count > len(coverage.uncovered):
            yield f"    and {coverage.uncovered_count - len(coverage.uncovered):,} more"
    if coverage.unstable:
        yield field("unstable", "kept changing while being read:")
        for path in coverage.unstable:
            yield f"    {safe_path(path)}"
    if coverage.blind:
        who = units.count(coverage.blind, "process", "processes")
        yield field("unseen", f"the memory maps of {who} could not be read")
    if not coverage.complete:
        yield paint(_INCOMPLETE, "yellow", look)
