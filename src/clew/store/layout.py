"""Store layout: paths of its files; see docs/format.md, 2."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from clew.atomic_write import sync_directory, write_new
from clew.errors import (
    NotAStore,
    StoreDamaged,
    StoreFull,
    StoreReadOnly,
    StoreWrongOwner,
)
from clew.store.format_file import format_content, parse_format, repaired_uuid
from clew.store.limits import DEFAULT, StoreLimits

_MIN_RESERVE = 1 << 20

_DIRECTORIES = (
    "packs",
    "backup",
    "cache",
    "locks",
    "tmp",
    "quarantine",
    "copies",
    "forks",
    "spool",
    "desks",
)


class Layout:
    """The paths of one store."""

    def __init__(self, root: str, limits: StoreLimits = DEFAULT) -> None:
        self.root = root
        self.limits = limits
        self.catalog = os.path.join(root, "catalog.db")
        self.new_catalog = os.path.join(root, "catalog.new")  # see store/replace_catalogue.py
        self.packs = os.path.join(root, "packs")
        self.backup = os.path.join(root, "backup", "annotations.db")
        self.cache = os.path.join(root, "cache")
        self.locks = os.path.join(root, "locks")
        self.tmp = os.path.join(root, "tmp")
        self.quarantine = os.path.join(root, "quarantine")
        self.copies = os.path.join(root, "copies")
        self.forks = os.path.join(root, "forks")
        self.spool = os.path.join(root, "spool")
        self.graphs = os.path.join(root, "graphs")  # created on first use
        self.desks = os.path.join(root, "desks")
        self.reserve = os.path.join(root, "reserve")
        self.format = os.path.join(root, "format")

    def exists(self) -> bool:
        return os.path.exists(self.format)

    def is_vacant(self) -> bool:
        """Return whether a store can be created here: no directory, or nothing else in it."""
        try:
            names = os.listdir(self.root)
        except FileNotFoundError:
            return True
        except NotADirectoryError:
            return False
        return not set(names) - set(_DIRECTORIES)  # another process may be creating it

    def create(self) -> None:
        """Create an empty store; several processes may do this at the same time."""
        try:
            os.makedirs(self.root, mode=0o700, exist_ok=True)
            self._check_owner()
            if not self.is_vacant() and not self.exists():  # checked last: it may be created now
                raise NotAStore(self.root)
            self.make_directories()
            if not self.exists():
                self._write_format(os.urandom(16).hex())
            self.refill_reserve()
        except PermissionError as error:
            raise StoreReadOnly(self.root) from error
        except OSError as error:
            raise _translate(error, self.root) from error

    def open(self) -> str:
        """Check that this is a store the user may use, and return its uuid."""
        self._check_owner()
        try:
            content = self._read_format()
        except FileNotFoundError as error:
            if os.path.exists(self.catalog):
                raise StoreDamaged(f"The format file is missing: {self.root!r}") from error
            raise NotAStore(self.root) from error
        except PermissionError as error:
            raise StoreReadOnly(self.root) from error
        try:
            return parse_format(content, self.root)
        except NotAStore as error:
            if not os.path.exists(self.catalog):
                raise
            what = "damaged" if content else "empty"
            raise StoreDamaged(f"The format file is {what}: {self.root!r}") from error

    def repair_format(self, catalogue_uuid: str) -> str:
        """Replace a damaged format file, keep it in quarantine/, and return the uuid of the store."""
        try:
            content = self._read_format()
        except FileNotFoundError:
            content = b""
        uuid = repaired_uuid(content, catalogue_uuid)
        if uuid is None:
            raise StoreDamaged(f"The format file is damaged: {self.root!r}")
        with suppress(FileNotFoundError):
            os.rename(self.format, os.path.join(self.quarantine, f"format-{os.urandom(4).hex()}"))
        self._write_format(uuid)
        return uuid

    def make_directories(self) -> None:
        """Create the directories that are missing."""
        for name in _DIRECTORIES:
            os.makedirs(os.path.join(self.root, name), mode=0o700, exist_ok=True)

    def is_writable(self) -> bool:
        return os.access(self.root, os.W_OK) and os.access(self.packs, os.W_OK)

    def release_reserve(self) -> bool:
        """Delete the reserve to make space for a rescue, prune or gc; return whether it existed."""
        try:
            os.unlink(self.reserve)
        except FileNotFoundError:
            return False
        return True

    def refill_reserve(self, spare: int | None = None) -> None:
        """Allocate the reserve again, leaving `spare` bytes, else three quarters, of the free space."""
        if os.path.exists(self.reserve):
            return
        space = os.statvfs(self.root)
        is_root = os.geteuid() == 0  # root may use the last blocks too
        free = (space.f_bfree if is_root else space.f_bavail) * space.f_frsize
        whole = self.limits.reserve_bytes
        size = min(whole, free // 4 if spare is None else free - spare)
        temporary = self._temporary("reserve")
        while size >= min(_MIN_RESERVE, whole):
            if _allocate(temporary, size):
                try:
                    os.rename(temporary, self.reserve)
                except FileNotFoundError:
                    pass  # swept by a concurrent gc, which allocates one itself
                return
            size -= max(size // 32, 1)  # a filesystem never grants all the space it reports as free

    def _temporary(self, what: str) -> str:
        """Return a unique name: threads of one process may also create a store concurrently."""
        return os.path.join(self.tmp, f"{what}-{os.urandom(8).hex()}")

    def _check_owner(self) -> None:
        try:
            found = os.stat(self.root)
        except FileNotFoundError as error:
            raise NotAStore(self.root) from error
        except PermissionError as error:
            raise StoreReadOnly(self.root) from error
        if not stat.S_ISDIR(found.st_mode):
            raise NotAStore(self.root)
        if found.st_uid != os.geteuid():
            raise StoreWrongOwner(self.root, found.st_uid)

    def _read_format(self) -> bytes:
        with open(self.format, "rb") as file:
            return file.read(65536)

    def _write_format(self, uuid: str) -> None:
        while not self._link_format(format_content(uuid)):
            pass  # a concurrent gc swept the temporary file
        sync_directory(self.root)

    def _link_format(self, content: bytes) -> bool:
        """Create the format file atomically unless it exists; return whether it exists now."""
        temporary = self._temporary("format")
        write_new(temporary, [content], sync=True)
        try:
            os.link(temporary, self.format)  # the first process wins
        except FileExistsError:
            pass
        except FileNotFoundError:
            return False
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        return True


def _allocate(path: str, size: int) -> bool:
    """Create a file of `size` allocated bytes; return whether there was enough space."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError:
        os.unlink(path)
        return False
    finally:
        os.close(descriptor)
    return True


def _translate(error: OSError, root: str) -> Exception:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull(root)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return StoreReadOnly(root)
    return NotAStore(root)
