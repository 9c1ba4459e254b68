"""Finishing a restore that was cut short.

What the dead process left in the stage is first accounted for: an item that the store holds goes,
anything else is somebody's work and goes back to its place.  Then the restore is planned anew
against what is live now and carried out as if nothing had happened, with the same rescue.
"""

from __future__ import annotations

import os
import stat

from clew.diff.trees import lookup
from clew.model import path as paths
from clew.model.ids import object_id
from clew.model.parts import Part
from clew.model.restoring import RestoreResult
from clew.monitor import Monitor
from clew.operations.capture import scan_into
from clew.operations.context import Context
from clew.operations.journal_plan import JournalPlan
from clew.operations.restore import carry_out, close_directory, live_side, revive_root, target_side
from clew.operations.restore_plan import NOTHING, Plan, make_plan
from clew.store.journal import SWITCHING, UnfinishedRestore
from clew.worktree.boundaries import Boundaries
from clew.worktree.read import EntryReader
from clew.worktree.root import Root
from clew.worktree.scan import ScanResult
from clew.worktree.stage import Stage, keep_aside
from clew.worktree.syscalls import RENAME_EXCHANGE, RENAME_NOREPLACE, rename


def finish_restore(
    context: Context, unfinished: UnfinishedRestore, monitor: Monitor
) -> RestoreResult:
    """Finish what another process began; the caller holds the workspace's locks."""
    journal = JournalPlan.decode(unfinished.plan)
    monitor.notice("Finishing a restore that was cut short")
    revive_root(context)
    with Root(context.root, cross_mounts=context.info.machine) as root:
        _clear_stage(context, root, unfinished, journal)
        for directory in context.store.journal.opened(context.workspace):
            close_directory(root, directory)
    found = _scan(context, monitor)
    plan = _plan(context, journal, found) if Part.FILES in journal.parts else NOTHING
    renewed = journal._replace(staged=tuple(plan.steps.staged_paths), resumed=True)
    return carry_out(context, renewed, plan, monitor)


def _plan(context: Context, journal: JournalPlan, found: ScanResult) -> Plan:
    return make_plan(
        live_side(context, found),
        target_side(context, context.find(journal.target)),
        context.store.objects.get,
        within=journal.within,
        base=context.find(journal.base).record.tree,
    )


def _scan(context: Context, monitor: Monitor) -> ScanResult:
    """Scan into the store without making a checkpoint: the rescue stands."""
    cache = context.open_cache()
    try:
        with context.store.writing() as writer:
            found = scan_into(context, cache, writer, monitor)
            writer.finish()
            context.store.commit_objects(writer)
        cache.update(found.updates, found.gone)
    finally:
        cache.close()
    return found


def _clear_stage(
    context: Context, root: Root, unfinished: UnfinishedRestore, journal: JournalPlan
) -> None:
    boundaries = Boundaries(context.root, context.rules, None)
    stage = Stage(root, unfinished.stage, boundaries.entered_mounts)
    stage.open_existing(list(journal.regions))
    reader = EntryReader(lambda kind, content: object_id(kind, content))
    for _, descriptor, item in stage.items():
        # While it was only staging, nothing had come out: all of it is ours, half-written or not.
        path = _path_of(item, journal) if unfinished.phase == SWITCHING else None
        if path is not None and not _is_held(context, reader, descriptor, item, path, journal):
            _give_back(root, descriptor, item, path)
    stage.remove()


def _path_of(item: bytes, journal: JournalPlan) -> bytes | None:
    if not item.isdigit() or int(item) >= len(journal.staged):
        return None
    return journal.staged[int(item)]


def _is_held(
    context: Context,
    reader: EntryReader,
    descriptor: int,
    item: bytes,
    path: bytes,
    journal: JournalPlan,
) -> bool:
    """Tell whether an item is what base or target hold at its path, or a half-written copy."""
    name = os.fsdecode(item)
    found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
    if stat.S_ISDIR(found.st_mode):
        return False
    try:
        entry = reader.read(descriptor, name, found).entry
    except OSError:
        return False  # what cannot be read cannot be known to be held
    get = context.store.objects.get
    for checkpoint in (journal.target, journal.base):
        held = lookup(context.find(checkpoint).record.tree, path, get)
        if held is not None and held.same_content(entry):
            return True
    return False


def _give_back(root: Root, descriptor: int, item: bytes, path: bytes) -> None:
    try:
        parent = root.open_directory(paths.parent_of(path))
    except OSError:
        keep_aside(root, descriptor, item, path)  # its directory is gone
        return
    try:
        try:
            rename(descriptor, item, parent, paths.name_of(path), RENAME_NOREPLACE)
        except FileExistsError:
            rename(descriptor, item, parent, paths.name_of(path), RENAME_EXCHANGE)
    finally:
        os.close(parent)
