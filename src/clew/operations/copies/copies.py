"""Private copies: the files of a checkpoint, to be changed and discarded.

The first copy of a checkpoint is written and verified; it is cached in `copies/` of the store, so
the next one costs almost nothing.

For root, a copy is an overlay over the cached one, which stays unchanged and serves any number of
users.  Where an overlay would not be faithful, or is not available, the cached copy itself is given
to one user at a time, and repaired before and after.

A few are cached; the least recently used are removed first, and none that is in use.  The store's
lock is held only while the store is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from clew.errors import ClewError
from clew.model.checkpoint import Checkpoint
from clew.model.ids import ObjectId
from clew.model.small_objects import decode_xattrs
from clew.model.tree import read_root
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.copy_cache import MOST_KEPT, Slot, Slots, cache_owner
from clew.store.store import Store
from clew.worktree.cache import WorktreeCache
from clew.worktree.metadata import MetadataWriter
from clew.worktree.overlays import can_be_mounted, is_administrator
from clew.worktree.sandbox_mounts import FullCopy, OverlayCopy

if TYPE_CHECKING:
    from clew.operations.copies.make_copy import CopyMaker


@contextmanager
def throwaway_copy(
    context: Context, checkpoint: Checkpoint, monitor: Monitor, *, whole: bool = False
) -> Iterator[OverlayCopy | FullCopy]:
    """Provide a copy of a checkpoint that may be changed; the second one costs almost nothing.

    With `whole` it is a directory that needs no mount.
    """
    context.store.require_writable()
    slots = Slots(context.store.layout.copies)
    slots.sweep()
    giver = _Giver(context, checkpoint, slots, monitor, layered=not whole)
    try:
        with ExitStack() as stack:
            copy = giver.take(stack)
            while copy is None:
                copy = giver.take(stack)
            yield copy
    finally:
        if context.store.checkpoints.get(checkpoint.id) is None:
            # It was deleted meanwhile, perhaps because of a secret in it.
            for slot in slots.of(checkpoint.record):
                slot.drop_if_idle()
        slots.trim(MOST_KEPT)


def known_of(store: Store, copy: OverlayCopy | FullCopy, shown_at: bytes) -> WorktreeCache:
    """Return the scan cache of a copy, to scan it where it is mounted now."""
    kept = copy.base if isinstance(copy, OverlayCopy) else copy.directory
    slot = Slot(store.layout.copies, os.path.basename(os.path.dirname(os.fsdecode(kept))))
    cache = slot.open_cache(cache_owner(store))
    if isinstance(copy, OverlayCopy):
        cache.shown_on(os.stat(shown_at).st_dev, was=os.stat(kept).st_dev)
    return cache


def drop_copies(store: Store) -> int:
    """Remove every unused copy, and return how many there were."""
    slots = Slots(store.layout.copies)
    slots.sweep()
    return sum(slot.drop_if_idle() for slot in slots.all())


class _Giver:
    """Provides a copy of one checkpoint to one user."""

    def __init__(
        self,
        context: Context,
        checkpoint: Checkpoint,
        slots: Slots,
        monitor: Monitor,
        *,
        layered: bool,
    ) -> None:
        self._context = context
        self._store = context.store
        self._checkpoint = checkpoint
        self._record = checkpoint.record
        self._slots = slots
        self._monitor = monitor
        self._layered = layered and is_administrator() and _overlays_work(slots)

    def take(self, stack: ExitStack) -> OverlayCopy | FullCopy | None:
        """Acquire a copy for the lifetime of `stack`; None if it is worth trying again."""
        for slot in self._slots.of(self._record):
            about = slot.about
            if about is None:
                self._maker.wait_for(slot)
                return None
            if not about.is_of(self._record):
                continue
            if self._layered and about.may_be_layered:
                return self._as_layers(slot, stack)
            copy = self._as_whole(slot, stack)
            if copy is not None:
                return copy
        self._maker.make(layered=self._layered)
        return None

    @property
    def _maker(self) -> CopyMaker:
        from clew.operations.copies.make_copy import CopyMaker  # noqa: PLC0415  who finds one makes none

        return CopyMaker(self._context, self._checkpoint, self._slots, self._monitor)

    def _as_layers(self, slot: Slot, stack: ExitStack) -> OverlayCopy | None:
        if slot.is_dirty:
            with slot.alone_unless(lambda: not slot.is_dirty) as held:
                if held and slot.is_dirty:
                    self._maker.set_right_or_drop(slot)
            return None
        with ExitStack() as inner:
            held = inner.enter_context(slot.locked(alone=False, wait=True))
            if not held or slot.about is None or slot.is_dirty:
                return None
            slot.touch()
            use = slot.make_use()
            inner.callback(slot.remove_use, use)
            layers = _make_layers(slot.tree, use)
            self._dress(layers.upper)
            stack.push(inner.pop_all())
        return layers

    def _dress(self, upper: bytes) -> None:
        """Copy the root's metadata to the upper directory: an overlay shows that of the upper one."""
        descriptor = os.open(upper, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with self._store.locks.shared(self._monitor):
                get = self._store.objects.get
                writer = MetadataWriter(lambda key: decode_xattrs(get(ObjectId(key))))
                entry = read_root(self._record.tree, get)
                writer.apply_open(descriptor, entry, lambda text: None)
        finally:
            os.close(descriptor)

    def _as_whole(self, slot: Slot, stack: ExitStack) -> FullCopy | None:
        with ExitStack() as inner:
            held = inner.enter_context(slot.locked(alone=True))
            if not held or not self._maker.set_right_or_drop(slot):
                return None
            slot.touch()
            slot.make_dirty()
            inner.callback(self._clean_up, slot)
            stack.push(inner.pop_all())
        return FullCopy(slot.tree)

    def _clean_up(self, slot: Slot) -> None:
        """Repair a used copy, to free disk space; the next user verifies it anyway."""
        with suppress(ClewError, OSError):
            self._maker.set_right(slot)


def _overlays_work(slots: Slots) -> bool:
    """Return whether the store's filesystem supports overlays; tested once after each boot."""

    def attempt(scratch: bytes) -> bool:
        base = os.path.join(scratch, b"base")
        os.mkdir(base)
        return can_be_mounted(_make_layers(base, scratch))

    return slots.remembered("overlay", attempt)


def _make_layers(base: bytes, use: bytes) -> OverlayCopy:
    upper, work, merged = (os.path.join(use, name) for name in (b"upper", b"work", b"merged"))
    for path in (upper, work, merged):
        os.mkdir(path, 0o700)
    return OverlayCopy(base, upper, work, merged)
