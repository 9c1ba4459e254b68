"""Diff: how two checkpoints differ, or a checkpoint and the live workspace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from clew.diff.renames import pair_renames
from clew.diff.text import too_large, unified
from clew.diff.trees import diff_trees
from clew.model import path as paths
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry, Kind
from clew.model.ids import ObjectId
from clew.model.results import Difference
from clew.monitor import Monitor
from clew.operations.capture import scan_live
from clew.operations.context import Context
from clew.worktree.root import Root

_PATCH_LIMIT = 4 << 20
"""Files above this are not read for a text patch."""

Read = Callable[[bytes, Entry], bytes | None]


def diff(
    context: Context,
    old: Checkpoint | None,
    new: Checkpoint | None,
    within: Sequence[bytes],
    monitor: Monitor,
) -> Difference:
    """Return how `new` differs from `old`; None as `new` is the live workspace."""
    get = context.store.objects.get
    coverage = None
    if new is not None:
        tree = new.record.tree
    else:
        found, live = scan_live(context, monitor)
        tree, get, coverage = found.tree, live.get, found.coverage
    if old is None:
        return Difference(None, new, (), coverage)
    changes: Iterator[Change] | list[Change] = diff_trees(old.record.tree, tree, get, mtimes=False)
    paired = pair_renames(list(changes))
    chosen = [change for change in paired if _is_chosen(change, within)]
    return Difference(old, new, tuple(chosen), coverage)


def patch(context: Context, difference: Difference) -> Iterator[str]:
    """Yield the text of every change of content, line by line."""
    stored = _stored_reader(context)
    if difference.new is not None:
        for change in difference.changes:
            yield from _patch_one(change, stored, stored)
        return
    with Root(context.root, cross_mounts=True) as root:
        live = _live_reader(root)
        for change in difference.changes:
            yield from _patch_one(change, stored, live)


def _is_chosen(change: Change, within: Sequence[bytes]) -> bool:
    if not within:
        return True
    candidates = [change.path] + ([change.old_path] if change.old_path is not None else [])
    return any(paths.is_within(path, one) for path in candidates for one in within)


def _patch_one(change: Change, read_old: Read, read_new: Read) -> Iterator[str]:
    if change.kind == ChangeKind.METADATA:
        return
    old_path = change.old_path if change.old_path is not None else change.path
    if any(entry is not None and entry.is_directory for entry in (change.old, change.new)):
        return
    largest = max(entry.size for entry in (change.old, change.new) if entry is not None)
    if largest > _PATCH_LIMIT:
        yield from too_large(
            old_path if change.old is not None else None,
            change.path if change.new is not None else None,
            largest,
        )
        return
    before = read_old(old_path, change.old) if change.old is not None else None
    after = read_new(change.path, change.new) if change.new is not None else None
    if before is None and after is None:
        return
    yield from unified(
        old_path,
        change.path,
        before,
        after,
    )


def _stored_reader(context: Context) -> Read:
    def read(_: bytes, entry: Entry) -> bytes | None:
        if entry.kind == Kind.SYMLINK:
            return entry.target
        if entry.kind != Kind.FILE:
            return None
        return b"".join(context.store.objects.content(ObjectId(entry.content), entry.size))

    return read


def _live_reader(root: Root) -> Read:
    def read(path: bytes, entry: Entry) -> bytes | None:
        if entry.kind == Kind.SYMLINK:
            return entry.target
        if entry.kind != Kind.FILE:
            return None
        try:
            descriptor = root.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return None  # gone since the scan
        with os.fdopen(descriptor, "rb") as file:
            return file.read(_PATCH_LIMIT)

    return read
