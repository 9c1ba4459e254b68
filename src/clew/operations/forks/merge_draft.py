"""A merge that is computed and not yet written: its tree is in memory, on top of the store.

The same draft serves the preview, which writes nothing, and the merge itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.diff.merge_entries import Contents
from clew.diff.merge_trees import MergeOptions, MergeResult, MergeSide, Sides, merge_trees
from clew.diff.renames import pair_renames
from clew.diff.trees import diff_trees, lookup
from clew.errors import BadOption
from clew.model import path as paths
from clew.model.change import Change
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry, Reason
from clew.model.ids import ObjectId, ObjectType, StateId, object_id
from clew.model.merge_results import OURS, THEIRS, Merge
from clew.model.named_tuple import NamedTuple
from clew.model.pattern import Patterns
from clew.model.record import Coverage
from clew.model.restore_results import SkippedPath, SkipReason
from clew.model.small_objects import Group, decode_links, encode_links
from clew.model.tree import Get, checkpoint_state
from clew.model.tree_edit import edited
from clew.operations.context import Context
from clew.operations.forks.merge_contents import StoredContents, put_text
from clew.operations.recorded_rules import recorded_rules
from clew.operations.restore.restore import Confirm
from clew.store.writer import ObjectWriter
from clew.worktree.scan import ScanResult


class MergeRequest(NamedTuple):
    """The merge to compute."""

    base: Checkpoint
    theirs: Checkpoint
    intent: str
    """Labels of the checkpoint that it becomes."""
    rescue_intent: str
    name: str = ""
    """The name of the other line of work, if it is a fork."""
    meta: tuple[tuple[str, str], ...] = ()
    within: tuple[bytes, ...] = ()
    favour: str | None = None
    confirm: Confirm | None = None


class Made:
    """New objects, kept in memory until they are written."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._objects: dict[ObjectId, tuple[int, bytes]] = {}

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        self._objects[identifier] = kind, content
        return identifier

    def get(self, identifier: ObjectId) -> bytes:
        made = self._objects.get(identifier)
        return made[1] if made is not None else self._get(identifier)

    def write(self, writer: ObjectWriter) -> None:
        for kind, content in self._objects.values():
            writer.put(kind, content)


class Draft(NamedTuple):
    """The merged workspace; with conflicts, the workspace as it is."""

    merge: Merge
    tree: ObjectId
    state: StateId
    links: ObjectId
    groups: tuple[Group, ...]
    coverage: Coverage
    skipped: tuple[SkippedPath, ...]
    made: Made


def require_side(favour: str | None) -> None:
    """Refuse a checkpoint that cannot be a side of a merge."""
    if favour not in (None, OURS, THEIRS):
        raise BadOption("favour", f"must be {OURS!r} or {THEIRS!r}")


def make_draft(
    context: Context,
    request: MergeRequest,
    found: ScanResult,
    get: Get,
    ours: Contents,
    now_ns: int,
) -> Draft:
    """Merge into the result of a scan, whose trees `get` and whose files `ours` reads."""
    sides = _sides(context, request, found, get, ours)
    excludes = _excludes(context, request)
    options = MergeOptions(
        request.within,
        request.favour,
        lambda path, is_directory: any(
            one.covers(path, is_directory=is_directory) for one in excludes
        ),
        now_ns,
        context.rules.larger_than,
    )
    result = merge_trees(sides, get, options)
    made = Made(get)
    merge = Merge(
        request.base, request.theirs, request.name, request.favour, conflicts=result.conflicts
    )
    skipped = tuple(_skipped(path, sides, get, options) for path in result.skipped)
    if merge.is_blocked:
        return Draft(
            merge, found.tree, found.state, found.links, sides.ours.links, found.coverage,
            skipped, made,
        )  # fmt: skip
    ids = edited(found.tree, _stored(result, made), made.get, made.put, mtime_ns=now_ns)
    links = made.put(ObjectType.LINKS, encode_links(result.links))
    changes = list(diff_trees(found.tree, ids.tree, made.get, mtimes=False))
    return Draft(
        merge._replace(
            taken=tuple(pair_renames(changes)),
            merged=result.merged,
            links=len(set(result.links) ^ set(sides.ours.links)),
        ),
        ids.tree,
        checkpoint_state(ids.state, links),
        links,
        result.links,
        _coverage(found.coverage, request.theirs.record.coverage, changes),
        skipped,
        made,
    )


def _sides(
    context: Context, request: MergeRequest, found: ScanResult, get: Get, ours: Contents
) -> Sides:
    stored = StoredContents(context)
    base, theirs = (
        MergeSide(one.record.tree, tuple(decode_links(get(one.record.links))), stored)
        for one in (request.base, request.theirs)
    )
    return Sides(base, MergeSide(found.tree, tuple(decode_links(get(found.links))), ours), theirs)


def _excludes(context: Context, request: MergeRequest) -> list[Patterns]:
    """Return the rules of all three states: what any of them excludes cannot be merged."""
    rules = {recorded_rules(context.store, one.record) for one in (request.base, request.theirs)}
    return [Patterns(one.patterns) for one in {*rules, context.rules} if one.patterns]


def _skipped(path: bytes, sides: Sides, get: Get, options: MergeOptions) -> SkippedPath:
    entry = lookup(sides.theirs.tree, path, get)
    if options.is_excluded(path, entry is not None and entry.is_directory):
        return SkippedPath(path, SkipReason.EXCLUDED)
    sides_at = [lookup(one.tree, path, get) for one in (sides.base, sides.ours, sides.theirs)]
    if any(one is not None and _is_large(one, options.larger_than) for one in sides_at):
        return SkippedPath(path, SkipReason.LARGE)
    above = (path, *paths.ancestors(path))
    here = (lookup(sides.ours.tree, one, get) for one in above)
    is_unseen_here = any(one is not None and not one.is_covered for one in here)
    return SkippedPath(path, SkipReason.UNCOVERED_NOW if is_unseen_here else SkipReason.UNCOVERED)


def _is_large(entry: Entry, limit: int | None) -> bool:
    return entry.reason == Reason.LARGE or (
        limit is not None and entry.is_file and entry.size > limit
    )


def _stored(result: MergeResult, made: Made) -> dict[bytes, Entry | None]:
    """Return the edits with merged texts stored under their ids."""
    kept = {stand_in: put_text(text, made.put) for stand_in, text in result.texts.items()}
    return {
        path: entry._replace(content=kept.get(entry.content, entry.content)) if entry else None
        for path, entry in result.edits.items()
    }


def _coverage(ours: Coverage, theirs: Coverage, changes: Sequence[Change]) -> Coverage:
    """Return the coverage of the merge: that of ours, plus the problems of the changes."""
    touched = {change.path for change in changes}
    unstable = {*ours.unstable} - touched | {*theirs.unstable} & touched
    return ours._replace(
        files=ours.files + sum(map(_names, changes)),
        total_bytes=ours.total_bytes + sum(size for change in changes for size in _sizes(change)),
        unstable=tuple(sorted(unstable)),
    )


def _names(change: Change) -> int:
    return (change.new is not None) - (change.old is not None)


def _sizes(change: Change) -> Iterator[int]:
    if change.new is not None:
        yield change.new.size
    if change.old is not None:
        yield -change.old.size
