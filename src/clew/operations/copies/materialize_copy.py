"""Materialize a checkpoint: write its files to a directory, and verify them by a scan.

What could not be restored (an owner, a device, a time that the filesystem cannot store) is listed.
Any other difference is an error: it is not a copy then.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from clew.diff.trees import diff_trees, walk
from clew.errors import CopyMismatch, NoSpaceForCopy
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.content import BLOB_LIMIT, Chunk, decode_chunklist
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.restore_results import SkippedPath
from clew.model.small_objects import Rules, decode_links
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.scan_directory import scan_directory
from clew.operations.recorded_rules import recorded_rules
from clew.operations.restore.disk_space import SPARE_BYTES
from clew.operations.save.scan import LiveTrees
from clew.store.reader import ObjectReader
from clew.store.store import ChildObjects, Store
from clew.worktree.cache import WorktreeCache
from clew.worktree.fill_directories import ContentSource, Problem
from clew.worktree.materialize import materialise
from clew.worktree.scan import ScanResult

_BLOCK = 4096
"""Disk space of the smallest file on most filesystems."""


Ids = tuple[ObjectId, ObjectId]
"""The tree and the links of a checkpoint."""


class Proved(NamedTuple):
    """A copy that was verified."""

    problems: tuple[SkippedPath, ...]
    """How it falls short of the checkpoint."""
    tree: ObjectId
    links: ObjectId
    """Its ids: those of the checkpoint, if there are no problems and everything was covered."""


class WrittenOut(NamedTuple):
    """A checkpoint that is on disk."""

    proved: Proved
    may_be_layered: bool


def write_out(
    context: Context,
    checkpoint: Checkpoint,
    directory: bytes,
    cache: WorktreeCache,
    monitor: Monitor,
) -> WrittenOut:
    """Fill an empty directory with the files of a checkpoint; the caller holds the store's lock."""
    record, store = checkpoint.record, context.store
    links = decode_links(store.objects.get(record.links))
    with telling_of_room(context, checkpoint, directory):
        made = materialise(
            directory, record.tree, links, source_of(store), monitor, record.coverage.files,
            processes=context.host.processors(),
        )  # fmt: skip
    context.host.fail_point("copy.written")
    proved = prove(context, checkpoint, directory, made.problems, cache, monitor)
    return WrittenOut(proved, made.may_be_layered)


def prove(
    context: Context,
    checkpoint: Checkpoint,
    directory: bytes,
    troubles: Iterable[Problem],
    cache: WorktreeCache,
    monitor: Monitor,
) -> Proved:
    """Verify a copy and return how it falls short; `CopyMismatch` if it is not a copy."""
    record = checkpoint.record
    found, trees = look_at_copy(context, checkpoint, directory, cache, monitor)
    problems = [SkippedPath(path, text) for path, text in troubles]
    if (found.tree, found.links) != (record.tree, record.links):
        known = {item.path for item in problems}
        for change in diff_trees(record.tree, found.tree, trees.get, mtimes=True, uncovered=True):
            if change.path not in known:
                problems += _shortfall(change)
        problems += _lost_links(trees.get(record.links), trees.get(found.links), known)
    return Proved(tuple(sorted(problems)), found.tree, found.links)


def look_at_copy(
    context: Context,
    checkpoint: Checkpoint,
    directory: bytes,
    cache: WorktreeCache,
    monitor: Monitor,
) -> tuple[ScanResult, LiveTrees]:
    """Scan a copy; nothing is excluded, because the checkpoint holds nothing that was."""
    rules = recorded_rules(context.store, checkpoint.record)
    found, trees = scan_directory(context, directory, Rules((), rules.machine), cache, monitor)
    # Trees found only by this scan are not in the store, so no later scan may rely on them.
    stored = [one for one in found.updates if one.directory.tree not in trees.fresh]
    cache.update(stored, found.gone)
    return found, trees


def source_of(store: Store) -> ContentSource:
    """Return the store's objects as a copy needs them."""

    def reopened() -> ContentSource:
        own = ChildObjects(store)
        return ContentSource(own.get, own.get_many, own.content, own.in_order, reopened)

    objects: ObjectReader = store.objects
    return ContentSource(objects.get, objects.get_many, objects.content, objects.in_order, reopened)


@contextmanager
def telling_of_room(context: Context, checkpoint: Checkpoint, directory: bytes) -> Iterator[None]:
    """Refuse, with the figures, a copy that does not fit, before writing or while writing."""
    store, host = context.store, context.host
    if roughly_needed(checkpoint) > host.free_bytes(directory):
        needed = exactly_needed(store, checkpoint)
        if needed > host.free_bytes(directory):
            raise NoSpaceForCopy(needed, host.free_bytes(directory))
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        needed = exactly_needed(store, checkpoint)
        raise NoSpaceForCopy(needed, host.free_bytes(directory)) from error


def roughly_needed(checkpoint: Checkpoint) -> int:
    """Return an upper limit of the bytes of a copy; fast, too high for sparse files."""
    coverage = checkpoint.record.coverage
    return coverage.total_bytes + coverage.files * _BLOCK + SPARE_BYTES


def exactly_needed(store: Store, checkpoint: Checkpoint) -> int:
    """Return the bytes of a copy; runs of zeros become holes and take none."""
    get = store.objects.get
    twins = {path for group in decode_links(get(checkpoint.record.links)) for path in group[1:]}
    total = SPARE_BYTES
    for path, entry in walk(checkpoint.record.tree, get):
        if path not in twins:
            total += _taken(entry, store)
    return total


def _taken(entry: Entry, store: Store) -> int:
    if not entry.is_file or entry.size <= BLOB_LIMIT:
        return -(-max(entry.size, 1) // _BLOCK) * _BLOCK
    tokens = decode_chunklist(store.objects.get(entry.content))
    return sum(token.length for token in tokens if isinstance(token, Chunk))


def _shortfall(change: Change) -> Iterator[SkippedPath]:
    """Describe what is missing of one path; raise if its content differs."""
    old, new = change.old, change.new
    if old is not None and not old.is_covered:
        if new is not None:  # there must be nothing where the checkpoint has nothing
            raise CopyMismatch(os.fsdecode(change.path))
    elif new is not None and not new.is_covered:
        yield SkippedPath(change.path, "cannot be read back")
    elif change.kind != ChangeKind.METADATA or old is None or new is None:
        raise CopyMismatch(os.fsdecode(change.path))
    else:
        yield SkippedPath(
            change.path, f"could not be restored: {', '.join(differing_fields(old, new))}"
        )


def differing_fields(old: Entry, new: Entry) -> list[str]:
    """Return the names of the attributes that differ."""
    return [
        word
        for word, same in (
            ("owner", (old.uid, old.gid) == (new.uid, new.gid)),
            ("mode", old.mode == new.mode),
            ("mtime", old.mtime_ns == new.mtime_ns),
            ("xattrs", old.xattrs == new.xattrs),
            ("inode flags", old.flags == new.flags),
        )
        if not same
    ]


def _lost_links(wanted: bytes, found: bytes, known: set[bytes]) -> Iterator[SkippedPath]:
    there = set(decode_links(found))
    groups = set(decode_links(wanted))
    for group in sorted(groups ^ there):
        if not known.intersection(group):
            yield SkippedPath(group[0], f"could not be restored: links to {len(group) - 1} names")
