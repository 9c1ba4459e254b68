"""Scan a directory into trees in memory, with all scan workers, writing nothing.

File contents are only hashed.  Only trees that the store lacks are kept; a directory that equals a
checkpoint leaves none.
"""

from __future__ import annotations

from typing import Any

from clew.model.ids import ObjectId
from clew.model.small_objects import Rules
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.save.scan import LiveTrees, scan_root
from clew.store.store import ChildObjects, Store
from clew.worktree.cache import WorktreeCache
from clew.worktree.scan import ScanResult
from clew.worktree.scan_pool import ScanPool, ScanWorker
from clew.worktree.walk import Walker


def scan_directory(
    context: Context, path: bytes, rules: Rules, cache: WorktreeCache, monitor: Monitor
) -> tuple[ScanResult, LiveTrees]:
    """Scan a directory; the second result has the trees that the store lacks."""
    store, processes = context.store, context.host.processors()
    trees = LiveTrees(store.objects.get)
    crew = ScanPool(processes, len(cache.directories) or None, _hands(store, trees))
    found = scan_root(store, path, rules, cache, trees.put, trees.get, monitor, crew.share)
    for identifier in store.index.known(trees.fresh):
        del trees.fresh[identifier]
    return found, trees


def _hands(store: Store, trees: LiveTrees) -> ScanWorker:
    own: list[tuple[ChildObjects, LiveTrees]] = []

    def become_helper(walker: Walker, number: int) -> Walker:
        # A database connection must not cross a fork.
        reopened = ChildObjects(store)
        helper = LiveTrees(reopened.get)
        own.append((reopened, helper))
        return walker.with_sink(number, helper.put, helper.get)

    def finish(_: Walker) -> list[tuple[bytes, bytes]]:
        reopened, helper = own[0]
        known = reopened.known(helper.fresh)
        return [item for item in helper.fresh.items() if item[0] not in known]

    def adopt(fresh: Any) -> None:
        trees.fresh.update((ObjectId(identifier), content) for identifier, content in fresh)

    return ScanWorker(lambda: None, become_helper, finish, adopt)
