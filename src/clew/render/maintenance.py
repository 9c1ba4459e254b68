"""Text of the store's maintenance: delete, prune, gc, check, stats, config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.path import as_text
from clew.model.results import StorePart
from clew.model.retention import rule_sentence
from clew.render import checkpoint_title, timestamps, units
from clew.render.safe import safe, safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from clew.model.checkpoint import Checkpoint
    from clew.model.exclude_effects import ExcludeEffects
    from clew.model.results import CheckResult, DeleteResult, GcResult, PruneResult, Stats


_NAMED = 10
_WIDEST_PATTERN = 40


def deleted(result: DeleteResult, look: Style) -> Iterator[str]:
    """Yield what was deleted, the freed space, and what still holds some of the content."""
    what = units.count(len(result.deleted), "checkpoint")
    yield f"Deleted {what}, freed {units.size(result.freed_bytes)}"
    yield from _briefly(result.deleted, look)
    for note in result.still_held:
        yield f"  still held: {safe_line(note)}"
    if result.held_by:
        yield f"  to remove that content too: {_removal(result)}"
    for note in result.notes:
        yield f"  {safe_line(note)}"
    for note in result.remaining:
        yield paint(f"  NOT removed: {safe_line(note)}", "red", look)
    if result.searched is not None and not result.remaining:
        files = units.count(result.searched.files, "file")
        size = units.size(result.searched.read_bytes)
        yield f"  searched {files} of the store, {size}: none of the removed content is left"


def pruned(result: PruneResult, look: Style) -> Iterator[str]:
    """Yield what the retention policy removed or would remove, and why it kept the rest."""
    what = units.count(len(result.removed), "checkpoint")
    freed = units.size(result.freed_bytes)
    if result.dry_run:
        yield f"Would remove {what} and free about {freed}"
    else:
        yield f"Removed {what}, freed {freed}"
    for rule in dict.fromkeys(result.rules):
        chosen = [one for one, by in zip(result.removed, result.rules, strict=True) if by == rule]
        yield f"  {len(chosen):,} by rule {rule}: {rule_sentence(rule)}"
        yield from _briefly(chosen, look)
    for reason, number in result.kept:
        yield f"  kept {number:,}: {safe_line(reason)}"
    yield f"Store size: {_of_budget(result.store_bytes, result.max_bytes)}"


def collected(result: GcResult) -> Iterator[str]:
    """Yield what garbage collection freed."""
    objects = units.count(result.removed_objects, "object")
    packs = units.count(result.removed_packs, "pack")
    yield f"Freed {units.size(result.freed_bytes)}: {objects}, {packs}"
    for note in result.notes:
        yield f"  {safe_line(note)}"
    for note in result.remaining:
        yield f"  NOT removed: {safe_line(note)}"
    yield f"Store size: {units.size(result.store_bytes)}"


def checked(result: CheckResult, look: Style) -> Iterator[str]:
    """Yield whether the store is intact, and its damage with the checkpoints that need it."""
    amount = ", ".join(
        (
            units.count(result.packs, "pack"),
            units.count(result.objects, "object"),
            units.count(result.checkpoints, "checkpoint"),
            f"{units.size(result.read_bytes)} read",
        )
    )
    if result.whole:
        yield paint(f"The store is intact: {amount}", "green", look)
    else:
        what = units.count(len(result.damages), "damage")
        yield paint(f"The store is DAMAGED: {what} found; {amount}", "red", look)
    if result.rebuilt:
        yield "  the index was rebuilt from the packs"
    for damage in result.damages:
        yield f"  ✘ {safe_line(damage.location)}: {safe_line(damage.description)}"
        if damage.checkpoints:
            yield f"    needed by {', '.join(map(safe, damage.checkpoints))}"
    for note in result.notes:
        yield f"  {safe_line(note)}"


def counted(stats: Stats) -> Iterator[str]:
    """Yield the size of the store and of its contents."""
    yield f"store        {safe(stats.store)}"
    yield f"on disk      {units.size(stats.disk_bytes)}, as `du` counts it"
    for part, size in stats.disk_parts:
        note = "  released when the disk is full" if part == StorePart.RESERVE else ""
        yield f"  {safe(part):<11}{units.size(size):>9}{note}"
    yield f"history      {_of_budget(stats.store_bytes, stats.max_bytes)}; without forks, copies and reserve"
    yield f"holds        {units.size(stats.content_bytes)} before compression"
    mine = units.count(stats.workspace_checkpoints, "checkpoint")
    yield f"workspace    {mine}, of {stats.checkpoints:,} in the store"
    yield f"packs        {stats.packs:,}"
    yield f"objects      {stats.objects:,}"
    for kind, number, size in stats.by_kind:
        yield f"  {safe(kind):<11}{number:>9,}  {units.size(size):>8}"


def settings(config: Mapping[str, str], own: Collection[str], look: Style) -> Iterator[str]:
    """Yield each setting as `key = value`, one line of the value per line, and mark the defaults."""
    for key, value in config.items():
        first, *more = value.split("\n")
        mark = "" if key in own else paint("  (default)", "dim", look)
        yield f"{safe(key)} = {safe(first)}".rstrip() + mark
        yield from (f"{'':<{len(key)}}   {safe(line)}" for line in more if line)


def excluded(effects: ExcludeEffects, look: Style) -> Iterator[str]:
    """Yield what each exclude pattern matches in a checkpoint."""
    if effects.checkpoint is None or not effects.patterns:
        return
    part = "" if effects.is_complete else " (of its first entries: it is too large to search all)"
    yield f"In checkpoint {short(effects.checkpoint.id)}{part}:"
    names = [safe_line(as_text(one.pattern)) for one in effects.patterns]
    width = min(_WIDEST_PATTERN, max(map(len, names)))
    for name, one in zip(names, effects.patterns, strict=True):
        what = f"{units.count(one.files, 'file')}, {units.size(one.size)}" if one.files else ""
        already = f"{one.left_out:,} left out already" if one.left_out else ""
        matched = "; ".join(filter(None, (what, already)))
        yield f"  {name:<{width}}  {matched or paint('matches nothing', 'yellow', look)}"


def pattern_warnings(effects: ExcludeEffects) -> Iterator[str]:
    """Yield what in the patterns may not be meant."""
    for one in effects.patterns:
        for warning in one.warnings:
            yield f"Warning: {safe_line(as_text(one.pattern))}: {safe_line(warning, 1000)}"


def _removal(result: DeleteResult) -> str:
    """Return the commands that remove what still holds purged content."""
    commands: dict[str, list[str]] = {}
    for holder in result.held_by:
        where = f" -C {safe_path(holder.workspace)}" if holder.is_elsewhere else ""
        if holder.fork and holder.is_elsewhere:
            commands[f"`clew discard {safe_line(holder.fork)} --yes` and `clew gc --purge`"] = []
        else:
            commands.setdefault(f"`clew{where} delete", []).append(short(holder.checkpoint))
    spelled = [
        f"{command} {' '.join(ids[:_NAMED])} --purge`" if ids else command
        for command, ids in commands.items()
    ]
    is_cut = len(commands) > _NAMED or any(len(ids) > _NAMED for ids in commands.values())
    return ", ".join(spelled[:_NAMED]) + (" and so on; --json lists all" if is_cut else "")


def _briefly(checkpoints: Sequence[Checkpoint], look: Style) -> Iterator[str]:
    for checkpoint in checkpoints:
        time = timestamps.short(checkpoint.record.time_ns, look)
        yield f"  {short(checkpoint.id)}  {time}  {checkpoint_title.title(checkpoint)}".rstrip()


def _of_budget(taken: int, budget: int) -> str:
    if not budget:
        return f"{units.size(taken)}, no limit"
    return f"{units.size(taken)} of {units.size(budget)}"
