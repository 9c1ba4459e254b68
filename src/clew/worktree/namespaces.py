"""Namespaces, mounts and capabilities: system calls for sandboxes.

Everything here changes the calling process permanently, so only forked processes call it.
Mounts use the old calls (``MS_BIND``), which every kernel has; a directory that is about to be
covered is opened first and bind-mounted from ``/proc/self/fd``.
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
NO_EXEC = 0x8
_REMOUNT = 0x20
_BIND = 0x1000
_RECURSIVE = 0x4000
_PRIVATE = 0x40000
_KEPT_FLAGS = (
    (0x1, 0x1),
    (0x2, 0x2),
    (0x4, 0x4),
    (0x8, 0x8),
    (0x400, 0x400),
    (0x800, 0x800),
    (0x1000, 1 << 21),
)
"""A mount's flags: as `statvfs` reports them, and as `mount` takes them."""
_DETACH = 0x2

_MOUNT_SETATTR = 442  # the same number on every architecture
_MOUNT_ATTR = Struct("=QQQQ")
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_NO_SUCH_CALL = (errno.ENOSYS, errno.EPERM)  # EPERM: a seccomp filter refuses unknown calls

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_CAP_SYS_ADMIN = 21
SYSTEM_CAPABILITIES = sum(
    1 << number for number in (12, 16, 17, 20, _CAP_SYS_ADMIN, 22, 25, 30, 33, 34, 35, 39)
)
"""Those that change the whole system: the network, kernel modules, raw disks, accounting, mounts, reboot,
the clock, audit rules, security policy, the kernel's log, alarms, and programs in the kernel."""
_MOST_CAPABILITIES = 64
_CAPABILITIES_VERSION = Struct("=Ii").pack(0x20080522, 0)
_CAPABILITIES = Struct("=6I")
_IDENTITY_MAP = "0 0 4294967295"

_SETTINGS = (
    ("user.max_user_namespaces", "0"),
    ("user.max_mnt_namespaces", "0"),
    ("user.max_pid_namespaces", "0"),
    ("user.max_net_namespaces", "0"),
    ("kernel.unprivileged_userns_clone", "0"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1"),
)
"""System settings that forbid namespaces, to everyone or to unprivileged users."""

_SIOCSIFFLAGS = 0x8914
_LOOPBACK_UP = Struct("=16sh22x").pack(b"lo", 0x1 | 0x40)


def unshare(flags: int, what: str) -> None:
    """Enter new namespaces; `what` names them in the error."""
    _check(_libc.unshare(flags), what)


def map_current_user(user: int, group: int) -> None:
    """Map our user and group to themselves in a new user namespace."""
    for name, words in (
        ("uid_map", f"{user} {user} 1"),
        ("setgroups", "deny"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(words)


def is_first_user_namespace() -> bool:
    """Return whether this is the initial user namespace, where ids are those on disk."""
    with open("/proc/self/uid_map") as file:
        return " ".join(file.read().split()) == _IDENTITY_MAP


def raise_loopback() -> None:
    """Bring up the loopback interface of a new network namespace."""
    descriptor = _libc.socket(2, 2 | os.O_CLOEXEC, 0)
    _check(min(descriptor, 0), "a socket")
    try:
        fcntl.ioctl(descriptor, _SIOCSIFFLAGS, _LOOPBACK_UP)
    finally:
        os.close(descriptor)


def reason(error: OSError) -> str:
    """Return why the system refused a call here, and which settings may be the cause."""
    words = f"{error.strerror}"
    if isinstance(error.filename, bytes):
        words = f"{words}: {os.fsdecode(error.filename)!r}"
    elif error.filename:
        words = f"{error.filename}: {words}"
    switches = ", ".join(
        f"{name} is {value}" for name, value in _SETTINGS if _has_value(name, value)
    )
    return f"{words} ({switches})" if switches else words


def _has_value(switch: str, value: str) -> bool:
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
    """Bind-mount a directory or a file; `whole` includes the mounts in it."""
    flags = _BIND | (_RECURSIVE if whole else 0)
    _check(_libc.mount(source, target, None, ctypes.c_ulong(flags), None), target)


def held(descriptor: int) -> bytes:
    """Return a path to an open file, valid even if another mount covers it now."""
    return b"/proc/self/fd/%d" % descriptor


def make_mounts_private() -> None:
    """Make all mounts private, so that new ones do not propagate to other namespaces."""
    _check(_libc.mount(b"none", b"/", None, ctypes.c_ulong(_RECURSIVE | _PRIVATE), None), b"/")


def make_read_only(path: bytes) -> None:
    """Make a mount and every mount in it read-only."""
    _set_on_all(path, READ_ONLY)


def make_writable(path: bytes) -> None:
    """Make one mount writable again."""
    _clear(path, READ_ONLY)


def refuse_devices(path: bytes) -> None:
    """Make the devices of a mount, and of every mount in it, unusable."""
    _set_on_all(path, NO_DEVICES)


def permit_devices(path: bytes) -> None:
    """Make the devices of one mount usable again."""
    _clear(path, NO_DEVICES)


def _set_on_all(path: bytes, flag: int) -> None:
    try:
        _set_attributes(path, flag, 0, _AT_RECURSIVE)
    except OSError as error:
        if error.errno not in _NO_SUCH_CALL:
            raise
        inside = path.rstrip(b"/") + b"/"
        points = {one.point for one in read_mounts() if (one.point + b"/").startswith(inside)}
        for point in sorted(points):
            _remount(point, flag, 0)


def _clear(path: bytes, flag: int) -> None:
    try:
        _set_attributes(path, 0, flag, 0)
    except OSError as error:
        if error.errno not in _NO_SUCH_CALL:
            raise
        _remount(path, 0, flag)


def change_root(new: bytes) -> None:
    """Make a mount the root of this process's mount namespace."""
    os.chdir(new)
    if _libc.pivot_root(b".", b"."):
        os.chroot(b".")  # the initial rootfs cannot be pivoted away
    else:
        _check(_libc.umount2(b".", _DETACH), new)
    os.chdir(b"/")


def _set_attributes(path: bytes, wanted: int, unwanted: int, flags: int) -> None:
    attributes = _MOUNT_ATTR.pack(wanted, unwanted, 0, 0)
    done = _libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path, flags, attributes, _MOUNT_ATTR.size)
    _check(done, path)


def _remount(point: bytes, wanted: int, unwanted: int) -> None:
    try:
        held_flags = os.statvfs(point).f_flag
    except OSError:
        return  # covered by another mount and unreachable
    flags = wanted | sum(ours for theirs, ours in _KEPT_FLAGS if held_flags & theirs)
    flags &= ~unwanted
    done = _libc.mount(None, point, None, ctypes.c_ulong(_REMOUNT | _BIND | flags), None)
    if done and ctypes.get_errno() != errno.EINVAL:  # EINVAL: not the visible mount at that path
        _check(done, point)


# Capabilities and parent death


def may_administer() -> bool:
    """Return whether this process has CAP_SYS_ADMIN, for namespaces and mounts."""
    return bool(capabilities()[0] >> _CAP_SYS_ADMIN & 1)


def capabilities() -> tuple[int, int, int]:
    """Return the effective, permitted and inheritable capability sets."""
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
    """Limit programs started from this process to the capabilities in `but`."""
    for number in range(_MOST_CAPABILITIES):
        if not but >> number & 1 and _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0):
            break  # the kernel has no higher number
    set_capabilities(0, 0, 0)


def die_with_parent(lifeline: int) -> None:
    """Kill the init of a PID namespace when its parent ends, whose pid it cannot see.

    `lifeline` is the read end of a pipe whose write end only the parent holds.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    look = select.poll()
    look.register(lifeline)
    if look.poll(0):  # it ended before the call
        os._exit(1)


def _check(result: int, what: bytes | str) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)
