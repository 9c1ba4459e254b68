"""Scans of a workspace, with trees stored in the store or kept in memory.

A save scans into the store.  A diff against the live workspace scans into memory: trees are kept,
file contents are only hashed, and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from clew.errors import StoreDamaged, WorkspaceMissing
from clew.filenames import real_path
from clew.model.ids import ObjectId, ObjectType, object_id
from clew.model.small_objects import Rules
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.store.store import ChildObjects, Store
from clew.store.writer import ObjectWriter
from clew.worktree.boundaries import Boundaries
from clew.worktree.cache import WorktreeCache
from clew.worktree.processes import shared_maps
from clew.worktree.root import Root
from clew.worktree.scan import Job, ScanResult, Share, scan, walk_alone
from clew.worktree.scan_pool import ScanPool, ScanWorker
from clew.worktree.walk import Walker, WalkResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

Put = Callable[[int, bytes], ObjectId]
Get = Callable[[ObjectId], bytes]

_IN_SCAN = "met_in_scan"
"""Marks the error of a scan that met damage: nothing was committed, so it can be repeated."""


def rescan_after_damage(context: Context, scanning: Callable[[], T]) -> T:
    """Run a scan; if the cache refers to objects that the store has lost, run it without the cache.

    The second scan reads every file and stores what was lost again.
    """
    try:
        return scanning()
    except StoreDamaged as error:
        if not getattr(error, _IN_SCAN, False):
            raise
        context.forget_cache()
    return scanning()


def scan_alone(
    context: Context, cache: WorktreeCache, put: Put, get: Get, monitor: Monitor
) -> ScanResult:
    """Scan the workspace in this process."""
    return scan_root(
        context.store, context.root, context.rules, cache, put, get, monitor, walk_alone
    )


def scan_into(
    context: Context, cache: WorktreeCache, writer: ObjectWriter, monitor: Monitor
) -> ScanResult:
    """Scan the workspace into the store, with one process per processor."""
    expected = len(cache.directories) or None
    crew = ScanPool(context.host.processors(), expected, _hands(context, writer))

    def share(walker: Walker, jobs: list[Job]) -> list[WalkResult]:
        return walk_alone(walker, jobs) if writer.has_threads else crew.share(walker, jobs)

    store = context.store
    return scan_root(
        store, context.root, context.rules, cache, writer.put, store.objects.get, monitor, share
    )


def _hands(context: Context, writer: ObjectWriter) -> ScanWorker:
    store = context.store
    siblings: list[ObjectWriter] = []

    def become_helper(walker: Walker, number: int) -> Walker:
        context.host.fail_point(f"scan.helper.{number}")
        # A database connection must not cross a fork: the worker opens its own when it needs one.
        own = ChildObjects(store)
        sibling = writer.sibling(store.transport, own.known)
        siblings.append(sibling)
        return walker.with_sink(number, sibling.put, own.get)

    def finish(_: Walker) -> tuple[Any, Any]:
        return siblings[0].hand_over()

    def abandon() -> None:
        for sibling in siblings:
            sibling.abort()

    def adopt(handed: tuple[Any, Any]) -> None:
        writer.adopt(*handed)

    return ScanWorker(writer.share_claims, become_helper, finish, adopt, abandon)


def scan_root(
    store: Store,
    path: bytes,
    rules: Rules,
    cache: WorktreeCache,
    put: Put,
    get: Get,
    monitor: Monitor,
    share: Share,
) -> ScanResult:
    """Scan any directory with these rules; pass every new object to `put`."""
    maps = shared_maps()
    store_path = real_path(os.fsencode(store.layout.root))
    boundaries = Boundaries(path, rules, store_path)
    try:
        opened = Root(path, mounts=boundaries.entered_mounts)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise WorkspaceMissing(os.fsdecode(path)) from error
    try:
        with opened as root:
            started_ns = store.now_ns()
            found = scan(root, boundaries, cache, maps, put, get, monitor, share)
    except StoreDamaged as error:
        setattr(error, _IN_SCAN, True)
        raise
    for problem_path, text in found.problems:
        monitor.problem(problem_path, text)
    return found._replace(started_ns=started_ns)


class LiveTrees:
    """The trees of a live scan, kept in memory on top of those in the store."""

    def __init__(self, stored: Get) -> None:
        self._stored = stored
        self._fresh: dict[ObjectId, bytes] = {}

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        if kind != ObjectType.BLOB:  # file contents are only hashed
            self._fresh[identifier] = content
        return identifier

    @property
    def fresh(self) -> dict[ObjectId, bytes]:
        """The objects that a scan has added."""
        return self._fresh

    def over(self, stored: Get) -> LiveTrees:
        """Return the same trees on top of another view of the store, for a forked process."""
        other = LiveTrees(stored)
        other._fresh = self._fresh
        return other

    def __reduce__(self) -> tuple[Callable[..., LiveTrees], tuple[dict[ObjectId, bytes]]]:
        """Pickle the trees alone; the process that unpickles them puts them over its own store."""
        return _unpickled_trees, (self._fresh,)

    def get(self, identifier: ObjectId) -> bytes:
        fresh = self._fresh.get(identifier)
        return fresh if fresh is not None else self._stored(identifier)


def _unpickled_trees(fresh: dict[ObjectId, bytes]) -> LiveTrees:
    trees = LiveTrees(fresh.__getitem__)
    trees._fresh = fresh
    return trees


def scan_live(context: Context, monitor: Monitor) -> tuple[ScanResult, LiveTrees]:
    """Scan the workspace without writing anything."""
    return rescan_after_damage(context, lambda: _scan_live(context, monitor))


def _scan_live(context: Context, monitor: Monitor) -> tuple[ScanResult, LiveTrees]:
    cache = context.open_cache()
    try:
        live = LiveTrees(context.store.objects.get)
        return scan_alone(context, cache, live.put, live.get, monitor), live
    finally:
        cache.close()


def store_live(context: Context, monitor: Monitor, *, update_cache: bool = True) -> ScanResult:
    """Scan into the store without making a checkpoint.

    Without `update_cache`, for a copy that is about to be discarded, its cache stays as it is.
    """
    return rescan_after_damage(context, lambda: _store_live(context, monitor, update_cache))


def _store_live(context: Context, monitor: Monitor, update_cache: bool) -> ScanResult:
    cache = context.open_cache()
    try:
        with context.store.writing() as writer:
            found = scan_into(context, cache, writer, monitor)
            writer.finish()
            context.store.commit_objects(writer)
        if update_cache:
            cache.update(found.updates, found.gone)
    finally:
        cache.close()
    return found
