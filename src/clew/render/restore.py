"""Text of a restore: the preview and the result."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.restore_results import SkipReason
from clew.render import checkpoint_title, effects, merge, parts, story, timestamps, units
from clew.render.restore_paths import PreviewPaths
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.failed_call import BeforeFailure
    from clew.model.restore_results import RestoreFacts, RestorePreview, RestoreResult, SkippedPath
    from clew.model.story import StoryLine

_SHOWN = 20
"""Paths listed per kind; JSON has all of them."""
_TIGHT = 10
"""Disk space is worth a line if less than this multiple of what is needed is free."""
_FACTS = 8
_MANY = 1000
"""Paths from which on a restore is summarized."""
_FACTS_OF_MANY = 3


def preview(
    plan: RestorePreview, look: Style, way_back: str = "undo", *, everything: bool = False
) -> Iterator[str]:
    """Yield what a restore would mean and do, what matters most first.

    Facts come first, then files written by hand that would be overwritten, the other paths,
    programs and effects; last what keeps the current state, and the command that brings it back.
    """
    if plan.merge is not None and plan.merge.is_blocked:
        yield from merge.blocked(plan.merge, look)
        return
    what = (
        f"Restoring {checkpoint_title.called(plan.target)}"
        if not plan.merge
        else merge.doing(plan.merge)
    )
    if plan.before_failure is not None:
        what += f", {_failed_call(plan.before_failure, look)},"
    yield f"{what} would"
    if not (plan.created or plan.needs_confirmation):
        yield "  change nothing"
    else:
        yield from _facts(plan, look, everything)
    paths = PreviewPaths(plan, look, everything=everything)
    yield from paths.work()
    yield from paths.others()
    if plan.merge is not None:
        yield from merge.would_merge(plan.merge, look)
    yield from reasons("leave alone", plan.skipped)
    if plan.processes:
        yield f"  affect {units.count(len(plan.processes), 'running program')}"
        for holder in plan.processes[:_SHOWN]:
            who = f"{safe_line(holder.command, 40)} (process {holder.pid})"
            yield f"      {who} uses {safe_path(holder.path)}"
        yield from _more(len(plan.processes))
    yield from parts.would(plan.brought, look)
    yield from parts.concurrent_work(plan.concurrent_work, "revert", look)
    yield from effects.outstanding(plan.effects, look)
    if paths.is_folded:
        yield paint(f"{_lists_all(plan)} lists every path.", "dim", look)
    if plan.needed_bytes * _TIGHT > plan.free_bytes:
        free = units.size(plan.free_bytes)
        yield f"It needs {units.size(plan.needed_bytes)} of disk space; {free} are free."
    if plan.dirty or plan.needs_confirmation:
        held = "is saved first" if plan.dirty else "is in a checkpoint"
        how = f"`clew {way_back}` brings it back" if way_back else "so this can be undone"
        yield f"The current state {held}; {how}."


def _facts(plan: RestorePreview, look: Style, everything: bool) -> Iterator[str]:
    """Yield the facts that would be taken back and brought back."""
    if plan.facts is None:
        return
    found = plan.facts()
    brought = "bring in" if plan.merge is not None else "bring back"
    size = len(plan.created) + len(plan.replaced) + len(plan.deleted)
    most = len(_all_lines(found)) if everything else _FACTS if size < _MANY else _FACTS_OF_MANY
    for verb, told in (("take back", found.taken_back), (brought, found.brought_back)):
        if told is None:
            continue
        lines = list(story.brief(told, most, _lists_all(plan), look, "    "))
        if lines:
            yield f"  {verb}:"
            yield from lines


def _all_lines(found: RestoreFacts) -> list[StoryLine]:
    stories = (found.taken_back, found.brought_back)
    return [line for one in stories if one is not None for line in one.lines]


def _lists_all(plan: RestorePreview) -> str:
    """Return the command that lists what the preview folds."""
    if plan.merge is not None and plan.merge.name:
        return f"`clew adopt {quote(safe_line(plan.merge.name))} -n --all`"
    keeping = " --keep-mine" if plan.merge is not None else ""
    return f"`clew restore {short(plan.target.id)}{keeping} -n --all`"


def result(done: RestoreResult, look: Style, way_back: str = "undo") -> Iterator[str]:
    """Yield what was done, where the previous state is saved, and every problem.

    `way_back` is the command that restores the rescue checkpoint, if one step does.
    """
    if done.merge is not None and done.merge.is_empty:
        yield merge.nothing(done.merge)
        yield from merge.was_merged(done.merge)
        yield from reasons("left alone", done.skipped)
        return
    yield paint(_heading(done), "yellow" if done.is_partial else "", look)
    if done.before_failure is not None:
        yield f"  {_failed_call(done.before_failure, look)}"
    yield f"  {_counts(done)}; {'verified' if done.verified else 'NOT verified'}"
    if done.merge is not None:
        yield from merge.was_merged(done.merge)
    if done.here.id != done.target.id and not done.aborted:
        yield f"  the result is saved as {checkpoint_title.called(done.here)}"
    if done.rescue is not None:
        rescue = short(done.rescue.id)
        command = way_back or f"restore {rescue}"
        yield f"  the previous state is saved as {rescue}; `clew {command}` restores it"
    yield from reasons("could not restore", done.problems)
    yield from reasons("left alone", done.skipped)
    if done.changed_after:
        yield f"  {units.count(len(done.changed_after), 'path')} changed by other programs since"
        for path in done.changed_after[:_SHOWN]:
            yield f"      {safe_path(path)}"
        yield from _more(len(done.changed_after))
    if done.no_longer_running:
        yield f"  {units.count(len(done.no_longer_running), 'program')} no longer running"
        for one in done.no_longer_running[:_SHOWN]:
            ports = f" on {safe_line(', '.join(one.ports))}" if one.ports else ""
            yield f"      {safe_line(one.command, 60)}{ports} in {safe_line(one.directory)}"
        yield from _more(len(done.no_longer_running))
    yield from parts.was(done.brought, look)
    yield from parts.concurrent_work(done.concurrent_work, "reverted", look)
    yield from effects.outstanding(done.effects, look)


def _failed_call(found: BeforeFailure, look: Style) -> str:
    """Return ``before `npm install` failed at 14:02, 3 checkpoints ago``."""
    at = timestamps.short(found.failed.time_ns, look)
    ago = units.count(found.checkpoints_ago, "checkpoint") + " ago"
    where = ago if found.checkpoints_ago else "at the current checkpoint"
    return f"before `{safe_line(found.failed.call)}` failed at {at}, {where}"


def _heading(done: RestoreResult) -> str:
    if done.aborted:
        state = "partly as it was" if done.is_partial else "as it was"
        return f"Restore aborted; the workspace is {state}: {checkpoint_title.called(done.target)}"
    return f"{'Partly at' if done.is_partial else 'Now at'} {checkpoint_title.called(done.target)}"


def reasons(verb: str, paths: Sequence[SkippedPath]) -> Iterator[str]:
    """Yield the first paths, each with its reason."""
    if not paths:
        return
    yield f"  {verb} {units.count(len(paths), 'path')}"
    for item in paths[:_SHOWN]:
        yield f"      {safe_path(item.path) or '.'}: {safe_line(item.reason)}"
    yield from _more(len(paths))
    if any(item.reason == SkipReason.LARGE for item in paths):
        yield "      `clew config unset exclude-larger-than` lifts the size limit"


def _more(number: int) -> Iterator[str]:
    if number > _SHOWN:
        yield f"      and {number - _SHOWN:,} more; --json lists all"


def _counts(done: RestoreResult) -> str:
    parts = (
        (done.created, "created"),
        (done.replaced, "replaced"),
        (done.deleted, "deleted"),
        (done.metadata, "with metadata restored"),
    )
    return ", ".join(f"{number:,} {word}" for number, word in parts if number) or "nothing differed"
