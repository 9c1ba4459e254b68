"""Make and cache copies: write them, repair them, reuse those of other checkpoints, remove them."""

from __future__ import annotations

import os
from contextlib import closing

from clew.errors import ClewError
from clew.model import path as paths
from clew.model.checkpoint import Checkpoint
from clew.monitor import Monitor
from clew.operations.context import Context
from clew.operations.copies.copy_cache import MOST_KEPT, About, Slot, Slots, cache_owner
from clew.operations.copies.materialize_copy import Ids, Proved, roughly_needed, write_out
from clew.operations.copies.repair_copy import is_near, set_right, still_layered


class CopyMaker:
    """Makes the copies of one checkpoint."""

    def __init__(
        self, context: Context, checkpoint: Checkpoint, slots: Slots, monitor: Monitor
    ) -> None:
        self._context = context
        self._store = context.store
        self._checkpoint = checkpoint
        self._record = checkpoint.record
        self._slots = slots
        self._monitor = monitor

    def make(self, *, layered: bool) -> None:
        """Make one more copy, from one of another checkpoint or from the store."""
        if self._rework(layered=layered):
            return
        self._slots.trim(MOST_KEPT - 1)
        slot = self._slots.make(self._record)
        if slot is None:
            return  # another process is making one
        with slot.locked(alone=True, wait=True) as held:
            if held and slot.about is None:
                try:
                    self._write_out(slot)
                except BaseException:
                    slot.drop()
                    raise

    def wait_for(self, slot: Slot) -> None:
        """Wait until another process has made a copy; remove it if that process died."""
        with slot.locked(alone=True) as held:
            if held and slot.about is None:
                slot.drop()
        if not held:
            self._monitor.waiting("a copy of the same checkpoint")
            with slot.alone_unless(lambda: slot.about is not None):
                pass

    def set_right_or_drop(self, slot: Slot) -> bool:
        """Make the copy of a slot correct; if that fails, remove it."""
        try:
            self.set_right(slot)
        except (ClewError, OSError):  # whatever failed, a new copy will show it again
            slot.drop()
            return False
        return True

    def set_right(self, slot: Slot) -> None:
        """Make the copy of a slot correct; needs the exclusive lock."""
        about = slot.about
        if about is not None:
            before = (about.proved_tree, about.proved_links)
            self._set_right(slot, before, may_be_layered=about.may_be_layered)

    def _write_out(self, slot: Slot) -> None:
        self._make_room()
        os.mkdir(slot.tree, 0o700)
        with (
            self._store.locks.shared(self._monitor),
            closing(slot.open_cache(self._owner)) as cache,
        ):
            written = write_out(self._context, self._checkpoint, slot.tree, cache, self._monitor)
        self._conclude(slot, written.proved, may_be_layered=written.may_be_layered)

    def _set_right(self, slot: Slot, before: Ids | None, *, may_be_layered: bool) -> None:
        slot.sweep()
        with (
            self._store.locks.shared(self._monitor),
            closing(slot.open_cache(self._owner)) as cache,
        ):
            proved = set_right(
                self._context, self._checkpoint, slot.tree, before, cache, self._monitor
            )
        if proved is None:
            slot.empty()
            self._write_out(slot)
        elif slot.is_dirty or before != (proved.tree, proved.links):
            self._conclude(slot, proved, may_be_layered=may_be_layered)

    def _conclude(self, slot: Slot, proved: Proved, *, may_be_layered: bool) -> None:
        record = self._record
        if proved.problems:
            first = paths.as_text(proved.problems[0].path)
            self._monitor.notice(
                f"{len(proved.problems)} paths could not be copied exactly, the first: {first}"
            )
        slot.write_about(
            About(
                record.tree, record.links, proved.tree, proved.links,
                record.coverage.total_bytes, may_be_layered,
            )
        )  # fmt: skip

    # From another checkpoint

    def _rework(self, *, layered: bool) -> bool:
        """Turn the copy of a similar checkpoint into one of this, if another one is left."""
        kept = [(slot, about) for slot in self._slots.all() if (about := slot.about) is not None]
        for slot, about in kept if len(kept) > 1 else ():
            if about.may_be_layered >= layered and self._is_near(about):
                with slot.locked(alone=True) as held:
                    if held and slot.about == about:
                        return self._turn(slot, about)
        return False

    def _is_near(self, about: About) -> bool:
        with self._store.locks.shared(self._monitor):
            return is_near(about.tree, self._checkpoint, self._store.objects.get)

    def _turn(self, slot: Slot, about: About) -> bool:
        slot.make_dirty()
        try:
            turned = slot.rename(self._slots.free_name(self._record))
        except OSError:
            return False  # another process has made one meanwhile
        try:
            with self._store.locks.shared(self._monitor):
                get = self._store.objects.get
                layered = about.may_be_layered and still_layered(about.tree, self._checkpoint, get)
            self._set_right(turned, None, may_be_layered=layered)
        except (ClewError, OSError):  # whatever failed, a new copy will show it again
            turned.drop()
            return False
        return True

    # Disk space

    def _make_room(self) -> None:
        """Remove other copies while this one does not fit."""
        place = os.fsencode(self._store.layout.copies)
        for slot in self._slots.all():
            if self._context.host.free_bytes(place) >= roughly_needed(self._checkpoint):
                break
            slot.drop_if_idle()

    @property
    def _owner(self) -> str:
        return cache_owner(self._store)
