"""Private devices and kernel files, for a command that must leave nothing behind.

A read-only mount does not protect a block device, and ``/proc/sys`` of a new ``/proc`` is the
kernel's own.  The command gets a ``/dev`` with the devices that hold no state, and a ``/proc`` in
which it can change only its own processes.
"""

from __future__ import annotations

import os
from contextlib import suppress

from clew.worktree.namespaces import (
    NO_EXEC,
    NO_SETUID,
    bind,
    held,
    make_read_only,
    mount,
    permit_devices,
)
from clew.worktree.overlay_mount import open_path
from clew.worktree.private_directories import rebind

_DEVICES = (b"null", b"zero", b"full", b"random", b"urandom", b"tty")
_GPU_PREFIXES = (b"nvidia", b"dri", b"kfd")
_LINKS = (
    (b"fd", b"/proc/self/fd"),
    (b"stdin", b"/proc/self/fd/0"),
    (b"stdout", b"/proc/self/fd/1"),
    (b"stderr", b"/proc/self/fd/2"),
    (b"ptmx", b"pts/ptmx"),
)
_KERNEL_FILES = (b"sys", b"sysrq-trigger", b"irq", b"bus", b"fs", b"acpi", b"scsi", b"mtrr")
"""Names in ``/proc`` that change the kernel."""


def mount_private_devices(place: bytes) -> None:
    """Mount a /dev without disks, memory and other users' terminals at `place`.

    The private ``/dev/shm`` that is there already stays.
    """
    with open_path(b"/dev") as live, open_path(place) as before:
        has_memory = os.path.isdir(held(before) + b"/shm")
        shm = os.open(held(before) + b"/shm", os.O_PATH | os.O_CLOEXEC) if has_memory else None
        mount(b"tmpfs", place, NO_SETUID | NO_EXEC, b"mode=755")
        for name in sorted(os.listdir(held(live))):
            if name in _DEVICES or name.startswith(_GPU_PREFIXES):
                with suppress(OSError):  # a device that this user may not see
                    target = os.path.join(place, name)
                    rebind(held(live) + b"/" + name, target)
                    permit_devices(target)
        if shm is not None:
            os.mkdir(os.path.join(place, b"shm"))
            bind(held(shm), os.path.join(place, b"shm"))
            os.close(shm)
    os.mkdir(os.path.join(place, b"pts"))
    with suppress(OSError):  # not in every user namespace
        options = b"newinstance,ptmxmode=0666,mode=620"
        mount(b"devpts", os.path.join(place, b"pts"), NO_SETUID | NO_EXEC, options)
    for name, target in _LINKS:
        os.symlink(target, os.path.join(place, name))


def protect_kernel_files(proc: bytes) -> None:
    """Make the files in a /proc read-only that change the whole system."""
    for name in _KERNEL_FILES:
        path = os.path.join(proc, name)
        if os.path.exists(path):
            with suppress(OSError):  # masked already, in a container
                bind(path, path)
                make_read_only(path)
