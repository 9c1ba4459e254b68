"""Text of a restore: the preview and the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.restore_results import SkipReason
from clew.model.shorten import width_of
from clew.render import checkpoint_title, effects, merge, parts, timestamps, units
from clew.render.columns import pad
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.failed_call import BeforeFailure
    from clew.model.restore_results import PlannedPath, RestorePreview, RestoreResult, SkippedPath

_SHOWN = 20
"""Paths listed per kind; JSON has all of them."""


def preview(plan: RestorePreview, look: Style) -> Iterator[str]:
    """Yield what would be created, replaced and deleted, and the running programs affected."""
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
    yield from _planned("create", plan.created, "", look)
    yield from _planned("replace", plan.replaced, "yellow", look)
    yield from _planned("delete", plan.deleted, "red", look)
    yield from _planned("change the metadata of", plan.metadata, "", look)
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
    if plan.needed_bytes:
        free = units.size(plan.free_bytes)
        yield f"It needs {units.size(plan.needed_bytes)} of disk space; {free} are free."
    if plan.dirty:
        yield "The current state is saved first, so this can be undone."


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


def _planned(verb: str, paths: Sequence[PlannedPath], colour: str, look: Style) -> Iterator[str]:
    if not paths:
        return
    total = sum(planned.size for planned in paths)
    amount = f", {units.size(total)}" if total else ""
    yield paint(f"  {verb} {units.count(len(paths), 'path')}{amount}", colour, look)
    names = [safe_path(planned.path) or "." for planned in paths[:_SHOWN]]
    column = min(max(map(width_of, names)), 60)
    for planned, name in zip(paths, names, strict=False):
        size = units.size(planned.size) if total else ""
        note = "  created since" if planned.is_new_work else ""
        yield f"      {pad(name, column)}  {size}{note}".rstrip()
    yield from _more(len(paths))


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
