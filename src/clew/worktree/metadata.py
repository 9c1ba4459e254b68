"""Metadata writer: applies an entry's metadata to one inode, in the only order that works.

The owner comes first (chown clears setuid and capabilities), then xattrs with capabilities last,
then the mode (setting an ACL changes the mode's group bits), then times, and finally the flags that
forbid changes.  What only root may set is reported and is not fatal.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from clew.model.entry import FLAG_APPEND, FLAG_IMMUTABLE, KEPT_FLAGS, Entry, EntryKind
from clew.worktree.syscalls import get_inode_flags, list_xattrs, set_inode_flags

BLOCKING_FLAGS = FLAG_IMMUTABLE | FLAG_APPEND

Problem = Callable[[str], None]

Where = bytes | int
"""A path, or an open descriptor."""

_NO_SUPPORT = (errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOTTY, errno.EINVAL)


class MetadataWriter:
    """Applies entries to inodes."""

    def __init__(self, read_xattrs: Callable[[bytes], dict[bytes, bytes]]) -> None:
        """`read_xattrs` returns the xattrs stored under an id."""
        self._read_xattrs = read_xattrs
        self._sets: dict[bytes, dict[bytes, bytes]] = {}

    def apply(self, directory: int, name: bytes, entry: Entry, problem: Problem) -> None:
        """Apply all metadata of `entry` except forbidding flags to `name` in an open directory."""
        where = f"/proc/self/fd/{directory}/".encode() + name
        if entry.kind == EntryKind.SYMLINK:
            self._apply(where, entry, problem, follow=False)
            return
        # O_PATH pins the inode without needing permission to read it.
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
        try:
            self.apply_pinned(descriptor, entry, problem)
        finally:
            os.close(descriptor)

    def apply_pinned(self, descriptor: int, entry: Entry, problem: Problem) -> None:
        """Apply the same to a descriptor opened with O_PATH that is not a symlink."""
        self._apply(f"/proc/self/fd/{descriptor}".encode(), entry, problem, follow=True)

    def apply_open(self, descriptor: int, entry: Entry, problem: Problem) -> None:
        """Apply all metadata of `entry` except forbidding flags to an open file or directory."""
        self._apply(descriptor, entry, problem, follow=True)

    def _apply(self, where: Where, entry: Entry, problem: Problem, *, follow: bool) -> None:
        found = os.stat(where, follow_symlinks=follow)
        if (found.st_uid, found.st_gid) != (entry.uid, entry.gid):
            _attempt(
                problem, "owner", os.chown, where, entry.uid, entry.gid, follow_symlinks=follow
            )
        self._set_xattrs(where, entry, problem, follow=follow)
        if follow:
            # After the ACL: setting one rewrites the mode's group bits from its mask.
            _attempt(problem, "mode", os.chmod, where, entry.mode)
        times = (entry.mtime_ns, entry.mtime_ns)
        _attempt(problem, "mtime", os.utime, where, ns=times, follow_symlinks=follow)

    def _set_xattrs(self, where: Where, entry: Entry, problem: Problem, *, follow: bool) -> None:
        wanted = self._xattrs_of(entry)
        try:
            present = set(list_xattrs(where, follow=follow))
        except OSError as error:
            if error.errno in _NO_SUPPORT and not wanted:
                return
            present = set()
        for name in present - set(wanted):
            text = os.fsdecode(name)
            _attempt(problem, f"xattr {text}", os.removexattr, where, name, follow_symlinks=follow)
        for name in sorted(wanted, key=_capabilities_last):
            value = wanted[name]
            if name in present and _has_value(where, name, value, follow):
                continue
            text = os.fsdecode(name)
            _attempt(
                problem, f"xattr {text}", os.setxattr, where, name, value, follow_symlinks=follow
            )

    def _xattrs_of(self, entry: Entry) -> dict[bytes, bytes]:
        if entry.xattrs is None:
            return {}
        found = self._sets.get(entry.xattrs)
        if found is None:
            found = self._sets[entry.xattrs] = self._read_xattrs(entry.xattrs)
        return found


def set_flags(descriptor: int, wanted: int, mask: int, problem: Problem) -> None:
    """Set the captured inode flags in `mask` to those of `wanted`."""
    mask &= KEPT_FLAGS
    present = get_inode_flags(descriptor)
    if present is None:
        if wanted & mask:
            problem("inode flags")
        return
    changed = (present & ~mask) | (wanted & mask)
    if changed != present:
        _attempt(problem, "inode flags", set_inode_flags, descriptor, changed)


def _capabilities_last(name: bytes) -> tuple[bool, bytes]:
    return name == b"security.capability", name


def _has_value(where: Where, name: bytes, value: bytes, follow: bool) -> bool:
    try:
        return os.getxattr(where, name, follow_symlinks=follow) == value
    except OSError:
        return False


def _attempt(
    problem: Problem, what: str, call: Callable[..., None], *args: object, **kw: object
) -> None:
    try:
        call(*args, **kw)
    except OSError as error:
        problem(f"{what}: {error.strerror}")
