"""Namespaces, mounts and capabilities: the system calls of which a private view is made.

Everything here changes the calling process for good, so it is called in forked ones only.
Mounts are made by the old calls (``MS_BIND``), which every kernel has; a directory that is about to be
covered is held open first and bound from ``/proc/self/fd``.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import signal
from struct import Struct

from clew.worktree.mounts import read_mounts

_libc = ctypes.CDLL(None, use_errno=True)

NEW_MOUNTS = 0x00020000
NEW_HOSTNAME = 0x04000000
NEW_IPC = 0x08000000
NEW_USERS = 0x10000000
NEW_PIDS = 0x20000000
NEW_NETWORK = 0x40000000

READ_ONLY = 0x1
NO_SETUID = 0x2
NO_DEVICES = 0x4
NO_PROGRAMS = 0x8
_REMOUNT = 0x20
_BIND = 0x1000
_RECURSIVE = 0x4000
_PRIVATE = 0x40000
_KEPT_FLAGS = (
    (0x2, 0x2),
    (0x4, 0x4),
    (0x8, 0x8),
    (0x400, 0x400),
    (0x800, 0x800),
    (0x1000, 1 << 21),
)
"""What `statvfs` calls a mount's flags, and what `mount` does."""
_DETACH = 0x2

_MOUNT_SETATTR = 442  # the same number on every architecture
_MOUNT_ATTR = Struct("=QQQQ")
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_NO_SUCH_CALL = (errno.ENOSYS, errno.EPERM)  # a sandbox that does not know a call refuses it

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_CAP_SYS_ADMIN = 21
_MOST_CAPABILITIES = 64
_CAPABILITIES_VERSION = Struct("=Ii").pack(0x20080522, 0)
_CAPABILITIES = Struct("=6I")
_EVERYBODY = "0 0 4294967295"

_SWITCHES = (
    ("user.max_user_namespaces", "0"),
    ("user.max_mnt_namespaces", "0"),
    ("user.max_pid_namespaces", "0"),
    ("user.max_net_namespaces", "0"),
    ("kernel.unprivileged_userns_clone", "0"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1"),
)
"""Settings of the system that forbid namespaces, to all or to ordinary users."""

_SIOCSIFFLAGS = 0x8914
_LOOPBACK_UP = Struct("=16sh22x").pack(b"lo", 0x1 | 0x40)


def unshare(flags: int, what: str) -> None:
    """Leave some of what we share with others; `what` is said where that is refused."""
    _check(_libc.unshare(flags), what)


def map_ourselves(user: int, group: int) -> None:
    """Be, in a new user namespace, who we were outside."""
    for name, words in (
        ("uid_map", f"{user} {user} 1"),
        ("setgroups", "deny"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(words)


def is_first_user_namespace() -> bool:
    """Tell whether ids mean here what they mean on disk."""
    with open("/proc/self/uid_map") as file:
        return " ".join(file.read().split()) == _EVERYBODY


def raise_loopback() -> None:
    """Switch on the only device of a new network."""
    descriptor = _libc.socket(2, 2 | os.O_CLOEXEC, 0)
    _check(min(descriptor, 0), "a socket")
    try:
        fcntl.ioctl(descriptor, _SIOCSIFFLAGS, _LOOPBACK_UP)
    finally:
        os.close(descriptor)


def reason(error: OSError) -> str:
    """Say why the system refused something of this, and which switch may be the cause."""
    words = f"{error.strerror}"
    if isinstance(error.filename, bytes):
        words = f"{words}: {os.fsdecode(error.filename)!r}"
    elif error.filename:
        words = f"{error.filename}: {words}"
    switches = ", ".join(f"{name} is {value}" for name, value in _SWITCHES if _reads(name, value))
    return f"{words} ({switches})" if switches else words


def _reads(switch: str, value: str) -> bool:
    try:
        with open("/proc/sys/" + switch.replace(".", "/")) as file:
            return file.read().strip() == value
    except OSError:
        return False


# Mounts


def mount(kind: bytes, target: bytes, flags: int = 0, options: bytes = b"") -> None:
    """Mount a new filesystem."""
    _check(_libc.mount(kind, target, kind, ctypes.c_ulong(flags), options), target)


def bind(source: bytes, target: bytes, *, whole: bool = True) -> None:
    """Show a directory or a file at another place too, with all that is mounted in it or without."""
    flags = _BIND | (_RECURSIVE if whole else 0)
    _check(_libc.mount(source, target, None, ctypes.c_ulong(flags), None), target)


def held(descriptor: int) -> bytes:
    """Return a path to what a descriptor holds, also when something else covers it by now."""
    return b"/proc/self/fd/%d" % descriptor


def make_mounts_private() -> None:
    """Keep every mount that we make to ourselves."""
    _check(_libc.mount(b"none", b"/", None, ctypes.c_ulong(_RECURSIVE | _PRIVATE), None), b"/")


def make_read_only(path: bytes) -> None:
    """Make a mount read-only, and every mount in it."""
    try:
        _set_attributes(path, READ_ONLY, 0, _AT_RECURSIVE)
    except OSError as error:
        if error.errno not in _NO_SUCH_CALL:
            raise
        inside = path.rstrip(b"/") + b"/"
        points = {one.point for one in read_mounts() if (one.point + b"/").startswith(inside)}
        for point in sorted(points):
            _remount(point, READ_ONLY)


def make_writable(path: bytes) -> None:
    """Make one mount writable again."""
    try:
        _set_attributes(path, 0, READ_ONLY, 0)
    except OSError as error:
        if error.errno not in _NO_SUCH_CALL:
            raise
        _remount(path, 0)


def change_root(new: bytes) -> None:
    """Make a mount the root, for us and for nobody else in need of the old one."""
    os.chdir(new)
    if _libc.pivot_root(b".", b"."):
        os.chroot(b".")  # the kernel's own first root cannot be put away
    else:
        _check(_libc.umount2(b".", _DETACH), new)
    os.chdir(b"/")


def _set_attributes(path: bytes, wanted: int, unwanted: int, flags: int) -> None:
    attributes = _MOUNT_ATTR.pack(wanted, unwanted, 0, 0)
    done = _libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path, flags, attributes, _MOUNT_ATTR.size)
    _check(done, path)


def _remount(point: bytes, flags: int) -> None:
    try:
        held_flags = os.statvfs(point).f_flag
    except OSError:
        return  # covered by another mount, and out of reach
    flags |= sum(ours for theirs, ours in _KEPT_FLAGS if held_flags & theirs)
    done = _libc.mount(None, point, None, ctypes.c_ulong(_REMOUNT | _BIND | flags), None)
    if done and ctypes.get_errno() != errno.EINVAL:  # not the mount that is seen there
        _check(done, point)


# Rights, and the end


def may_administer() -> bool:
    """Tell whether we may make namespaces and mounts as we are."""
    return bool(capabilities()[0] >> _CAP_SYS_ADMIN & 1)


def capabilities() -> tuple[int, int, int]:
    """Return what we may do, what we could allow ourselves, and what programs may inherit."""
    buffer = ctypes.create_string_buffer(_CAPABILITIES.size)
    _check(_libc.capget(_CAPABILITIES_VERSION, buffer), "capabilities")
    low = _CAPABILITIES.unpack(buffer.raw)
    effective, permitted, inheritable = (low[n] | low[n + 3] << 32 for n in range(3))
    return effective, permitted, inheritable


def set_capabilities(effective: int, permitted: int, inheritable: int) -> None:
    values = (effective, permitted, inheritable)
    words = [value & 0xFFFFFFFF for value in values] + [value >> 32 for value in values]
    _check(_libc.capset(_CAPABILITIES_VERSION, _CAPABILITIES.pack(*words)), "capabilities")


def give_up_capabilities(but: int) -> None:
    """Let no program that we start from here have more rights than those in `but`."""
    for number in range(_MOST_CAPABILITIES):
        if not but >> number & 1 and _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0):
            break  # there are no more
    set_capabilities(0, 0, 0)


def die_with_parent(lifeline: int) -> None:
    """Make the first process of a PID namespace end when its parent does, whose pid it cannot see.

    `lifeline` is the reading end of a pipe of which only the parent holds the other.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    look = select.poll()
    look.register(lifeline)
    if look.poll(0):  # it died before we asked
        os._exit(1)


def _check(result: int, what: bytes | str) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)
