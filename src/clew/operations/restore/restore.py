"""Restore: make the workspace, or some paths of it, exactly what a checkpoint holds.

    rescue    the live workspace is captured, unless *here* holds it already
    plan      the differences between live and target become steps
    prove     everything that will be overwritten can be read from the store
    stage     the new content is verified and written inside the root, out of sight
    exchange  it is exchanged with the live files
    session   conversation and tasks of the checkpoint are restored (`session.py`)
    compare   the workspace is scanned again; only then is success reported

The journal holds the plan from staging to the end, so an interrupted restore can be continued or
aborted (`resume.py`), with the same rescue.  A restore that fails before anything was moved is
abandoned, and never carried out later.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import closing

from clew.diff.trees import diff_trees, lookup
from clew.errors import (
    NeedsConfirmation,
    NoSpaceForRestore,
    StoreDamaged,
    StoreFull,
    WorkspaceMissing,
    WorkspaceReplaced,
)
from clew.model import path as paths
from clew.model.amount import counted
from clew.model.checkpoint import Checkpoint
from clew.model.ids import ObjectId, object_id
from clew.model.named_tuple import NamedTuple
from clew.model.parts import RestorePart
from clew.model.position import Position
from clew.model.record import Origin
from clew.model.restore_results import RestorePreview, RestoreResult, SkippedPath, SkipReason
from clew.model.small_objects import decode_xattrs
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.restore import session as bring_back
from clew.operations.restore.concurrent_work import concurrent_work
from clew.operations.restore.disk_space import SPARE_BYTES, needed_bytes, require_room
from clew.operations.restore.journal import JournalPlan, TrailMove
from clew.operations.restore.parts import brought_back, choose, differing_from
from clew.operations.restore.plan import NOTHING, Plan, make_plan
from clew.operations.restore.plan_sides import live_side, target_side
from clew.operations.restore.preview import preview_restore
from clew.operations.restore.proof import prove
from clew.operations.restore.stopped_processes import stopped_since
from clew.operations.save.commit import Captured, SaveOptions, capture, capture_rescue
from clew.operations.save.position import Located
from clew.operations.save.scan import store_live
from clew.operations.sessions.outstanding_effects import forgotten_at, outstanding_effects
from clew.policy.labels import RESTORED
from clew.store.journal import OpenedDirectory
from clew.store.writer import ObjectWriter
from clew.worktree.boundaries import Boundaries, stage_name
from clew.worktree.cache import WorktreeCache, directory_number
from clew.worktree.metadata import MetadataWriter, set_flags
from clew.worktree.read import EntryReader, StatKey
from clew.worktree.root import Root
from clew.worktree.scan import ScanResult
from clew.worktree.stage import Stage, Stager
from clew.worktree.steps import Steps
from clew.worktree.switch import Counts, Switch
from clew.worktree.syscalls import mount_id, sync_filesystem
from clew.worktree.unlock import Unlocker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

Confirm = Callable[[RestorePreview], bool]
StoreAgain = Callable[[], bool]
"""Stores the live files again, and returns whether they are unchanged."""


class PlannedRoot(NamedTuple):
    """The directory that a restore may change, as it was before the rescue."""

    inode: tuple[int, int]
    """Device and inode number."""
    mounts: dict[bytes, int]
    """The mounts that belong to it, by path, each with its mount id; its own is `b""`."""


class RestoreOptions(NamedTuple):
    """Options of a restore."""

    within: tuple[bytes, ...] = ()
    """Paths to restore; empty for the whole workspace."""
    move: TrailMove = TrailMove()
    """What happens to the trail at the end."""
    intent: str = ""
    """The intent of the rescue."""
    confirm: Confirm | None = None
    parts: tuple[str, ...] = ()
    """Of `RestorePart`: what to restore; empty for all that applies."""


def restore(
    context: Context, target: Checkpoint, options: RestoreOptions, monitor: Monitor
) -> RestoreResult:
    """Make the workspace what `target` holds; the caller holds its locks."""
    chosen = choose(context, target, options.within, options.parts)
    planned = planned_root(context) if os.path.isdir(context.root) else None
    scanned = None
    if options.confirm is not None:
        scanned = _scanned(context, monitor)
        preview = preview_restore(context, target, options.within, monitor, options.parts, scanned)
        if preview.needs_confirmation and not options.confirm(preview):
            raise NeedsConfirmation(preview._replace(facts=None))  # the locks are gone by then
    if planned is None:
        revive_root(context)
        planned = planned_root(context)
    rescued = _rescue(context, target, options, monitor, scanned)
    base = rescued.checkpoint
    rescue = base if rescued.created else None
    plan = NOTHING
    store_again = _storing_again(context, rescued, monitor)

    def make() -> Plan:
        live, wanted = live_side(context, rescued.scan), target_side(context, target)
        return make_plan(live, wanted, context.store.objects.get, within=options.within)

    if chosen.files:
        plan = _or_after(store_again, make)
    journal = JournalPlan(
        target=target.id,
        base=base.id,
        rescue=rescue.id if rescue is not None else None,
        within=options.within,
        move=options.move,
        staged=tuple(plan.steps.staged_paths),
        parts=chosen.parts,
        session=chosen.session.id if chosen.session is not None else b"",
        fresh=os.urandom(16),
    )
    return carry_out(context, journal, plan, planned, monitor, store_again)


def _scanned(context: Context, monitor: Monitor) -> ScanResult | None:
    """Scan into the store once for the preview and the rescue; None if that is not possible.

    Files that change while the question is open differ from what the rescue saw, so the exchange
    leaves them alone.
    """
    try:
        return store_live(context, monitor)
    except (WorkspaceMissing, StoreFull):
        return None


def _storing_again(context: Context, rescued: Captured, monitor: Monitor) -> StoreAgain:
    """Return a function that stores the live files again, for a store that has lost some bytes."""

    def store_again() -> bool:
        context.forget_cache()
        # Anything else would be overwritten without a checkpoint that holds it.
        return store_live(context, monitor).state == rescued.scan.state

    return store_again


def _or_after(store_again: StoreAgain, action: Callable[[], T]) -> T:
    """Run `action`; if the store is damaged, store the live files again and run it once more."""
    try:
        return action()
    except StoreDamaged:
        if not store_again():
            raise
        return action()


def revive_root(context: Context) -> bool:
    """Create the root again if it was deleted, and bind the workspace to it; return whether it was."""
    if not context.root:
        raise WorkspaceMissing("")
    try:
        os.makedirs(context.root, mode=0o700)
    except FileExistsError:
        return False
    inode = os.stat(context.root).st_ino
    context.store.workspaces.bind(context.workspace, context.root, inode)
    return True


def planned_root(context: Context) -> PlannedRoot:
    """Return the current root, for later steps to compare."""
    with Root(context.root) as root:
        own, found = mount_id(root.descriptor), os.fstat(root.descriptor)
    mounts = {b"": own, **Boundaries(context.root, context.rules, None).entered_mounts}
    return PlannedRoot((found.st_dev, found.st_ino), mounts)


def open_root(context: Context, planned: PlannedRoot) -> Root:
    """Open the root for changes; refuse if it is another directory or filesystem by now."""
    try:
        root = Root(context.root, mounts=planned.mounts)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        raise WorkspaceReplaced(paths.as_text(context.root)) from error
    found = os.fstat(root.descriptor)
    if (found.st_dev, found.st_ino) != planned.inode:
        root.close()
        raise WorkspaceReplaced(paths.as_text(context.root))
    return root


def carry_out(
    context: Context,
    journal: JournalPlan,
    plan: Plan,
    planned: PlannedRoot,
    monitor: Monitor,
    store_again: StoreAgain = lambda: False,
) -> RestoreResult:
    """Prove, stage, exchange, restore the session, compare, and move the trail."""
    target, chosen = context.find(journal.target), bring_back.chosen_of(context, journal)
    _or_after(store_again, lambda: prove(context, plan.steps))
    bring_back.prove(context, target, chosen)
    require_room(context, plan.steps)
    done = _Done()
    if not plan.steps.is_empty:
        done = _change_disk(context, journal, plan.steps, planned, monitor)
    elif bring_back.is_written_outside(chosen):
        stage = os.fsdecode(stage_name())
        context.store.journal.begin(context.workspace, stage, journal.encode())
    context.host.fail_point("restore.write-outside")
    outside = bring_back.write_outside(context, journal, target, chosen)
    return _conclude(context, journal, plan, done, outside, monitor)


class _Done(NamedTuple):
    """The result of the exchange."""

    counts: Counts = Counts()
    skipped: tuple[SkippedPath, ...] = ()
    problems: tuple[SkippedPath, ...] = ()


def _rescue(
    context: Context,
    target: Checkpoint,
    options: RestoreOptions,
    monitor: Monitor,
    scanned: ScanResult | None,
) -> Captured:
    intent = options.intent or f"before restoring {target.id.hex()[:8]}"
    try:
        captured = capture_rescue(context, intent, monitor, scanned)
    except StoreFull as error:
        needed = preview_restore(context, target, options.within, monitor).needed_bytes
        free = context.host.free_bytes(context.store.layout.root)
        raise NoSpaceForRestore(needed + SPARE_BYTES, free) from error
    unstable = [
        path
        for path in captured.scan.coverage.unstable
        if not options.within or any(paths.is_within(path, chosen) for chosen in options.within)
    ]
    if unstable:
        monitor.notice(
            f"{len(unstable)} files changed while the rescue was read: "
            + paths.as_text(unstable[0])
        )
    return captured


def _change_disk(
    context: Context, journal: JournalPlan, steps: Steps, planned: PlannedRoot, monitor: Monitor
) -> _Done:
    store = context.store
    problems: list[SkippedPath] = []
    with open_root(context, planned) as root, closing(context.open_cache()) as cache:
        unlocker = Unlocker(
            lambda path, mode, flags: store.journal.open_directory(
                context.workspace, path, mode, flags
            )
        )
        stage = Stage(root, stage_name(), planned.mounts.keys() - {b""}, unlocker)
        metadata = MetadataWriter(lambda key: decode_xattrs(store.objects.get(ObjectId(key))))
        stager = Stager(stage, metadata, store.objects.get_many, store.objects.content)
        journal = journal._replace(regions=tuple(stage.regions(steps.staged_paths)))
        store.journal.begin(context.workspace, os.fsdecode(stage.name), journal.encode())
        try:
            context.host.fail_point("restore.stage")
            stager.fill(
                steps,
                lambda path, text: problems.append(SkippedPath(path, text)),
                lambda number, total: monitor.progress("stage", number, total),
            )
            context.host.fail_point("restore.sync-stage")
            stage.sync()
        except BaseException as error:
            _give_up(context, journal, root, stage)
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise NoSpaceForRestore(
                    needed_bytes(steps, store.objects.get), context.host.free_bytes(context.root)
                ) from error
            raise
        context.host.fail_point("restore.announce")
        store.journal.begin_switching(context.workspace)
        switch = Switch(
            root,
            stage,
            metadata,
            EntryReader(root, _name_only),
            _seen_keys(cache),
            unlocker,
            context.host.fail_point,
        )
        context.host.fail_point("restore.switch")
        switch.run(steps, stager.unstaged)
        context.host.fail_point("restore.remove-stage")
        stage.remove()
        finished = {step.path for step in steps.directories}
        for directory in store.journal.opened(context.workspace):
            if directory.path not in finished:
                close_directory(root, directory)
        context.host.fail_point("restore.finish-directories")
        switch.finish_directories(steps.directories)
        context.host.fail_point("restore.switched")
        sync_filesystem(root.descriptor)
    problems += [*switch.problems, *stage.kept]
    if switch.held_open:
        monitor.notice(_held_open(switch.held_open))
    return _Done(switch.counts, tuple(switch.skipped), tuple(problems))


def _held_open(replaced: list[bytes]) -> str:
    named = ", ".join(paths.as_text(path) for path in replaced[:3])
    more = f" and {len(replaced) - 3} more" if len(replaced) > 3 else ""
    return (
        "Running programs still have the replaced files open; restart them, or what they write is lost:"
        f" {named}{more}"
    )


def _give_up(context: Context, journal: JournalPlan, root: Root, stage: Stage) -> None:
    """End a restore that has moved nothing: remove its stage, and restore directory modes."""
    store = context.store
    is_gone = stage.abandon()
    for directory in store.journal.opened(context.workspace):
        close_directory(root, directory)
    if journal.resumed:
        return  # the process that began it has moved something, so it stays to be continued
    if is_gone:
        store.journal.end(context.workspace)
    else:
        store.journal.abandon(context.workspace)


def close_directory(root: Root, directory: OpenedDirectory) -> None:
    """Restore the mode and flags that a directory had before it was made writable.

    A mode that it was given since is kept.
    """
    try:
        descriptor = root.open_directory(directory.path)
    except OSError:
        return
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) == directory.mode | 0o700:
            os.fchmod(descriptor, directory.mode)
        set_flags(descriptor, directory.flags, ~0, lambda text: None)
    except OSError:
        return  # the filesystem is read-only by now, or the directory belongs to another user
    finally:
        os.close(descriptor)


def _seen_keys(cache: WorktreeCache) -> Callable[[os.stat_result, bytes], StatKey | None]:
    """Return the keys that the rescue's scan saw, from the cache it has just written."""
    known: dict[int, dict[bytes, StatKey]] = {}

    def seen(directory: os.stat_result, name: bytes) -> StatKey | None:
        number = directory_number(directory.st_dev, directory.st_ino)
        if number not in known:
            known[number] = cache.keys(number)
        return known[number].get(name)

    return seen


def _name_only(kind: int, content: bytes) -> ObjectId:
    return object_id(kind, content)


def _conclude(
    context: Context,
    journal: JournalPlan,
    plan: Plan,
    done: _Done,
    outside: bring_back.Outside,
    monitor: Monitor,
) -> RestoreResult:
    """Scan the workspace again, report the result, and move the trail."""
    store = context.store
    target = context.find(journal.target)
    skipped = {item.path: item for item in (*plan.skipped, *done.skipped)}
    if journal.aborting:
        return _conclude_abort(context, journal, skipped, done, outside, monitor)
    meta = {RESTORED: target.id.hex()[:8]}
    options = SaveOptions(_what_was_done(journal), meta=meta, origin=Origin.AUTOMATIC)

    def differs(found: ScanResult, _: Position) -> bool:
        return found.state != target.record.state

    def locate(writer: ObjectWriter, _: bool) -> Located:
        return bring_back.locate_after(context, writer, journal, outside)

    result = capture(context, options, monitor, on_trail=False, wanted=differs, locating=locate)
    here = result.checkpoint if result.created else target
    moved_on, unexplained = _compare(context, journal, result.scan, skipped, done)
    standing = outstanding_effects(context, target) if journal.forgets else []
    base = context.find(journal.base)
    others = concurrent_work(context, target, base, journal.within) if outside.chosen.files else ()
    with store.database.transaction():
        journal.move.apply(store, context.workspace, journal.rescue, target.id, here.id)
        bring_back.commit(context, target, outside)
        if journal.forgets:
            forgotten = forgotten_at(context, target.record.position)
            store.effects.set_forgotten(context.workspace, forgotten)
        context.host.fail_point("restore.commit")
        store.journal.end(context.workspace)
    files = _file_result(context, target, here, skipped, done, outside, moved_on, unexplained)
    return files._replace(
        rescue=context.find(journal.rescue) if journal.rescue is not None else None,
        no_longer_running=stopped_since(context, target) if journal.is_whole else (),
        effects=tuple(standing),
        brought=brought_back(
            context,
            target,
            outside.chosen,
            differing_from(base, target),
            some=bool(journal.within),
        )._replace(resumable=outside.resumable),
        concurrent_work=others,
    )


def _conclude_abort(
    context: Context,
    journal: JournalPlan,
    skipped: dict[bytes, SkippedPath],
    done: _Done,
    outside: bring_back.Outside,
    monitor: Monitor,
) -> RestoreResult:
    """Scan the workspace again; the trail does not move."""
    target, here = context.find(journal.target), context.here or context.find(journal.target)
    found = store_live(context, monitor)
    moved_on, unexplained = _compare(context, journal, found, skipped, done)
    context.store.journal.end(context.workspace)
    files = _file_result(context, target, here, skipped, done, outside, moved_on, unexplained)
    return files._replace(aborted=True)


def _file_result(
    context: Context,
    target: Checkpoint,
    here: Checkpoint,
    skipped: dict[bytes, SkippedPath],
    done: _Done,
    outside: bring_back.Outside,
    moved_on: list[bytes],
    unexplained: list[SkippedPath],
) -> RestoreResult:
    """Return what happened to the files."""
    return RestoreResult(
        target=target,
        rescue=None,
        here=context.mark_here(here),
        created=done.counts.created,
        replaced=done.counts.replaced,
        deleted=done.counts.deleted,
        metadata=done.counts.metadata,
        verified=not unexplained,
        skipped=tuple(skipped[path] for path in sorted(skipped)),
        changed_after=tuple(moved_on),
        problems=(*done.problems, *unexplained, *outside.problems),
    )


def _what_was_done(journal: JournalPlan) -> str:
    target = journal.target.hex()[:8]
    if RestorePart.FILES not in journal.parts:
        return f"{' and '.join(journal.parts)} restored from {target}"
    if journal.within:
        return f"{counted(len(journal.within), 'path')} restored from {target}"
    return f"after restoring {target}"


def _compare(
    context: Context,
    journal: JournalPlan,
    found: ScanResult,
    skipped: dict[bytes, SkippedPath],
    done: _Done,
) -> tuple[list[bytes], list[SkippedPath]]:
    """Return paths that changed after the exchange, and paths that are wrong for no known reason."""
    target = context.find(journal.target)
    if found.state == target.record.state or RestorePart.FILES not in journal.parts:
        return [], []
    get = context.store.objects.get
    base = context.find(journal.base)
    explained = {*skipped, *(item.path for item in done.problems)}
    in_order = sorted(explained)
    # A change of a directory's own metadata is not a change of its content.
    above = [
        path
        for path in explained
        if path not in skipped or skipped[path].reason != SkipReason.METADATA_EDITED
    ]
    moved_on: list[bytes] = []
    unexplained: list[SkippedPath] = []
    for change in diff_trees(target.record.tree, found.tree, get, mtimes=False):
        path = change.path
        outside = journal.within and not any(paths.is_within(path, one) for one in journal.within)
        if outside or path in explained or paths.holds_any(path, in_order):
            continue
        if any(paths.is_within(path, one) for one in above if one):
            continue
        before = lookup(base.record.tree, path, get)
        if before == change.new:
            unexplained.append(SkippedPath(path, "left unchanged"))
        else:
            moved_on.append(path)
    return moved_on, unexplained
