"""Workspace scan: captures a whole workspace as one tree.

The scan enters directories from the top until there are enough subtrees to distribute.  With more
than one processor several processes walk them (`scan_pool.py`), otherwise this one does.  The
result does not depend on which process walked what.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from clew.model.ids import ObjectId, ObjectType, StateId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Coverage
from clew.model.small_objects import encode_links
from clew.model.tree import TreeIds, checkpoint_state, put_root
from clew.monitor import Monitor
from clew.worktree.boundaries import Boundaries
from clew.worktree.cache import DirectoryUpdate, WorktreeCache
from clew.worktree.processes import SharedMaps
from clew.worktree.progress import SharedProgress, measure
from clew.worktree.read import Put
from clew.worktree.root import Root
from clew.worktree.walk import DirectoryWalk, Get, Walker, WalkResult

ENOUGH_SUBTREES = 48
_OPENED_AT_MOST = 400

Job = tuple[DirectoryWalk, bytes, os.stat_result]
"""A subdirectory to walk: its parent, its name, its stat."""

Share = Callable[[Walker, list[Job]], list[WalkResult]]
"""Walks jobs, in one or several processes, and returns their results in order."""


class ScanResult(NamedTuple):
    """The captured state of a workspace."""

    tree: ObjectId
    state: StateId
    """Of the whole capture: root and links."""
    links: ObjectId
    coverage: Coverage
    started_ns: int
    updates: list[DirectoryUpdate]
    """Cache updates, to be applied once the trees are durable."""
    gone: list[int]
    """Cached directories that no longer exist."""
    problems: list[tuple[bytes, str]]
    linked_outside: list[bytes]
    """Files whose other names are all outside the workspace."""


def walk_alone(walker: Walker, jobs: list[Job]) -> list[WalkResult]:
    """Walk every job in this process."""
    return [walker.walk(parent, name, found) for parent, name, found in jobs]


def scan(
    root: Root,
    boundaries: Boundaries,
    cache: WorktreeCache,
    maps: SharedMaps,
    put: Put,
    get: Get,
    monitor: Monitor,
    share: Share = walk_alone,
    *,
    started_ns: int | None = None,
) -> ScanResult:
    """Scan a workspace and pass every new object to `put`.

    `started_ns` is now, by the clock of the filesystem: a file changed since is read again next time.
    """
    started_ns = time.time_ns() if started_ns is None else started_ns
    is_first = not cache.directories
    total = measure(root.path, boundaries) if is_first and monitor.shows_progress else None
    progress = SharedProgress(monitor, total)
    walker = Walker(root, boundaries, cache, maps, put, get, started_ns, progress)
    top = walker.enter(b"", b"", os.dup(root.descriptor), os.fstat(root.descriptor))
    opened, jobs = _enter_top(walker, top)
    for (parent, name, _), outcome in zip(jobs, share(walker, jobs), strict=True):
        walker.attach(parent, name, outcome)
    walker.settle_doubts()
    ids = _finish_top(walker, top, opened)
    own = walker.reader.directory(root.descriptor, b"", top.stat)
    tree, root_state = put_root(own._replace(content=ids.tree, state=ids.state), put)
    account = walker.account
    links = put(ObjectType.LINKS, encode_links(account.groups()))
    monitor.progress("scan", account.files, account.files, walker.reader.read_bytes)
    return ScanResult(
        tree,
        checkpoint_state(root_state, links),
        links,
        account.coverage(maps.blind),
        started_ns,
        account.updates,
        [number for number in cache.directories if number not in account.visited],
        account.problems,
        account.linked_outside(),
    )


def _enter_top(
    walker: Walker, top: DirectoryWalk
) -> tuple[list[tuple[DirectoryWalk, DirectoryWalk]], list[Job]]:
    """Enter directories from the top until enough are waiting.

    Return the entered ones as (parent, frame), and the waiting ones.
    """
    opened: list[tuple[DirectoryWalk, DirectoryWalk]] = []
    waiting: list[Job] = _take_pending(top)
    while waiting and len(waiting) < ENOUGH_SUBTREES and len(opened) < _OPENED_AT_MOST:
        level, waiting = waiting, []
        for parent, name, found in level:
            frame = walker.open_child(parent, name, found)
            if isinstance(frame, DirectoryWalk):
                opened.append((parent, frame))
                waiting.extend(_take_pending(frame))
            else:
                walker.attach(parent, name, frame)
        for parent, _, _ in level:  # reopened for its children, and no longer needed
            parent.release()
    return opened, waiting


def _take_pending(frame: DirectoryWalk) -> list[Job]:
    jobs: list[Job] = [(frame, name, found) for name, found in reversed(frame.pending)]
    frame.pending = []
    frame.release()
    return jobs


def _finish_top(
    walker: Walker, top: DirectoryWalk, opened: list[tuple[DirectoryWalk, DirectoryWalk]]
) -> TreeIds:
    for parent, frame in reversed(opened):
        walker.attach(parent, frame.name, walker.finish(frame))
    top.release()
    cached = top.cached
    if top.hit and cached is not None and not top.children and not top.untrusted:
        return TreeIds(cached.tree, cached.state)
    return walker.build(top)
