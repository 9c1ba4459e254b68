"""Where copies are kept: each in a directory of its own in `copies/` of the store.

    copies/<moment>+<number>/
        lock      held while the copy is used, made or removed; its mtime is that of the last use
        about     what it is a copy of; written when it was proved, so without it there is no copy
        dirty     somebody may have changed it: to be set right before it is used again
        tree/     the copy
        cache     what the last look at it saw
        use-*/    what changes in an overlay over it

Everything here is a cache: it can be deleted at any time when nobody uses it, and a copy that was
made before the machine was last started counts for nothing, because nothing in it was ever synced.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from blake3 import blake3

from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.record import Record
from clew.store.store import Store
from clew.worktree.cache import WorktreeCache
from clew.worktree.remove_tree import remove_tree

MOST_KEPT = 4
MOST_BYTES = 10 << 30

_VERSION = "1"
_GONE = ".gone-"
_USE = "use-"
_PAUSE = 0.02
"""Seconds between two looks at a slot that others are making."""
_BOOT = "/proc/sys/kernel/random/boot_id"


class About(NamedTuple):
    """What a copy is."""

    tree: ObjectId
    links: ObjectId
    proved_tree: ObjectId
    """As it was read back; another one where something could not be given back."""
    proved_links: ObjectId
    taken_bytes: int
    may_be_layered: bool

    def is_of(self, record: Record) -> bool:
        return (self.tree, self.links) == (record.tree, record.links)


class Slot:
    """The place of one copy."""

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
        """What is in it, if it was made since the machine was started."""
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
        """Tell whether somebody died here, or is just at work."""
        try:
            names = os.listdir(self.path)
        except FileNotFoundError:
            return False
        return "about" not in names or any(name.startswith(_USE) for name in names)

    @contextmanager
    def locked(self, *, alone: bool, wait: bool = False) -> Iterator[bool]:
        """Hold the slot, alone or with others; False where that cannot be, or it is gone."""
        descriptor = self._lock(alone, wait)
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                os.close(descriptor)

    @contextmanager
    def alone_unless(self, is_settled: Callable[[], bool]) -> Iterator[bool]:
        """Hold the slot alone as soon as that can be, unless others have settled it meanwhile.

        The lock itself is not waited for: whoever settles it goes on to use the copy, for hours.
        """
        while not is_settled() and os.path.isdir(self.path):
            with self.locked(alone=True) as held:
                if held:
                    yield True
                    return
            time.sleep(_PAUSE)
        yield False

    def write_about(self, about: About) -> None:
        """Say what is in it; from now on it is a copy, and a clean one."""
        with suppress(FileNotFoundError):
            os.unlink(self._at("dirty"))
        temporary = self._at("about.new")
        with open(temporary, "w") as file:
            file.write(_format_about(about))
        os.rename(temporary, self._at("about"))

    def touch(self) -> None:
        """Say that it is used now."""
        with suppress(FileNotFoundError):
            os.utime(self._at("lock"))

    def make_dirty(self) -> None:
        """Say that somebody is about to change it."""
        os.close(os.open(self._at("dirty"), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))

    def open_cache(self, owner: str) -> WorktreeCache:
        return WorktreeCache(self._at("cache"), owner)

    def make_use(self) -> bytes:
        """Return a new directory for what one user changes."""
        path = self._at(_USE + os.urandom(8).hex())
        os.mkdir(path, 0o700)
        return os.fsencode(path)

    def remove_use(self, use: bytes) -> None:
        """Remove what one user changed; what cannot be removed now is swept later."""
        with suppress(OSError):
            remove_tree(os.fsencode(self.path), os.path.basename(use))

    def sweep(self) -> None:
        """Remove what users left who died; held alone."""
        for name in os.listdir(self.path):
            if name.startswith(_USE):
                remove_tree(os.fsencode(self.path), os.fsencode(name))

    def empty(self) -> None:
        """Remove the copy and keep the place; held alone."""
        for name in os.listdir(self.path):
            if name != "lock":
                remove_tree(os.fsencode(self.path), os.fsencode(name))

    def rename(self, name: str) -> Slot:
        """Give the slot to another moment; held alone."""
        other = Slot(self._copies, name)
        os.rename(self.path, other.path)
        return other

    def drop(self) -> None:
        """Remove the slot; held alone."""
        gone = self.rename(_GONE + os.urandom(8).hex())  # so that nobody finds half of it
        remove_tree(os.fsencode(self._copies), os.fsencode(gone.name))

    def drop_if_idle(self) -> bool:
        """Remove the slot unless somebody uses it; tell whether it is gone."""
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
        os.close(descriptor)  # busy, or the slot was dropped or given away while we waited
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
        """Return the slots of one moment, in the order of their numbers."""
        prefix = _moment(record) + "+"
        found = [Slot(self._copies, name) for name in self._names() if name.startswith(prefix)]
        return sorted(found, key=lambda slot: int(slot.name.rpartition("+")[2]))

    def free_name(self, record: Record) -> str:
        """Return the next name for a slot of a moment."""
        taken = {slot.name for slot in self.of(record)}
        number = next(n for n in range(len(taken) + 1) if f"{_moment(record)}+{n}" not in taken)
        return f"{_moment(record)}+{number}"

    def make(self, record: Record) -> Slot | None:
        """Make an empty slot for a moment; None where somebody else was faster."""
        slot = Slot(self._copies, self.free_name(record))
        try:
            os.mkdir(slot.path, 0o700)
        except FileExistsError:
            return None
        return slot

    def trim(self, most: int, most_bytes: int = MOST_BYTES) -> None:
        """Drop what is kept beyond some number or size, the least recently used first."""
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
        """Return what was found out since the machine was started, or ask, one at a time.

        Whoever is asked gets an empty directory that nobody else sweeps away.
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
        remove_tree(os.fsencode(self._copies), os.fsencode(scratch))  # of somebody who died here
        os.mkdir(os.path.join(self._copies, scratch), 0o700)
        try:
            return ask(os.fsencode(os.path.join(self._copies, scratch)))
        finally:
            remove_tree(os.fsencode(self._copies), os.fsencode(scratch))

    def sweep(self) -> None:
        """Remove what is left of removals and of users that died; what is in use is left alone."""
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
    """Return by what the cache of a copy is known to be of use still."""
    return store.cache_owner


def _moment(record: Record) -> str:
    """Return a short name; whether it is the right one, `about` knows."""
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
    """Return what tells this run of the machine from the one before."""
    try:
        with open(_BOOT) as file:
            return file.read().strip()
    except OSError:
        return "unknown"  # in a sandbox that hides it
