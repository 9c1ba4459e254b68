"""Continue or abort an interrupted restore.

First every item that the dead process left in the stage is settled: an item that a checkpoint holds
is deleted; anything else is later work, and is put back in its place, or aside if the place is
taken.  Then the restore is planned again against the live workspace, and carried out like any
other, with the same rescue.  Later work is left alone and listed.

An abort is the same with the two ends exchanged: every path returns to its state before.
"""

from __future__ import annotations

import os
import stat

from clew.diff.trees import lookup
from clew.errors import NoInterruptedRestore
from clew.model.ids import object_id
from clew.model.parts import RestorePart
from clew.model.restore_results import InterruptedRestore, RestoreResult, SkippedPath
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.restore.journal import JournalPlan
from clew.operations.restore.later_work import has_left_metadata
from clew.operations.restore.plan import NOTHING, Plan, make_plan
from clew.operations.restore.plan_sides import live_side, target_side
from clew.operations.restore.restore import (
    PlannedRoot,
    carry_out,
    close_directory,
    open_root,
    planned_root,
    revive_root,
)
from clew.operations.save.scan import store_live
from clew.store.journal import ABANDONED, SWITCHING, UnfinishedRestore
from clew.worktree.displaced import delete, put_back
from clew.worktree.read import EntryReader
from clew.worktree.root import Root
from clew.worktree.scan import ScanResult
from clew.worktree.stage import Stage


def interrupted_restore(context: Context) -> InterruptedRestore | None:
    """Return what is known of an interrupted restore, if there is one; write nothing."""
    unfinished = context.store.journal.unfinished(context.workspace)
    if unfinished is None or unfinished.phase == ABANDONED:
        return None
    journal = JournalPlan.decode(unfinished.plan)
    wanted = journal.base if journal.aborting else journal.target
    before = journal.target if journal.aborting else journal.rescue
    checkpoints = context.store.checkpoints
    return InterruptedRestore(
        target=checkpoints.get(wanted),
        rescue=checkpoints.get(before) if before is not None else None,
        started_ns=unfinished.started_ns,
        has_moved=unfinished.phase == SWITCHING or journal.aborting,
        is_aborting=journal.aborting,
    )


def required(result: RestoreResult | None) -> RestoreResult:
    """Return a result; `NoInterruptedRestore` if there was only an abandoned stage to remove."""
    if result is None:
        raise NoInterruptedRestore
    return result


def continue_restore(context: Context, monitor: Monitor) -> RestoreResult | None:
    """Finish an interrupted restore; the caller holds the workspace's locks.

    None if it was abandoned and only its stage was left.
    """
    unfinished = context.store.journal.unfinished(context.workspace)
    if unfinished is None:
        raise NoInterruptedRestore
    return _resume(context, unfinished, JournalPlan.decode(unfinished.plan), monitor)


def abort_restore(context: Context, monitor: Monitor) -> RestoreResult | None:
    """Revert an interrupted restore; the caller holds the workspace's locks."""
    unfinished = context.store.journal.unfinished(context.workspace)
    if unfinished is None:
        raise NoInterruptedRestore
    journal = JournalPlan.decode(unfinished.plan)
    if not journal.aborting and unfinished.phase != ABANDONED:
        journal = journal.reversed()
        context.store.journal.change_plan(context.workspace, journal.encode())
    return _resume(context, unfinished, journal, monitor)


def _resume(
    context: Context, unfinished: UnfinishedRestore, journal: JournalPlan, monitor: Monitor
) -> RestoreResult | None:
    is_revived = revive_root(context)
    planned = planned_root(context)
    with open_root(context, planned) as root:
        kept = _clear_stage(context, root, planned, unfinished, journal)
        for directory in context.store.journal.opened(context.workspace):
            close_directory(root, directory)
    if unfinished.phase == ABANDONED:
        context.store.journal.end(context.workspace)
        return None
    found = store_live(context, monitor)  # no checkpoint: the rescue stays
    plan = (
        _plan(context, journal, found, is_revived)
        if RestorePart.FILES in journal.parts
        else NOTHING
    )
    renewed = journal._replace(staged=tuple(plan.steps.staged_paths), resumed=True)
    result = carry_out(context, renewed, plan, planned, monitor)
    listed = {item.path: item for item in (*result.skipped, *kept)}
    return result._replace(skipped=tuple(listed[path] for path in sorted(listed)))


def _plan(context: Context, journal: JournalPlan, found: ScanResult, is_revived: bool) -> Plan:
    """Plan the rest; a root that was deleted and created again has no later work."""
    base = None if is_revived else context.find(journal.base).record.tree
    return make_plan(
        live_side(context, found),
        target_side(context, context.find(journal.target)),
        context.store.objects.get,
        within=journal.within,
        base=base,
        aborting=journal.aborting,
    )


def _clear_stage(
    context: Context,
    root: Root,
    planned: PlannedRoot,
    unfinished: UnfinishedRestore,
    journal: JournalPlan,
) -> list[SkippedPath]:
    """Empty and remove the stage; return what was kept aside."""
    stage = Stage(root, unfinished.stage, planned.mounts.keys() - {b""})
    stage.open_existing(list(journal.regions))
    if unfinished.phase == SWITCHING:
        leftover = _Leftover(context, root, stage, journal)
        for region, descriptor, item in stage.items():
            leftover.settle(region, descriptor, item)
    # During staging nothing has been moved out: all items are ours, complete or not.
    stage.remove()
    return stage.kept


class _Leftover:
    """Settles each item that an interrupted exchange left in its stage."""

    def __init__(self, context: Context, root: Root, stage: Stage, journal: JournalPlan) -> None:
        self._get = context.store.objects.get
        self._root = root
        self._stage = stage
        self._paths = journal.staged
        self._trees = [context.find(one).record.tree for one in (journal.base, journal.target)]
        self._reader = EntryReader(root, lambda kind, content: object_id(kind, content))

    def settle(self, region: bytes, directory: int, item: bytes) -> None:
        """Delete an item that a checkpoint holds; put back, or aside, any other."""
        path = self._path_of(item)
        if path is None:
            return  # not an item: the stage keeps it aside
        found = os.stat(item, dir_fd=directory, follow_symlinks=False)
        if self._is_held(directory, item, path, found) and delete(directory, item, found):
            return
        if stat.S_ISDIR(found.st_mode):
            self._stage.keep_aside(region, item, path)
            return

        def is_ours(parent: int, name: bytes, at: os.stat_result) -> bool:
            return self._is_held(parent, name, path, at)

        put_back(self._root, self._stage, region, item, path, is_ours)

    def _path_of(self, item: bytes) -> bytes | None:
        if not item.isdigit() or int(item) >= len(self._paths):
            return None
        return self._paths[int(item)]

    def _is_held(self, directory: int, name: bytes, path: bytes, found: os.stat_result) -> bool:
        """Return whether a checkpoint of this restore holds this at the path."""
        if stat.S_ISDIR(found.st_mode):
            return False
        try:
            read = self._reader.read(directory, name, found)
        except OSError:
            return False  # what cannot be read is not known to be held
        before, wanted = (lookup(tree, path, self._get) for tree in self._trees)
        is_known = any(one is not None and one.same_content(read.entry) for one in (before, wanted))
        return read.stable and is_known and has_left_metadata(read.entry, before, wanted, self._get)
