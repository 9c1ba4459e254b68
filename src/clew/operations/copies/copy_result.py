"""The result of a command in a copy, stored as a checkpoint.

A copy holds what its checkpoint held.  What the checkpoint did not cover (an exclude, a mount, an
unreadable file) is not in the copy, and must not count as deleted: the result does not cover it
either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from clew.diff.trees import lookup, walk
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.entry import Entry, EntryKind, Reason
from clew.model.ids import CheckpointId
from clew.model.path import name_of, parent_of
from clew.model.record import UNCOVERED_PATHS_KEPT, Consistency, Coverage, Origin, Uncovered
from clew.model.tree import Get, Put, checkpoint_state
from clew.model.tree_edit import edited
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.save.commit import SaveOptions, count_changes, labels_for
from clew.operations.save.scan import store_live
from clew.worktree.scan import ScanResult

_NOT_OURS = (Reason.MOUNT, Reason.PSEUDO, Reason.STORE)
"""Such a path in a copy is not the workspace's."""


def scan_result(copy: Context, monitor: Monitor) -> ScanResult:
    """Scan a copy into the store; the caller holds the store's lock until a record names it."""
    return store_live(copy, monitor, update_cache=False)


def commit_result(
    copy: Context, found: ScanResult, base: Checkpoint, fork: WorkspaceInfo, intent: str
) -> CheckpointId:
    """Store the scan of a copy of `base` as the second checkpoint of a fork."""
    store = copy.store
    assert fork.here is not None
    first = copy.find(fork.here)
    with store.writing() as writer:
        found = with_uncovered(found, base, store.objects.get, writer.put)
        record = first.record._replace(
            sequence=first.record.sequence + 1,
            time_ns=found.started_ns,
            parent=first.id,
            tree=found.tree,
            state=found.state,
            links=found.links,
            origin=Origin.AUTOMATIC,
            consistency=Consistency.FUZZY if found.coverage.unstable else Consistency.STABLE,
            coverage=found.coverage,
        )
        labels = labels_for(SaveOptions(intent=intent), record.sequence, [])

        def also(identifier: CheckpointId) -> None:
            store.checkpoints.label(identifier, labels)
            store.trails.append(fork.uuid, [identifier])

        identifier = store.commit(writer, record, also)
    count_changes(copy, identifier, record, first)
    return identifier


def with_uncovered(found: ScanResult, base: Checkpoint, get: Get, put: Put) -> ScanResult:
    """Return a scan of a copy with the uncovered paths of its checkpoint."""
    edits = {
        path: entry
        for path, entry in _uncovered_of(base, get)
        if _is_uncovered_still(found, path, entry, get)
    }
    if not edits:
        return found
    ids = edited(found.tree, edits, get, put)
    coverage = _coverage(found.coverage, edits)
    state = checkpoint_state(ids.state, found.links)
    return found._replace(tree=ids.tree, state=state, coverage=coverage)


def _uncovered_of(base: Checkpoint, get: Get) -> Iterator[tuple[bytes, Entry]]:
    coverage = base.record.coverage
    if coverage.uncovered_count <= len(coverage.uncovered):
        for item in coverage.uncovered:
            yield item.path, Entry(name_of(item.path), EntryKind.UNCOVERED, reason=item.reason)
        return
    for path, entry in walk(base.record.tree, get):
        if not entry.is_covered:
            yield path, entry


def _is_uncovered_still(found: ScanResult, path: bytes, entry: Entry, get: Get) -> bool:
    above = lookup(found.tree, parent_of(path), get)
    if above is None or not above.is_directory:
        return False
    now = lookup(found.tree, path, get)
    return now is None or (now.is_covered and entry.reason in _NOT_OURS)


def _coverage(coverage: Coverage, edits: dict[bytes, Entry]) -> Coverage:
    added = [Uncovered(path, entry.reason) for path, entry in edits.items()]
    counts = Counter(dict(coverage.counts)) + Counter(item.reason_name for item in added)
    named = sorted((*coverage.uncovered, *added))
    return coverage._replace(
        counts=tuple(sorted(counts.items())), uncovered=tuple(named[:UNCOVERED_PATHS_KEPT])
    )
