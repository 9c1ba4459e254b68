"""Restore: makes the workspace, or some paths of it, exactly what a checkpoint holds.

    rescue   what is live is captured, unless *here* holds it already
    plan     what differs between live and target, made into steps
    prove    everything that would be overwritten can be read back from the store
    stage    the new content, proved object by object, waits inside the root
    switch   it is exchanged with what is there
    compare  the disk is read again; only then is success said

The journal holds the plan from the stage to the end.  A restore that was cut short is finished by
the next command, with the same rescue.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

from clew.diff.trees import diff_trees, lookup
from clew.errors import (
    NeedsConfirmation,
    NoRoomForRestore,
    StoreDamaged,
    StoreFull,
)
from clew.model import path as paths
from clew.model.checkpoint import Checkpoint
from clew.model.content import BLOB_LIMIT, Chunk, decode_chunklist
from clew.model.entry import Entry
from clew.model.ids import ObjectId, object_id
from clew.model.pattern import Patterns
from clew.model.position import Position
from clew.model.record import Origin
from clew.model.restoring import LeftAlone, RestorePreview, RestoreResult
from clew.model.small_objects import Rules, decode_links, decode_xattrs
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.journal_plan import JournalPlan, TrailMove
from clew.operations.preview import preview_restore
from clew.operations.restore_plan import Get, Plan, Side, make_plan
from clew.operations.room import SPARE_BYTES, free_bytes, needed_bytes, require_room
from clew.operations.save import Captured, SaveOptions, capture, capture_rescue
from clew.operations.standing import forgotten_at, standing_after
from clew.operations.stopped import stopped_since
from clew.store.journal import OpenedDirectory
from clew.store.pages import damaged_pages
from clew.worktree.boundaries import Boundaries, stage_name
from clew.worktree.cache import WorktreeCache, directory_number
from clew.worktree.metadata import MetadataWriter, set_flags
from clew.worktree.read import EntryReader, StatKey
from clew.worktree.root import Root
from clew.worktree.scan import ScanResult
from clew.worktree.stage import Stage, Stager
from clew.worktree.steps import Steps
from clew.worktree.switch import Counts, Switch
from clew.worktree.syscalls import sync_filesystem
from clew.worktree.unlock import Unlocker

Confirm = Callable[[RestorePreview], bool]


class RestoreOptions(NamedTuple):
    """What a restore is told."""

    within: tuple[bytes, ...] = ()
    """Paths to restore; empty for the whole workspace."""
    move: TrailMove = TrailMove()
    """What happens to the trail at the end."""
    intent: str = ""
    """The rescue's intent."""
    confirm: Confirm | None = None


def restore(
    context: Context, target: Checkpoint, options: RestoreOptions, monitor: Monitor
) -> RestoreResult:
    """Make the workspace what `target` holds; the caller holds its locks."""
    if options.confirm is not None:
        preview = preview_restore(context, target, options.within, monitor)
        if preview.overwrites and not options.confirm(preview):
            raise NeedsConfirmation(preview)
    revive_root(context)
    rescued = _rescue(context, target, options, monitor)
    base = rescued.checkpoint
    rescue = base if rescued.created else None
    live = live_side(context, rescued.scan)
    plan = make_plan(
        live, target_side(context, target), context.store.objects.get, within=options.within
    )
    journal = JournalPlan(
        target=target.id,
        base=base.id,
        rescue=rescue.id if rescue is not None else None,
        within=options.within,
        move=options.move,
        staged=tuple(plan.steps.staged_paths),
    )
    return carry_out(context, journal, plan, monitor)


def revive_root(context: Context) -> None:
    """Make the root again if it was deleted, and bind the workspace to it."""
    try:
        os.makedirs(context.root, mode=0o700)
    except FileExistsError:
        return
    inode = os.stat(context.root).st_ino
    context.store.workspaces.bind(context.workspace, context.root, inode)


def target_side(context: Context, checkpoint: Checkpoint) -> Side:
    """Return a checkpoint as a plan needs it."""
    get = context.store.objects.get
    record = checkpoint.record
    rules = Rules.decode(get(record.rules))
    return Side(record.tree, tuple(decode_links(get(record.links))), Patterns(rules.patterns))


def live_side(context: Context, found: ScanResult, get: Get | None = None) -> Side:
    """Return the live workspace, as just scanned, as a plan needs it; `get` if not into the store."""
    groups = tuple(decode_links((get or context.store.objects.get)(found.links)))
    excludes = Patterns(context.rules.patterns)
    return Side(found.tree, groups, excludes, frozenset(found.linked_outside))


def carry_out(
    context: Context, journal: JournalPlan, plan: Plan, monitor: Monitor
) -> RestoreResult:
    """Prove, stage, switch, compare, and move the trail."""
    _prove(context, plan.steps)
    require_room(context, plan.steps)
    done = _Done()
    if not plan.steps.is_empty:
        done = _change_disk(context, journal, plan.steps, monitor)
    return _conclude(context, journal, plan, done, monitor)


class _Done(NamedTuple):
    """What the switch did."""

    counts: Counts = Counts()
    left_alone: tuple[LeftAlone, ...] = ()
    problems: tuple[LeftAlone, ...] = ()


def _rescue(
    context: Context, target: Checkpoint, options: RestoreOptions, monitor: Monitor
) -> Captured:
    intent = options.intent or f"before restoring {target.id.hex()[:8]}"
    try:
        captured = capture_rescue(context, intent, monitor)
    except StoreFull as error:
        needed = preview_restore(context, target, options.within, monitor).needed_bytes
        free = free_bytes(os.fsencode(context.store.layout.root))
        raise NoRoomForRestore(needed + SPARE_BYTES, free) from error
    unstable = [
        path
        for path in captured.scan.coverage.unstable
        if not options.within or any(paths.is_within(path, chosen) for chosen in options.within)
    ]
    if unstable:
        monitor.notice(
            f"{len(unstable)} files kept changing while the rescue was read: "
            + paths.as_text(unstable[0])
        )
    return captured


def _prove(context: Context, steps: Steps) -> None:
    """Read back from the store everything that is about to be overwritten or deleted.

    What also comes in is proved while it is staged, before anything changes, so not here as well.
    The catalogue's pages are read too: the journal is among them, and must not fail half way.
    """
    if damaged_pages(context.store.layout.catalog):
        raise StoreDamaged(f"The catalogue is damaged: {context.store.layout.catalog!r}")
    get = context.store.objects.get
    coming = {blob for step in steps.put for blob in _blobs(step.new, get)}
    going = [
        blob
        for step in (*steps.put, *steps.delete)
        for blob in _blobs(step.old, get)
        if blob not in coming
    ]
    for _ in context.store.objects.get_many(going):
        pass


def _blobs(entry: Entry | None, get: Callable[[ObjectId], bytes]) -> Iterator[ObjectId]:
    """Yield the blobs that hold the content of a file."""
    if entry is None or not entry.is_file:
        return
    if entry.size <= BLOB_LIMIT:
        yield entry.content
        return
    for token in decode_chunklist(get(entry.content)):
        if isinstance(token, Chunk):
            yield token.blob


def _change_disk(context: Context, journal: JournalPlan, steps: Steps, monitor: Monitor) -> _Done:
    store = context.store
    problems: list[LeftAlone] = []
    boundaries = Boundaries(context.root, context.rules, None)
    with (
        Root(context.root, cross_mounts=context.info.machine) as root,
        closing(context.open_cache()) as cache,
    ):
        unlocker = Unlocker(
            lambda path, mode, flags: store.journal.open_directory(
                context.workspace, path, mode, flags
            )
        )
        stage = Stage(root, stage_name(), boundaries.entered_mounts, unlocker)
        metadata = MetadataWriter(lambda key: decode_xattrs(store.objects.get(ObjectId(key))))
        stager = Stager(stage, metadata, store.objects.get_many, store.objects.content)
        journal = journal._replace(regions=tuple(stage.regions(steps.staged_paths)))
        store.journal.begin(context.workspace, os.fsdecode(stage.name), journal.encode())
        try:
            stager.fill(
                steps,
                lambda path, text: problems.append(LeftAlone(path, text)),
                lambda number, total: monitor.progress("stage", number, total),
            )
            stage.sync()
        except BaseException as error:
            # Nothing more is in place than before: take the stage away, and shut what was opened.
            stage.abandon()
            for directory in store.journal.opened(context.workspace):
                close_directory(root, directory)
            if not journal.resumed:
                store.journal.end(context.workspace)
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise NoRoomForRestore(
                    needed_bytes(steps, store.objects.get), free_bytes(context.root)
                ) from error
            raise
        store.journal.begin_switching(context.workspace)
        switch = Switch(
            root,
            stage,
            metadata,
            EntryReader(_name_only),
            _seen_keys(cache),
            unlocker,
        )
        switch.run(steps, stager.unstaged)
        stage.remove()
        finished = {step.path for step in steps.directories}
        for directory in store.journal.opened(context.workspace):
            if directory.path not in finished:
                close_directory(root, directory)
        switch.finish_directories(steps.directories)
        sync_filesystem(root.descriptor)
    return _Done(switch.counts, tuple(switch.left_alone), tuple(problems) + tuple(switch.problems))


def close_directory(root: Root, directory: OpenedDirectory) -> None:
    """Give a directory back the mode and flags it had before it was opened up."""
    try:
        descriptor = root.open_directory(directory.path)
    except OSError:
        return
    try:
        os.fchmod(descriptor, directory.mode)
        set_flags(descriptor, directory.flags, ~0, lambda text: None)
    finally:
        os.close(descriptor)


def _seen_keys(cache: WorktreeCache) -> Callable[[os.stat_result, str], StatKey | None]:
    """Return what the rescue's scan saw, from the cache it has just written."""
    known: dict[int, dict[str, StatKey]] = {}

    def seen(directory: os.stat_result, name: str) -> StatKey | None:
        number = directory_number(directory.st_dev, directory.st_ino)
        if number not in known:
            known[number] = cache.keys(number)
        return known[number].get(name)

    return seen


def _name_only(kind: int, content: bytes) -> ObjectId:
    return object_id(kind, content)


def _conclude(
    context: Context, journal: JournalPlan, plan: Plan, done: _Done, monitor: Monitor
) -> RestoreResult:
    """Read the disk again, say what is true now, and move the trail with it."""
    store = context.store
    target = context.find(journal.target)
    left_alone = {item.path: item for item in (*plan.left_alone, *done.left_alone)}
    what = f"after restoring {target.id.hex()[:8]}"
    if journal.within:
        what = f"{len(journal.within)} paths restored from {target.id.hex()[:8]}"
    options = SaveOptions(intent=what, origin=Origin.AUTOMATIC)

    def differs(found: ScanResult, _: Position) -> bool:
        return found.state != target.record.state

    result = capture(context, options, monitor, on_trail=False, wanted=differs)
    here = result.checkpoint if result.created else target
    moved_on, unexplained = _compare(context, journal, result.scan, left_alone, done)
    standing = standing_after(context, target) if not journal.within else []
    with store.database.transaction():
        journal.move.apply(store, context.workspace, journal.rescue, target.id, here.id)
        if not journal.within:
            forgotten = forgotten_at(context, target.record.position)
            store.effects.set_forgotten(context.workspace, forgotten)
        store.journal.end(context.workspace)
    return RestoreResult(
        target=target,
        rescue=context.find(journal.rescue) if journal.rescue is not None else None,
        here=context.mark_here(here),
        created=done.counts.created,
        replaced=done.counts.replaced,
        deleted=done.counts.deleted,
        metadata=done.counts.metadata,
        verified=not unexplained,
        left_alone=tuple(left_alone[path] for path in sorted(left_alone)),
        moved_on=tuple(moved_on),
        problems=(*done.problems, *unexplained),
        stopped=stopped_since(context, target) if not journal.within else (),
        effects=tuple(standing),
    )


def _compare(
    context: Context,
    journal: JournalPlan,
    found: ScanResult,
    left_alone: dict[bytes, LeftAlone],
    done: _Done,
) -> tuple[list[bytes], list[LeftAlone]]:
    """Return paths that somebody changed after the switch, and those that are simply not right."""
    target = context.find(journal.target)
    if found.state == target.record.state:
        return [], []
    get = context.store.objects.get
    base = context.find(journal.base)
    explained = {*left_alone, *(item.path for item in done.problems)}
    in_order = sorted(explained)
    moved_on: list[bytes] = []
    unexplained: list[LeftAlone] = []
    for change in diff_trees(target.record.tree, found.tree, get, mtimes=False):
        path = change.path
        outside = journal.within and not any(paths.is_within(path, one) for one in journal.within)
        if outside or path in explained or paths.holds_any(path, in_order):
            continue
        if any(paths.is_within(path, one) for one in explained):
            continue
        before = lookup(base.record.tree, path, get)
        if before == change.new:
            unexplained.append(LeftAlone(path, "could not be set back"))
        else:
            moved_on.append(path)
    return moved_on, unexplained
