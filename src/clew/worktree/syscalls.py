"""System calls that the standard library does not provide."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
from struct import Struct

from clew.filenames import is_utf8

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall

_OPENAT2 = 437  # the same number on every architecture
_RESOLVE_NO_XDEV = 0x01
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
_OPEN_HOW = Struct("<QQQ")
_OPEN_HOW_BYTES = _OPEN_HOW.size
_open_hows: dict[tuple[int, bool], bytes] = {}

_PR_SET_PDEATHSIG = 1

_IOPRIO_SET = {"x86_64": 251, "aarch64": 30, "riscv64": 30}
_IOPRIO_PROCESS = 1
_IOPRIO_IDLE = 3 << 13
_LOWEST_PRIORITY = 19
_SESSION_PRIORITY = 10
"""About a tenth of the share of another session; 19 would mean minutes for a second of work."""

_XATTR_LIST_MAX = 1 << 16

RENAME_NOREPLACE = 1
RENAME_EXCHANGE = 2

_AT_SYMLINK_NOFOLLOW = 0x100
_AT_EMPTY_PATH = 0x1000
_STATX_BTIME = 0x800
_STATX_MNT_ID = 0x1000
_STATX_BYTES = 256
_STATX_TIME = Struct("<qI")
_BIRTH_AT = 80
_MOUNT_AT = 144

_FS_IOC_GETFLAGS = 0x80086601
_FS_IOC_SETFLAGS = 0x40086602
_NO_FLAGS = bytes(8)
_UNSUPPORTED = (errno.ENOTTY, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


def open_beneath(directory: int, path: bytes, flags: int, *, cross_mounts: bool) -> int:
    """Open `path` below `directory` without following any symlink.

    ``OSError`` with ENOSYS if the kernel (or a sandbox) has no ``openat2``.
    """
    how = _open_hows.get((flags, cross_mounts)) or _open_how(flags, cross_mounts)
    while True:
        found: int = _syscall(_OPENAT2, directory, path, how, _OPEN_HOW_BYTES)
        if found >= 0:
            return found
        code = ctypes.get_errno()
        if code not in (errno.EINTR, errno.EAGAIN):  # EAGAIN: a rename raced with the lookup
            raise OSError(code, os.strerror(code), path)


def _open_how(flags: int, cross_mounts: bool) -> bytes:
    """Return the argument of ``openat2``, which is prepared once: a scan opens every file."""
    resolve = _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS
    if not cross_mounts:
        resolve |= _RESOLVE_NO_XDEV
    how = _OPEN_HOW.pack(flags | os.O_CLOEXEC, 0, resolve)
    _open_hows[flags, cross_mounts] = how
    return how


def rename(source: int, old: bytes, target: int, new: bytes, flags: int) -> None:
    """Rename with flags: RENAME_NOREPLACE or RENAME_EXCHANGE."""
    if _libc.renameat2(source, old, target, new, flags):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), new)


def birth_ns(directory: int, name: bytes) -> int | None:
    """Return the creation time of an inode, which cannot be set; None if it is not recorded."""
    found = ctypes.create_string_buffer(_STATX_BYTES)
    failed = _libc.statx(directory, name, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, found)
    if failed or not int.from_bytes(found.raw[:4], "little") & _STATX_BTIME:
        return None
    seconds, nanoseconds = _STATX_TIME.unpack_from(found.raw, _BIRTH_AT)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


def mount_id(descriptor: int) -> int:
    """Return the id of the mount that an open file is on.

    It comes from ``/proc`` if the kernel's ``statx`` does not report it.
    """
    found = ctypes.create_string_buffer(_STATX_BYTES)
    failed = _libc.statx(descriptor, b"", _AT_EMPTY_PATH, _STATX_MNT_ID, found)
    if not failed and int.from_bytes(found.raw[:4], "little") & _STATX_MNT_ID:
        return int.from_bytes(found.raw[_MOUNT_AT : _MOUNT_AT + 8], "little")
    with open(f"/proc/self/fdinfo/{descriptor}", "rb") as file:
        for line in file:
            if line.startswith(b"mnt_id:"):
                return int(line.split()[1])
    raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))


def sync_filesystem(descriptor: int) -> None:
    """Flush the whole filesystem of `descriptor` to disk."""
    if _libc.syncfs(descriptor):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def get_inode_flags(descriptor: int) -> int | None:
    """Return the inode flags (``lsattr``), or None if the filesystem has none."""
    buffer = bytearray(8)
    try:
        fcntl.ioctl(descriptor, _FS_IOC_GETFLAGS, buffer)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return None
        raise
    return int.from_bytes(buffer[:4], "little")


def has_kept_flags(descriptor: int) -> bool:
    """Return whether an inode is immutable, append-only or nodump; `OSError` if unsupported.

    Faster than `get_inode_flags`.
    """
    return bool(fcntl.ioctl(descriptor, _FS_IOC_GETFLAGS, _NO_FLAGS)[0] & 0x70)


def set_inode_flags(descriptor: int, flags: int) -> None:
    """Set the inode flags (``chattr``)."""
    fcntl.ioctl(descriptor, _FS_IOC_SETFLAGS, flags.to_bytes(8, "little"))


def list_xattrs(where: int | bytes, *, follow: bool) -> list[bytes]:
    """Return the names of extended attributes as bytes; `os.listxattr` decodes by the locale."""
    if is_utf8():
        names = os.listxattr(where, follow_symlinks=follow)
        return [name.encode("utf-8", "surrogateescape") for name in names]
    if isinstance(where, int):
        ask = _libc.flistxattr
    else:
        ask = _libc.listxattr if follow else _libc.llistxattr
    buffer = ctypes.create_string_buffer(_XATTR_LIST_MAX)
    size = ask(where, buffer, _XATTR_LIST_MAX)
    if size < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return buffer.raw[:size].split(b"\0")[:-1]


def die_with(parent: int) -> None:
    """Kill this forked process when its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def lower_priority() -> None:
    """Give this child process a low priority for the processor and the disk, where possible.

    It gets a session of its own: the kernel weighs sessions, and only then the processes in each.
    """
    os.setsid()
    os.nice(_LOWEST_PRIORITY)
    try:
        with open("/proc/self/autogroup", "wb", buffering=0) as file:
            file.write(b"%d" % _SESSION_PRIORITY)
    except OSError:
        pass
    number = _IOPRIO_SET.get(os.uname().machine)
    if number is not None:
        _libc.syscall(number, _IOPRIO_PROCESS, 0, _IOPRIO_IDLE)
