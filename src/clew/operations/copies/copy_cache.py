"""Cache of copies: each in a directory of its own in `copies/` of the store.

    copies/<checkpoint>+<number>/
        lock      held while the copy is used, made or removed; its mtime is the last use
        about     what it is a copy of; written after verification: without it there is no copy
        dirty     the copy may have been changed: repair it before the next use
        tree/     the copy
        cache     the result of the last scan
        use-*/    the changes in an overlay over it

Everything here can be deleted at any time when it is not in use.  A copy from before the last boot
is ignored, because nothing in it was ever synced.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from blake3 import blake3

from clew.atomic_write import replace_file
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Record
from clew.store.store import Store
from clew.worktree.boot import boot_id
from clew.worktree.cache import WorktreeCache
from clew.worktree.remove_tree import remove_tree

MOST_KEPT = 4
MOST_BYTES = 10 << 30

_VERSION = "1"
_GONE = ".gone-"
_USE = "use-"
_PAUSE = 0.02
"""Interval, in seconds, of checks of a slot that another process fills."""


class About(NamedTuple):
    """The description of a copy."""

    tree: ObjectId
    links: ObjectId
    proved_tree: ObjectId
    """The tree as it was verified; another one if something could not be restored exactly."""
    proved_links: ObjectId
    taken_bytes: int
    may_be_layered: bool

    def is_of(self, record: Record) -> bool:
        return (self.tree, self.links) == (record.tree, record.links)


class Slot:
    """The slot of one copy."""

    def __init__(self, copies: str, name: str) -> None:
        self._copies = copies
        self.name = name
        self.path = os.path.join(copies, name)
        self.tree = os.fsencode(os.path.join(self.path, "tree"))

    @property
    def last_used(self) -> int:
        try:
            return os.stat(self._at("lock")).st_mtime_ns
        except FileNotFoundError:
            return 0

    @property
    def about(self) -> About | None:
        """Its description, if it was made since the last boot."""
        try:
            with open(self._at("about")) as file:
                return _parse_about(file.read())
        except (OSError, ValueError):
            return None

    @property
    def is_dirty(self) -> bool:
        return os.path.exists(self._at("dirty"))

    @property
    def has_litter(self) -> bool:
        """Return whether a process died here, or is using it."""
        try:
            names = os.listdir(self.path)
        except FileNotFoundError:
            return False
        return "about" not in names or any(name.startswith(_USE) for name in names)

    @contextmanager
    def locked(self, *, alone: bool, wait: bool = False) -> Iterator[bool]:
        """Lock the slot, exclusively or shared; False if that is not possible, or it is gone."""
        descriptor = self._lock(alone, wait)
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                os.close(descriptor)

    @contextmanager
    def alone_unless(self, is_settled: Callable[[], bool]) -> Iterator[bool]:
        """Lock the slot exclusively when possible, unless another process has settled it.

        The lock itself is not waited for: the process that settles it may use the copy for hours.
        """
        while not is_settled() and os.path.isdir(self.path):
            with self.locked(alone=True) as held:
                if held:
                    yield True
                    return
            time.sleep(_PAUSE)
        yield False

    def write_about(self, about: About) -> None:
        """Write the description; from now on it is a copy, and clean."""
        with suppress(FileNotFoundError):
            os.unlink(self._at("dirty"))
        replace_file(self._at("about"), [_format_about(about).encode()])

    def touch(self) -> None:
        """Record the time of use."""
        with suppress(FileNotFoundError):
            os.utime(self._at("lock"))

    def make_dirty(self) -> None:
        """Mark it as about to be changed."""
        os.close(os.open(self._at("dirty"), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))

    def open_cache(self, owner: str) -> WorktreeCache:
        return WorktreeCache(self._at("cache"), owner)

    def make_use(self) -> bytes:
        """Return a new directory for the changes of one user."""
        path = self._at(_USE + os.urandom(8).hex())
        os.mkdir(path, 0o700)
        return os.fsencode(path)

    def remove_use(self, use: bytes) -> None:
        """Remove the changes of one user; what cannot be removed now is swept later."""
        with suppress(OSError):
            remove_tree(os.fsencode(self.path), os.path.basename(use))

    def sweep(self) -> None:
        """Remove the changes of users that died; needs the exclusive lock."""
        for name in os.listdir(self.path):
            if name.startswith(_USE):
                remove_tree(os.fsencode(self.path), os.fsencode(name))

    def empty(self) -> None:
        """Remove the copy and keep the slot; needs the exclusive lock."""
        for name in os.listdir(self.path):
            if name != "lock":
                remove_tree(os.fsencode(self.path), os.fsencode(name))

    def rename(self, name: str) -> Slot:
        """Give the slot to another checkpoint; needs the exclusive lock."""
        other = Slot(self._copies, name)
        os.rename(self.path, other.path)
        return other

    def drop(self) -> None:
        """Remove the slot; needs the exclusive lock."""
        gone = self.rename(_GONE + os.urandom(8).hex())  # so that no process finds half of it
        remove_tree(os.fsencode(self._copies), os.fsencode(gone.name))

    def drop_if_idle(self) -> bool:
        """Remove the slot unless it is in use; return whether it is gone."""
        with self.locked(alone=True) as held:
            if held:
                with suppress(OSError):  # what cannot be removed now is swept later
                    self.drop()
            return held

    def _lock(self, alone: bool, wait: bool) -> int | None:
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            descriptor = os.open(self._at("lock"), flags, 0o600)
        except FileNotFoundError:
            return None
        how = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(descriptor, how if wait else how | fcntl.LOCK_NB)
            ours, there = os.fstat(descriptor), os.stat(self._at("lock"))
            if ours.st_ino == there.st_ino:
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # busy, or the slot was removed or given away while we waited
        return None

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)


class Slots:
    """All slots of one store."""

    def __init__(self, copies: str) -> None:
        self._copies = copies

    def all(self) -> list[Slot]:
        """Return every slot, the least recently used first."""
        names = [name for name in self._names() if not name.startswith(".")]
        return sorted((Slot(self._copies, name) for name in names), key=lambda one: one.last_used)

    def of(self, record: Record) -> list[Slot]:
        """Return the slots of one checkpoint, by number."""
        prefix = _moment(record) + "+"
        found = [Slot(self._copies, name) for name in self._names() if name.startswith(prefix)]
        return sorted(found, key=lambda slot: int(slot.name.rpartition("+")[2]))

    def free_name(self, record: Record) -> str:
        """Return the next name for a slot of a checkpoint."""
        taken = {slot.name for slot in self.of(record)}
        number = next(n for n in range(len(taken) + 1) if f"{_moment(record)}+{n}" not in taken)
        return f"{_moment(record)}+{number}"

    def make(self, record: Record) -> Slot | None:
        """Create an empty slot for a checkpoint; None if another process was faster."""
        slot = Slot(self._copies, self.free_name(record))
        try:
            os.mkdir(slot.path, 0o700)
        except FileExistsError:
            return None
        return slot

    def trim(self, most: int, most_bytes: int = MOST_BYTES) -> None:
        """Remove slots beyond some number or size, the least recently used first."""
        kept = [(slot, slot.about) for slot in self.all()]
        number = len(kept)
        total = sum(about.taken_bytes for _, about in kept if about is not None)
        for slot, about in kept:
            if number <= most and total <= most_bytes:
                break
            if slot.drop_if_idle():
                number -= 1
                total -= about.taken_bytes if about is not None else 0

    def remembered(self, name: str, ask: Callable[[bytes], bool]) -> bool:
        """Return a result that was found since the last boot, or compute it, one process at a time.

        The function gets an empty directory that no other process sweeps.
        """
        with open(os.path.join(self._copies, f".{name}"), "a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            boot, _, word = file.read().strip().partition(" ")
            if boot == _boot():
                return word == "yes"
            answer = self._ask(name, ask)
            file.truncate(0)
            file.write(f"{_boot()} {'yes' if answer else 'no'}\n")
        return answer

    def _ask(self, name: str, ask: Callable[[bytes], bool]) -> bool:
        scratch = f".{name}-scratch"
        remove_tree(os.fsencode(self._copies), os.fsencode(scratch))  # of a process that died here
        os.mkdir(os.path.join(self._copies, scratch), 0o700)
        try:
            return ask(os.fsencode(os.path.join(self._copies, scratch)))
        finally:
            remove_tree(os.fsencode(self._copies), os.fsencode(scratch))

    def sweep(self) -> None:
        """Remove what removals and dead users left; what is in use is left alone."""
        for name in self._names():
            if name.startswith(_GONE):
                with suppress(OSError):
                    remove_tree(os.fsencode(self._copies), os.fsencode(name))
        for slot in self.all():
            if slot.has_litter:
                with slot.locked(alone=True) as held, suppress(OSError):
                    if held and slot.about is None:
                        slot.drop()
                    elif held:
                        slot.sweep()

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._copies)
        except FileNotFoundError:
            return []


def cache_owner(store: Store) -> str:
    """Return the key by which the scan cache of a copy is valid."""
    return store.cache_owner


def _moment(record: Record) -> str:
    """Return a short name; `about` identifies the copy."""
    return blake3(record.tree + record.links).hexdigest(8)


def _format_about(about: About) -> str:
    ids = [one.hex() for one in about[:4]]
    words = [_VERSION, _boot(), *ids, str(about.taken_bytes), str(int(about.may_be_layered))]
    return "\n".join(words) + "\n"


def _parse_about(text: str) -> About | None:
    version, boot, *ids, taken, layered = text.split()
    if version != _VERSION or boot != _boot():
        return None
    tree, links, proved_tree, proved_links = (ObjectId(bytes.fromhex(one)) for one in ids)
    return About(tree, links, proved_tree, proved_links, int(taken), layered == "1")


def _boot() -> str:
    return boot_id() or "unknown"  # in a sandbox that hides it
