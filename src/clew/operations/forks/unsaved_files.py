"""Files in a directory that no checkpoint holds: excluded, unreadable, or unstable.

A scan names these paths; what is below them is counted on disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import sha256

from clew.diff.trees import walk
from clew.model.fork_results import Unheld
from clew.model.named_tuple import NamedTuple
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.save.scan import Get, LiveTrees, scan_live
from clew.worktree.scan import ScanResult

_NAMED = 5


class DirectoryState(NamedTuple):
    """The state of a directory."""

    found: ScanResult
    trees: LiveTrees
    unheld: Unheld
    key: bytes
    """Changes whenever anything is changed, covered or not."""


def look_at_directory(context: Context, root: bytes, monitor: Monitor) -> DirectoryState:
    """Scan the directory of a workspace, which may be at another path."""
    own = Context(context.store, context.info._replace(path=root), context.host)
    found, trees = scan_live(own, monitor)
    files = size_of_all = 0
    named: list[bytes] = []
    seen = sha256(found.state)
    for path, status in _files(root, found, trees.get):
        files += 1
        size_of_all += status.st_size
        if len(named) < _NAMED:
            named.append(path)
        seen.update(b"%s\0%d %d\0" % (path, status.st_ctime_ns, status.st_size))
    return DirectoryState(found, trees, Unheld(files, size_of_all, tuple(named)), seen.digest())


def _files(root: bytes, found: ScanResult, get: Get) -> Iterator[tuple[bytes, os.stat_result]]:
    for path in sorted({*_uncovered(found, get), *found.coverage.unstable}):
        yield from _below(root, path)


def _uncovered(found: ScanResult, get: Get) -> Iterator[bytes]:
    coverage = found.coverage
    if coverage.uncovered_count <= len(coverage.uncovered):
        yield from (item.path for item in coverage.uncovered)
        return
    yield from (path for path, entry in walk(found.tree, get) if not entry.is_covered)


def _below(root: bytes, path: bytes) -> Iterator[tuple[bytes, os.stat_result]]:
    """Yield everything at a path that is not a directory, and unreadable directories."""
    ahead = [path]
    while ahead:
        path = ahead.pop()
        whole = os.path.join(root, path)
        try:
            status = os.lstat(whole)
        except FileNotFoundError:
            continue
        if not stat.S_ISDIR(status.st_mode):
            yield path, status
            continue
        try:
            with os.scandir(whole) as entries:
                names = sorted(entry.name for entry in entries)
        except FileNotFoundError:
            continue
        except OSError:
            yield path, status  # its content is unknown
            continue
        ahead += [os.path.join(path, name) for name in reversed(names)]
