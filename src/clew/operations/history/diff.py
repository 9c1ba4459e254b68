"""Diff: how two checkpoints differ, or a checkpoint and the live workspace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from clew.diff.renames import pair_renames
from clew.diff.trees import diff_trees
from clew.model import path as paths
from clew.model.change import Change, ChangeKind
from clew.model.checkpoint import Checkpoint
from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId
from clew.model.results import Difference
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.history.generated_directories import generated_directories

if TYPE_CHECKING:
    from clew.diff.text import Show
    from clew.operations.save.scan import LiveTrees
    from clew.worktree.root import Root
    from clew.worktree.scan import ScanResult

_PATCH_LIMIT = 4 << 20
"""Larger files are not read for a text patch."""

Read = Callable[[bytes, Entry], bytes | None]


def diff(
    context: Context,
    old: Checkpoint | None,
    new: Checkpoint | None,
    within: Sequence[bytes],
    monitor: Monitor,
) -> Difference:
    """Return how `new` differs from `old`; `new` None is the live workspace."""
    if new is not None:
        return compare(context, old, new, None, within)
    from clew.operations.save.scan import scan_live  # noqa: PLC0415  two checkpoints need no scan

    return compare(context, old, None, scan_live(context, monitor), within)


def compare(
    context: Context,
    old: Checkpoint | None,
    new: Checkpoint | None,
    seen: tuple[ScanResult, LiveTrees] | None,
    within: Sequence[bytes],
) -> Difference:
    """Return how a checkpoint, or the result of a live scan, differs from `old`."""
    get = context.store.objects.get
    coverage = None
    if seen is not None:
        found, live = seen
        tree, get, coverage = found.tree, live.get, found.coverage
    elif new is not None:
        tree = new.record.tree
    if old is None:
        return Difference(None, new, (), coverage)
    paired = pair_renames(list(diff_trees(old.record.tree, tree, get, mtimes=False)))
    chosen = [change for change in paired if _is_chosen(change, within)]
    generated = generated_directories(
        (change.path for change in chosen), (tree, old.record.tree), get
    )
    return Difference(old, new, tuple(chosen), coverage, None, generated, tuple(within), seen)


def patch(
    context: Context,
    difference: Difference,
    *,
    reveal: bool = False,
    binary: list[Change] | None = None,
) -> Iterator[str]:
    """Yield the text of every content change line by line; `reveal` disables redaction.

    Changes of binary and of too large files go into the list `binary` instead, if there is one.
    """
    from clew.policy.redaction.conceal import conceal  # noqa: PLC0415  only a patch needs text
    from clew.worktree.root import Root  # noqa: PLC0415

    show = None if reveal else conceal
    stored = _stored_reader(context)
    if difference.new is not None:
        for change in difference.changes:
            yield from _patch_one(change, stored, stored, show, binary)
        return
    with Root(context.root, cross_mounts=True) as root:
        live = _live_reader(root)
        for change in difference.changes:
            yield from _patch_one(change, stored, live, show, binary)


def _is_chosen(change: Change, within: Sequence[bytes]) -> bool:
    if not within:
        return True
    candidates = [change.path] + ([change.old_path] if change.old_path is not None else [])
    return any(paths.is_within(path, one) for path in candidates for one in within)


def _patch_one(
    change: Change,
    read_old: Read,
    read_new: Read,
    show: Show | None,
    binary: list[Change] | None,
) -> Iterator[str]:
    from clew.diff.text import is_text, too_large, unified  # noqa: PLC0415

    if change.kind == ChangeKind.METADATA:
        return
    old_path = change.old_path if change.old_path is not None else change.path
    shown_old, shown_new = (_shown(path) if show else path for path in (old_path, change.path))
    if any(entry is not None and entry.is_directory for entry in (change.old, change.new)):
        return
    largest = max(entry.size for entry in (change.old, change.new) if entry is not None)
    if largest > _PATCH_LIMIT:
        if binary is not None:
            binary.append(change)
            return
        yield from too_large(
            shown_old if change.old is not None else None,
            shown_new if change.new is not None else None,
            largest,
        )
        return
    before = read_old(old_path, change.old) if change.old is not None else None
    after = read_new(change.path, change.new) if change.new is not None else None
    if before is None and after is None:
        return
    if binary is not None and not (is_text(before or b"") and is_text(after or b"")):
        binary.append(change)
        return
    yield from unified(shown_old, shown_new, before, after, show=show)


def _shown(path: bytes) -> bytes:
    """Return a path as the header of a patch shows it: its suffix stays, and with it the format."""
    from clew.policy.redaction.redact import redact_name  # noqa: PLC0415  only a patch needs text

    return redact_name(path.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _stored_reader(context: Context) -> Read:
    def read(_: bytes, entry: Entry) -> bytes | None:
        if entry.kind == EntryKind.SYMLINK:
            return entry.target
        if entry.kind != EntryKind.FILE:
            return None
        return b"".join(context.store.objects.content(ObjectId(entry.content), entry.size))

    return read


def _live_reader(root: Root) -> Read:
    def read(path: bytes, entry: Entry) -> bytes | None:
        if entry.kind == EntryKind.SYMLINK:
            return entry.target
        if entry.kind != EntryKind.FILE:
            return None
        try:
            descriptor = root.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return None  # deleted since the scan
        with os.fdopen(descriptor, "rb") as file:
            return file.read(_PATCH_LIMIT)

    return read
