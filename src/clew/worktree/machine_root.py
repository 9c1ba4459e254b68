"""Machine root: the copy of a whole machine as the root of a sandboxed command.

A machine's copy has everything that is on its disks, its temporary directories included.  What it
keeps in memory (a tmpfs at `/run` or `/tmp`) is not captured: the command sees the live files, and what
it writes there is discarded, as in `private_directories.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress

from clew.worktree.mounts import mounts_below, read_mounts
from clew.worktree.namespaces import (
    NO_DEVICES,
    NO_EXEC,
    NO_SETUID,
    bind,
    change_root,
    held,
    make_read_only,
    mount,
    refuse_devices,
)
from clew.worktree.overlay_mount import open_path
from clew.worktree.private_devices import mount_private_devices, protect_kernel_files
from clew.worktree.private_directories import is_below, is_real_directory, mount_private_overlay

_IN_MEMORY = (b"tmpfs", b"ramfs")
_SHOWN = (b"/run", b"/tmp", b"/var/tmp")


def switch_root(
    place: bytes, live: bytes, sockets: Iterable[bytes], *, read_only_elsewhere: bool
) -> Iterator[str]:
    """Make the copy at `place` of the machine at `live` the root, with these live unix sockets.

    Yield what was created or could not be isolated.
    """
    bind(place, place)
    if read_only_elsewhere:
        refuse_devices(place)
    found = [name for name in (b"proc", b"dev", b"sys", b"run") if _can_mount_at(place, name)]
    made = [name for name in found if _create_mount_point(os.path.join(place, name))]
    if made:
        yield "Missing in the copy and created there: " + ", ".join(
            os.fsdecode(b"/" + name) for name in made
        )
    at = {name: os.path.join(place, name) for name in found}
    if b"dev" in at:
        bind(b"/dev", at[b"dev"])
        if read_only_elsewhere:
            mount_private_devices(at[b"dev"])
    if b"sys" in at:
        bind(b"/sys", at[b"sys"])
        make_read_only(at[b"sys"])
    with ExitStack() as stack:
        opened = [(path, stack.enter_context(open_path(path, directory=False))) for path in sockets]
        yield from _show_memory(place, live)
        for path, descriptor in opened:
            with suppress(OSError):  # the copy has no such path, and the socket is not reachable
                bind(held(descriptor), place + path)
    if b"proc" in at:
        yield from mount_proc(at[b"proc"])
        if read_only_elsewhere:
            protect_kernel_files(at[b"proc"])
    change_root(place)


def mount_proc(place: bytes) -> Iterator[str]:
    """Mount a /proc that shows only the sandbox's processes."""
    try:
        mount(b"proc", place, NO_SETUID | NO_DEVICES | NO_EXEC)
    except OSError as error:  # refused in a container whose own /proc is partly masked
        if place != b"/proc":
            bind(b"/proc", place)
        yield f"Cannot mount a private /proc: {error.strerror}"


def _show_memory(place: bytes, live: bytes) -> Iterator[str]:
    """Show what the live machine keeps in memory, as overlays; yield a note on what cannot be shown."""
    with ExitStack() as stack:
        scratch: bytes | None = None
        for path, source in _memory_directories(live):
            target = place + path
            if not _make_directory(place, path):
                continue
            try:
                directory = stack.enter_context(open_path(source))
                if scratch is None:
                    mount(b"tmpfs", target, NO_SETUID | NO_DEVICES, b"mode=700")
                    scratch = held(stack.enter_context(open_path(target)))  # covered from here on
                mount_private_overlay(scratch, directory, target)
            except OSError as error:
                mount(b"tmpfs", target, NO_SETUID | NO_DEVICES, b"mode=1777")
                yield f"Live files are not visible: {os.fsdecode(path)!r}: {error.strerror}"


def _memory_directories(live: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the paths in a machine that are in memory, outer ones first, with their live paths."""
    shown: list[bytes] = []
    for name, one in sorted(mounts_below(live, read_mounts()).items()):
        path = b"/" + name
        if one.kind in _IN_MEMORY:
            if path in _SHOWN or any(is_below(path, above) for above in shown):
                shown.append(path)
                yield path, one.point
    yield b"/dev/shm", b"/dev/shm"  # `/dev` is the live one, wherever the machine is


def _make_directory(place: bytes, path: bytes) -> bool:
    """Create a directory in the copy if it is missing; return whether no symlink leads elsewhere."""
    at = os.path.realpath(place)
    for name in path.strip(b"/").split(b"/"):
        at = os.path.join(at, name)
        with suppress(FileExistsError):
            os.mkdir(at)
        if not is_real_directory(at):
            return False
    return True


def _can_mount_at(place: bytes, name: bytes) -> bool:
    """Return whether `name` can be a mount point; a symlink would lead elsewhere."""
    path = os.path.join(place, name)
    return is_real_directory(path) or not os.path.lexists(path)


def _create_mount_point(path: bytes) -> bool:
    if os.path.lexists(path):
        return False
    os.mkdir(path)
    return True
