"""Merge another line of work into the live workspace.

    scan     the workspace is read without writing; conflicts end the merge here
    confirm  the preview of what would be overwritten
    rescue   the live workspace is captured, unless *here* holds it already
    merge    again, into exactly what the rescue saw
    commit   the result becomes a checkpoint, and the journal records a restore to it
    restore  like any other: proof, stage, exchange, comparison

Commit and journal are one transaction.  If the process is killed before it, nothing has happened;
after it, the restore can be continued or aborted.  If the restore cannot start, the checkpoint is
deleted.
"""

from __future__ import annotations

import os

from clew.errors import MergeConflicts, NeedsConfirmation
from clew.model.checkpoint import Checkpoint
from clew.model.ids import CheckpointId, ObjectType
from clew.model.merge_results import Merge
from clew.model.record import Consistency, Origin, Record
from clew.model.restore_results import RestorePreview, RestoreResult, SkippedPath
from clew.model.retention import RetentionRule
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.forks.merge_contents import LiveContents, StoredContents
from clew.operations.forks.merge_draft import Draft, MergeRequest, make_draft
from clew.operations.restore.journal import JournalPlan, TrailMove
from clew.operations.restore.plan import Plan, PlanSide, make_plan
from clew.operations.restore.plan_sides import live_side
from clew.operations.restore.preview import preview_of_plan
from clew.operations.restore.restore import PlannedRoot, carry_out, planned_root
from clew.operations.restore.unsaved import unsaved_paths
from clew.operations.save.commit import (
    Captured,
    SaveOptions,
    capture_rescue,
    count_changes,
    labels_for,
)
from clew.operations.save.position import locate
from clew.operations.save.scan import LiveTrees, scan_live
from clew.store.journal import SWITCHING, UnfinishedRestore
from clew.worktree.boundaries import stage_name
from clew.worktree.root import Root
from clew.worktree.scan import ScanResult


def preview_merge(context: Context, request: MergeRequest, monitor: Monitor) -> RestorePreview:
    """Return what a merge would do, conflicts included; write nothing."""
    if _is_nothing(request):
        return _preview_of_nothing(context, request)
    found, trees = scan_live(context, monitor)
    with Root(context.root, cross_mounts=True) as root:
        contents = LiveContents(context, root)
        draft = make_draft(context, request, found, trees.get, contents, context.host.now_ns())
    return _preview(context, request, draft, found, trees)


def merge(context: Context, request: MergeRequest, monitor: Monitor) -> RestoreResult:
    """Merge the changes from base to theirs into the workspace; the caller holds its locks."""
    preview = preview_merge(context, request, monitor)
    assert preview.merge is not None
    if preview.merge.is_blocked:
        raise MergeConflicts(preview.merge)
    if preview.merge.is_empty:
        return _nothing_done(context, request, preview.merge, preview.skipped)
    if request.confirm is not None and preview.needs_confirmation and not request.confirm(preview):
        raise NeedsConfirmation(preview)
    planned = planned_root(context)
    rescued = capture_rescue(context, request.rescue_intent, monitor)
    get = context.store.objects.get
    draft = make_draft(
        context, request, rescued.scan, get, StoredContents(context), context.host.now_ns()
    )
    if draft.merge.is_blocked:  # the workspace changed in between
        raise MergeConflicts(draft.merge)
    if draft.merge.is_empty:
        return _nothing_done(context, request, draft.merge, draft.skipped)
    plan = _plan(context, live_side(context, rescued.scan), draft)
    journal = _commit(context, request, draft, rescued)
    result = _carry_out(context, journal, plan, planned, monitor)
    return result._replace(merge=draft.merge)


def _is_nothing(request: MergeRequest) -> bool:
    return request.theirs.record.state == request.base.record.state


def _plan(context: Context, live: PlanSide, draft: Draft) -> Plan:
    target = PlanSide(draft.tree, draft.groups, live.excludes)
    # What the merge decided is written, also a text that it made longer than the limit.
    plan = make_plan(live._replace(larger_than=None), target, draft.made.get)
    return plan._replace(skipped=(*plan.skipped, *draft.skipped))


def _commit(
    context: Context, request: MergeRequest, draft: Draft, rescued: Captured
) -> JournalPlan:
    """Commit the merge as a checkpoint, and record the restore to it in the same transaction."""
    store, before = context.store, rescued.checkpoint
    journal = JournalPlan(
        target=before.id,
        base=before.id,
        rescue=before.id if rescued.created else None,
        within=(),
        move=TrailMove(),
        staged=(),
        resumed=True,
    )
    options = SaveOptions(request.intent, meta=dict(request.meta), origin=Origin.AUTOMATIC)
    with store.writing() as writer:
        draft.made.write(writer)
        located = locate(context, writer, None)
        record = _record(context, draft, before)._replace(
            rules=writer.put(ObjectType.RULES, context.rules.encode()),
            signals=writer.put(ObjectType.SIGNALS, context.host.observe(context.root).encode()),
            position=located.position,
        )
        labels = labels_for(options, record.sequence, [])

        def also(identifier: CheckpointId) -> None:
            store.checkpoints.label(identifier, labels)
            located.commit()
            plan = journal._replace(target=identifier).encode()
            store.journal.begin(context.workspace, os.fsdecode(stage_name()), plan)

        target = store.commit(writer, record, also)
    count_changes(context, target, record, before)
    return journal._replace(target=target)


def _record(context: Context, draft: Draft, before: Checkpoint) -> Record:
    unstable = bool(draft.coverage.unstable)
    return Record(
        workspace=context.workspace,
        sequence=context.store.workspaces.next_sequence(context.workspace),
        time_ns=context.host.now_ns(),
        parent=before.id,
        tree=draft.tree,
        state=draft.state,
        links=draft.links,
        rules=before.record.rules,
        origin=Origin.AUTOMATIC,
        consistency=Consistency.FUZZY if unstable else Consistency.STABLE,
        coverage=draft.coverage,
    )


def _carry_out(
    context: Context, journal: JournalPlan, plan: Plan, planned: PlannedRoot, monitor: Monitor
) -> RestoreResult:
    """Restore the merge; if that fails before anything was moved, delete its checkpoint."""
    store = context.store
    staged = tuple(plan.steps.staged_paths)
    try:
        return carry_out(context, journal._replace(staged=staged), plan, planned, monitor)
    except BaseException:
        unfinished = store.journal.unfinished(context.workspace)
        if unfinished is not None and unfinished.phase != SWITCHING:
            with store.database.transaction():
                _end_journal(context, unfinished)
                store.checkpoints.bury([journal.target], purge=False, rule=RetentionRule.NOT_MERGED)
        raise


def _end_journal(context: Context, unfinished: UnfinishedRestore) -> None:
    """Drop a restore that moved nothing, or keep only what the removal of its stage needs."""
    stage = os.fsencode(unfinished.stage)
    regions = JournalPlan.decode(unfinished.plan).regions
    if any(os.path.lexists(os.path.join(context.root, one, stage)) for one in regions):
        context.store.journal.abandon(context.workspace)
    else:
        context.store.journal.end(context.workspace)


def _preview(
    context: Context, request: MergeRequest, draft: Draft, found: ScanResult, trees: LiveTrees
) -> RestorePreview:
    here = context.here
    live = live_side(context, found, trees.get)
    plan = _plan(context, live, draft)
    dirty = here is None or here.record.state != found.state
    preview = preview_of_plan(context, request.theirs, plan, dirty, draft.made.get)
    unsaved = unsaved_paths(here, live.tree, preview, trees.get)
    return preview._replace(merge=draft.merge, unsaved=unsaved)


def _preview_of_nothing(context: Context, request: MergeRequest) -> RestorePreview:
    merge = Merge(request.base, request.theirs, request.name, request.favour)
    return RestorePreview(request.theirs, (), (), (), (), (), (), dirty=False, merge=merge)


def _nothing_done(
    context: Context, request: MergeRequest, merge: Merge, skipped: tuple[SkippedPath, ...]
) -> RestoreResult:
    here = context.here or request.base
    return RestoreResult(
        target=here,
        rescue=None,
        here=context.mark_here(here),
        created=0,
        replaced=0,
        deleted=0,
        metadata=0,
        verified=True,
        skipped=skipped,
        merge=merge,
    )
