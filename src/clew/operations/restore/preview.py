"""Preview of a restore: what it would do, without doing it."""

from __future__ import annotations

import os

from clew.model.checkpoint import Checkpoint
from clew.model.entry import EntryKind
from clew.model.ids import ObjectType
from clew.model.parts import RestorePart
from clew.model.pattern import Patterns
from clew.model.restore_results import PlannedPath, RestorePreview
from clew.model.small_objects import encode_links
from clew.model.tree import put_directory, put_root, read_root
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.generated_directories import generated_directories
from clew.operations.restore.concurrent_work import concurrent_work
from clew.operations.restore.disk_space import needed_bytes
from clew.operations.restore.parts import brought_back, choose, differing_now
from clew.operations.restore.plan import NOTHING, Get, Plan, PlanSide, make_plan
from clew.operations.restore.plan_sides import live_side, target_side
from clew.operations.restore.restore_story import RestoreStory
from clew.operations.restore.unsaved import unsaved_paths
from clew.operations.save.scan import LiveTrees, scan_live
from clew.operations.sessions.outstanding_effects import outstanding_effects
from clew.worktree.processes import holders
from clew.worktree.scan import ScanResult
from clew.worktree.steps import RestoreStep

_HOLDERS_ASKED = 20_000


def preview_restore(
    context: Context,
    target: Checkpoint,
    within: tuple[bytes, ...],
    monitor: Monitor,
    parts: tuple[str, ...] = (),
    scanned: ScanResult | None = None,
) -> RestorePreview:
    """Return what a restore of `target` would do, without writing anything.

    With `scanned`, a scan into the store, the workspace is not scanned again.
    """
    chosen, here = choose(context, target, within, parts), context.here
    get = context.store.objects.get
    if scanned is None:
        live, trees, dirty, differs = _live(context, target, monitor)
    else:
        live, trees, dirty, differs = _found_live(context, target, scanned, LiveTrees(get))
    side = target_side(context, target)
    plan = make_plan(live, side, trees.get, within=within) if chosen.files else NOTHING
    preview = preview_of_plan(context, target, plan, dirty, get)
    differing = differing_now(context, target, chosen, differs)
    forgets = not within or chosen.parts != (RestorePart.FILES,)
    since_here = differing_now(context, here, chosen, dirty) if here else frozenset(chosen.parts)
    brought = brought_back(context, target, chosen, differing, some=bool(within))
    can_tell = chosen.files and os.path.isdir(context.root)
    roots = (live.tree, target.record.tree)
    touched = (*preview.created, *preview.replaced, *preview.deleted, *preview.metadata)
    return preview._replace(
        unsaved=unsaved_paths(here, live.tree, preview, trees.get),
        generated=generated_directories((one.path for one in touched), roots, trees.get),
        within=within,
        facts=RestoreStory(context, target, live.tree, trees, within) if can_tell else None,
        unsaved_parts=tuple(part for part in brought.moved if part in since_here),
        effects=tuple(outstanding_effects(context, target)) if forgets else (),
        brought=brought,
        concurrent_work=concurrent_work(context, target, here, within)
        if chosen.files and here
        else (),
    )


def _live(
    context: Context, target: Checkpoint, monitor: Monitor
) -> tuple[PlanSide, LiveTrees, bool, bool]:
    """Return the live side, its trees, whether it is unsaved, and whether it differs from the target."""
    rules = context.rules
    if not os.path.isdir(context.root):  # it was deleted: everything would be created
        trees = LiveTrees(context.store.objects.get)
        nothing = put_directory([], trees.put)
        own = read_root(target.record.tree, trees.get)
        root = put_root(own._replace(content=nothing.tree, state=nothing.state), trees.put)
        trees.put(ObjectType.LINKS, encode_links([]))
        side = PlanSide(root.tree, (), Patterns(rules.patterns), larger_than=rules.larger_than)
        return side, trees, True, True
    return _found_live(context, target, *scan_live(context, monitor))


def _found_live(
    context: Context, target: Checkpoint, found: ScanResult, trees: LiveTrees
) -> tuple[PlanSide, LiveTrees, bool, bool]:
    """Return the same for a workspace that was scanned."""
    here = context.here
    dirty = here is None or here.record.state != found.state
    return live_side(context, found, trees.get), trees, dirty, found.state != target.record.state


def preview_of_plan(
    context: Context, target: Checkpoint, plan: Plan, dirty: bool, get: Get
) -> RestorePreview:
    """Return what a plan would do; `get` reads the content of its files."""
    steps = plan.steps
    created = [step for step in (*steps.make_directories, *steps.put) if step.old is None]
    replaced = [step for step in steps.put if step.old is not None]
    typed = {step.path for step in (*steps.make_directories, *steps.put)}
    deleted = [
        step for step in (*steps.delete, *steps.remove_directories) if step.path not in typed
    ]
    replaced += [
        RestoreStep(step.path, step.old, step.new)
        for step in (*steps.delete, *steps.remove_directories)
        if step.path in typed
    ]
    changed = {step.path for step in replaced}
    metadata = [
        step
        for step in (*steps.metadata, *steps.directories)
        if step.old is not None
        and step.new is not None
        and step.old.kind == step.new.kind
        and not step.old.same_metadata(step.new, mtimes=False)
    ]
    touched = [step.path for step in (*replaced, *deleted)][:_HOLDERS_ASKED]
    return RestorePreview(
        target=context.mark_here(target),
        created=_planned([step for step in created if step.path not in changed]),
        replaced=_planned(replaced),
        deleted=tuple(
            one._replace(size=one.size_now, is_new_work=True) for one in _planned(deleted)
        ),
        metadata=_planned(metadata),
        skipped=plan.skipped,
        processes=tuple(holders(context.root, touched)) if touched else (),
        dirty=dirty,
        needed_bytes=needed_bytes(steps, get),
        free_bytes=context.host.free_bytes(_nearest_directory(context.root)),
    )


def _nearest_directory(path: bytes) -> bytes:
    """Return the path of a directory, or of the nearest one above it that exists."""
    while path.strip(b"/") and not os.path.isdir(path):
        path = os.path.dirname(path)
    return path or b"/"


def _planned(steps: list[RestoreStep]) -> tuple[PlannedPath, ...]:
    return tuple(_planned_path(step) for step in sorted(steps))


def _planned_path(step: RestoreStep) -> PlannedPath:
    entry = step.new or step.old
    is_directory = entry is not None and entry.is_directory
    size = step.new.size if step.new and step.new.kind == EntryKind.FILE else 0
    size_now = step.old.size if step.old else 0
    return PlannedPath(step.path, size, is_directory=is_directory, size_now=size_now)
