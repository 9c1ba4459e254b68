"""Restore drill: prove that a checkpoint can be restored.

    write     all its files are written to a new directory in `copies/` of the store
    compare   that directory is scanned: tree and links must have the recorded ids
    check     the workspace's own check, or the command of its verdict, runs there in a sandbox
    record    when it was proven, or which paths differ

The live workspace is neither read nor changed, and the directory is removed.  A cached copy would
prove nothing: the point is to read every object that a restore would read.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial

from clew.diff.trees import diff_trees
from clew.errors import (
    ClewError,
    NoSpaceForCopy,
    SandboxUnavailable,
    StoreDamaged,
    UnknownReference,
)
from clew.model import path as paths
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.drill import DIFFERENCES_KEPT, Drill, DrillDifference, DrillOutcome
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Record
from clew.model.restore_results import SkippedPath
from clew.model.sandbox_results import DrillResult
from clew.model.small_objects import decode_links
from clew.model.tree import read_directory, read_root
from clew.model.verdict import Verdict
from clew.monitor import Monitor
from clew.operations.access import Access
from clew.operations.context import Context
from clew.operations.copies.copy_cache import Slot, Slots, cache_owner
from clew.operations.copies.isolation import Isolation, announce, isolation_from
from clew.operations.copies.materialize_copy import (
    differing_fields,
    exactly_needed,
    look_at_copy,
    roughly_needed,
    source_of,
    telling_of_room,
)
from clew.operations.copies.private_copy import work_in_copy
from clew.operations.maintenance.settings import VERIFY, as_seconds, in_force
from clew.operations.sandbox.coverage_notes import coverage_notes
from clew.operations.sandbox.verify import TIMEOUT
from clew.operations.sandbox.verify_copy import (
    CheckOptions,
    compare_and_store,
    run_check,
    verdict_of,
)
from clew.operations.save.min_free import min_free_bytes
from clew.policy.redaction.redact import MARK
from clew.store.store import Store
from clew.worktree.http_probe import is_address
from clew.worktree.materialize import materialise
from clew.worktree.sandbox import FullCopy

_PREFIX = "drill-"
"""Name of the directory of a drill in `copies/`: not that of a cached copy, which others wait for."""


_ISOLATED = Isolation()


class DrillOptions(NamedTuple):
    """What to drill, and how."""

    ref: str | None = None
    """The checkpoint; by default the newest good one, else a random one."""
    is_random: bool = False
    """Choose at random, those that were never drilled first."""
    check: bool = True
    """Whether to run its check."""
    timeout: str | float | None = None
    network: str | None = None
    allow_sockets: Sequence[str] = ()


class Compared(NamedTuple):
    """A restored checkpoint, compared with its record."""

    differences: tuple[DrillDifference, ...] = ()
    limits: tuple[SkippedPath, ...] = ()


def drill(access: Access, options: DrillOptions, monitor: Monitor) -> DrillResult:
    """Restore a checkpoint to a copy, compare it, check it, and record the outcome.

    It takes its own locks, and holds none while the check runs.
    """
    access.store.require_writable()
    timeout = as_seconds("--timeout", options.timeout) if options.timeout is not None else TIMEOUT
    isolation = isolation_from(options.network, options.allow_sockets)
    with access.reading(monitor) as context:
        checkpoint = choose(access, options, monitor)
    return drill_checkpoint(
        context, checkpoint, monitor, check=options.check, timeout=timeout, isolation=isolation
    )


def choose(access: Access, options: DrillOptions, monitor: Monitor) -> Checkpoint:
    """Return the checkpoint to drill."""
    if options.ref is not None:
        return access.look_up(options.ref, monitor)
    if not options.is_random:
        good = access.store.checkpoints.latest_passing(access.context.workspace)
        if good is not None:
            return good
    return random_checkpoint(access.context)


def random_checkpoint(context: Context) -> Checkpoint:
    """Return a random checkpoint, of those that were never drilled if there are any."""
    every = [one.id for one in context.store.checkpoints.newest_first(context.workspace)]
    if not every:
        raise UnknownReference("good")
    drilled = context.store.drills.checkpoints(context.workspace)
    fresh = [one for one in every if one not in drilled]
    return context.find(random.choice(fresh or every))  # noqa: S311 - no secret


def drill_checkpoint(
    context: Context,
    checkpoint: Checkpoint,
    monitor: Monitor,
    *,
    check: bool = True,
    timeout: float = TIMEOUT,
    isolation: Isolation = _ISOLATED,
) -> DrillResult:
    """Drill one checkpoint; the caller holds no lock."""
    clock, notices, verdict = time.monotonic_ns(), list[str](), None
    require_room(context, checkpoint)
    with _directory(context.store) as slot:
        compared = _restore(context, checkpoint, slot, monitor)
        context.host.fail_point("drill.compared")
        if check and not compared.differences:
            verdict, notices = _check(context, checkpoint, slot, monitor, timeout, isolation)
    drill = _record(context, checkpoint, compared, monitor)
    with context.store.locks.shared(monitor):
        found = context.store.checkpoints.get(checkpoint.id)
    if found is None:
        notices.append("The checkpoint was deleted meanwhile: nothing is recorded")
        found = checkpoint._replace(drill=drill)
    return DrillResult(
        context.mark_here(found), drill, compared.differences, compared.limits, verdict,
        time.monotonic_ns() - clock, tuple(notices),
    )  # fmt: skip


def require_room(context: Context, checkpoint: Checkpoint) -> None:
    """Refuse a drill that would leave less than `min-free` on the store's disk."""
    floor = min_free_bytes(context)
    free = context.host.free_bytes(context.store.layout.copies)
    if roughly_needed(checkpoint) + floor <= free:
        return
    try:
        needed = exactly_needed(context.store, checkpoint) + floor
    except StoreDamaged:
        return  # the drill reports what is damaged
    if needed > free:
        raise NoSpaceForCopy(needed, free)


@contextmanager
def _directory(store: Store) -> Iterator[Slot]:
    """Provide an empty directory in `copies/`; the next copy or drill removes one that is left."""
    Slots(store.layout.copies).sweep()
    slot = Slot(store.layout.copies, _PREFIX + os.urandom(8).hex())
    os.mkdir(slot.path, 0o700)
    with slot.locked(alone=True, wait=True):
        try:
            os.mkdir(slot.tree, 0o700)
            yield slot
        finally:
            slot.drop()


def _restore(context: Context, checkpoint: Checkpoint, slot: Slot, monitor: Monitor) -> Compared:
    """Write a checkpoint to a directory, and compare it with the record."""
    store, record = context.store, checkpoint.record
    with store.locks.shared(monitor):
        try:
            links = decode_links(store.objects.get(record.links))
            with telling_of_room(context, checkpoint, slot.tree):
                made = materialise(
                    slot.tree, record.tree, links, source_of(store), monitor,
                    record.coverage.files, processes=context.host.processors(),
                )  # fmt: skip
            context.host.fail_point("drill.written")
            with closing(slot.open_cache(cache_owner(store))) as cache:
                found, trees = look_at_copy(context, checkpoint, slot.tree, cache, monitor)
        except (StoreDamaged, ValueError) as error:
            damaged = tuple(unreadable_paths(store, record))
            return Compared(damaged or (DrillDifference(b"", str(error)),))
        limits = dict(made.problems)
        differences: list[DrillDifference] = []
        if (found.tree, found.links) != (record.tree, record.links):
            changes = diff_trees(record.tree, found.tree, trees.get, mtimes=True, uncovered=True)
            differences += _differences(changes, limits)
            differences += _link_differences(
                trees.get(record.links), trees.get(found.links), limits
            )
        skipped = (SkippedPath(path, text) for path, text in sorted(limits.items()))
        return Compared(tuple(differences), tuple(skipped))


def _differences(changes: Iterable[Change], limits: dict[bytes, str]) -> Iterator[DrillDifference]:
    """Yield what differs from the record, except for what is listed in `limits`, or added to it."""
    for change in changes:
        old, new = change.old, change.new
        if change.path in limits:
            continue
        if old is not None and not old.is_covered:
            if new is not None:
                yield DrillDifference(change.path, "is not in the checkpoint")
        elif new is not None and not new.is_covered:
            limits[change.path] = "cannot be read back by this user"
        elif old is None:
            yield DrillDifference(change.path, "is not in the checkpoint")
        elif new is None:
            yield DrillDifference(change.path, "is missing")
        elif change.kind == ChangeKind.METADATA:
            fields = ", ".join(differing_fields(old, new))
            yield DrillDifference(change.path, f"differs in {fields}")
        else:
            yield DrillDifference(change.path, "has other content")


def _link_differences(
    wanted: bytes, found: bytes, limits: dict[bytes, str]
) -> Iterator[DrillDifference]:
    for group in sorted(set(decode_links(wanted)) ^ set(decode_links(found))):
        if not limits.keys() & set(group):
            yield DrillDifference(group[0], f"has other hard links: {len(group) - 1} names")


def unreadable_paths(store: Store, record: Record) -> Iterator[DrillDifference]:
    """Yield every path of a checkpoint whose content or metadata cannot be read from the store."""
    get = store.objects.get
    known: dict[ObjectId, bool] = {}

    def damage(entry: Entry) -> str:
        """Return what of an entry cannot be read; empty if all of it can."""
        if entry.is_file and _fails(known, entry.content, lambda: _read(store, entry)):
            return "its content cannot be read"
        xattrs = entry.xattrs
        if xattrs is not None and _fails(known, xattrs, lambda: get(xattrs)):
            return "its extended attributes cannot be read"
        return ""

    try:
        waiting = [(b"", read_root(record.tree, get))]
    except (StoreDamaged, ValueError):
        yield DrillDifference(b"", "its files cannot be read")
        return
    while waiting:
        path, own = waiting.pop()
        if what := damage(own):
            yield DrillDifference(path, what)
        try:
            entries = list(read_directory(own.content, get))
        except (StoreDamaged, ValueError):
            yield DrillDifference(path, "its entries cannot be read")
            continue
        for entry in entries:
            if entry.is_directory:
                waiting.append((paths.join(path, entry.name), entry))
            elif what := damage(entry):
                yield DrillDifference(paths.join(path, entry.name), what)
    others = ((record.links, "hard links"), (record.rules, "exclude rules"))
    lost = [what for one, what in others if _fails(known, one, partial(get, one))]
    if lost:
        yield DrillDifference(b"", f"its {' and '.join(lost)} cannot be read")


def _read(store: Store, entry: Entry) -> None:
    for _ in store.objects.content(entry.content, entry.size):
        pass


def _fails(known: dict[ObjectId, bool], identifier: ObjectId, read: Callable[[], object]) -> bool:
    """Return whether an object cannot be read; each is read once."""
    if identifier not in known:
        try:
            read()
            known[identifier] = False
        except (StoreDamaged, ValueError):
            known[identifier] = True
    return known[identifier]


def check_of(context: Context, checkpoint: Checkpoint) -> tuple[str | None, str | None]:
    """Return the check of a checkpoint, and why it cannot be repeated; None if there is none."""
    verdict = checkpoint.verdict
    command = in_force(context)[VERIFY] or (verdict.command if verdict is not None else "")
    if not command:
        return None, None
    if MARK in command:
        return None, "The check was not repeated: a secret in its command is not stored"
    if is_address(command):
        return None, "The check was not repeated: a URL needs a server, see `clew verify --serve`"
    return command, None


def _check(
    context: Context,
    checkpoint: Checkpoint,
    slot: Slot,
    monitor: Monitor,
    timeout: float,
    isolation: Isolation,
) -> tuple[Verdict | None, list[str]]:
    """Run the check in the restored directory, and store its verdict; return notices too."""
    command, why_not = check_of(context, checkpoint)
    if command is None:
        return None, [why_not] if why_not else []
    options = CheckOptions(command, timeout, isolation)
    announce(context, checkpoint, isolation, monitor)
    try:
        performed = work_in_copy(
            context,
            FullCopy(slot.tree),
            partial(run_check, context, options),
            isolation=isolation,
            monitor=monitor,
        )
    except SandboxUnavailable as error:
        return None, [f"The check was not repeated: {error}"]
    notes = (*performed.notes, *coverage_notes(checkpoint))
    verdict = verdict_of(performed, performed.result, checkpoint, options, notes)
    try:
        return compare_and_store(context, checkpoint, verdict, options, monitor), []
    except ClewError as error:
        return verdict, [f"Cannot record the check result: {error}"]


def _record(
    context: Context, checkpoint: Checkpoint, compared: Compared, monitor: Monitor
) -> Drill:
    """Store the outcome with the checkpoint."""
    differences = compared.differences
    outcome = DrillOutcome.FAILED if differences else DrillOutcome.PROVEN
    drill = Drill(context.host.now_ns(), outcome, len(differences), differences[:DIFFERENCES_KEPT])
    with context.store.locks.shared(monitor):
        context.store.drills.put(checkpoint.id, drill)
    return drill
