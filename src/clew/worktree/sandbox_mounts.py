"""Sandbox mounts: the filesystem view of a sandboxed command, in private mount namespaces.

The copy is mounted over the workspace's path, which also covers all mounts in the live workspace.
The process that holds the sandbox sees this too.  The rest (private temporary directories, a
read-only store, another root) applies to the command only.
Anything that becomes covered and is still needed is opened first and bind-mounted inside.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress

from clew.model.named_tuple import NamedTuple
from clew.worktree.live_sockets import hide_sockets, show_sockets
from clew.worktree.machine_root import mount_proc
from clew.worktree.mounts import read_mounts
from clew.worktree.namespaces import (
    NO_DEVICES,
    bind,
    change_root,
    held,
    is_first_user_namespace,
    make_read_only,
    make_writable,
    mount,
    refuse_devices,
)
from clew.worktree.overlay_mount import OF_A_COPY, mount_overlay, open_path
from clew.worktree.private_devices import mount_private_devices, protect_kernel_files
from clew.worktree.private_directories import (
    is_below,
    is_real_directory,
    make_private,
    rebind,
    temporary_directories,
)


class OverlayCopy(NamedTuple):
    """A copy as an overlay: an unchanged base, and an upper layer for changes.

    All are absolute paths of existing directories.
    """

    base: bytes
    upper: bytes
    """Empty, and on the same filesystem as `work`."""
    work: bytes
    merged: bytes
    """The mount point of the overlay."""


class FullCopy(NamedTuple):
    """A copy that is a complete directory, given by an absolute path."""

    directory: bytes


class Net:
    """The network of a command."""

    OWN = "own"
    """Loopback only: no live server can answer in place of one in the copy."""
    HOST = "host"


class SandboxSpec(NamedTuple):
    """The environment that a command sees."""

    path: bytes
    """The workspace's absolute path, where the command sees the copy."""
    copy: OverlayCopy | FullCopy
    machine: bytes | None = None
    """The live root of a machine: the copy becomes `/`."""
    net: str = Net.OWN
    read_only_elsewhere: bool = False
    """Only the copy and the temporary directories are writable."""
    store: bytes | None = None
    """The store's directory, always read-only for the command."""
    hidden_sockets: tuple[bytes, ...] = ()
    """Live unix sockets that the command must not reach."""
    sockets: tuple[bytes, ...] = ()
    """Live unix sockets that it may use."""


# For the process that holds the sandbox


def mount_copy(spec: SandboxSpec) -> bytes:
    """Mount the copy over the workspace and return its path; a machine's copy stays elsewhere."""
    path, store = spec.path, spec.store
    place = _prepare_copy(spec.copy)
    if spec.machine is not None:
        return place
    with ExitStack() as stack:
        copy = stack.enter_context(open_path(place))
        kept = stack.enter_context(open_path(store)) if store and is_below(store, path) else None
        prefix = _provide_directory(path)
        bind(held(copy), prefix + path)
        if store and kept is not None:  # the copy does not contain the store, and the body needs it
            os.makedirs(prefix + store, exist_ok=True)
            bind(held(kept), prefix + store)
        if prefix:
            change_root(prefix)
    return path


def _prepare_copy(copy: OverlayCopy | FullCopy) -> bytes:
    if isinstance(copy, FullCopy):
        return copy.directory
    with (
        open_path(copy.base) as base,
        open_path(copy.upper) as upper,
        open_path(copy.work) as work,
    ):
        mount_overlay(copy.merged, base, upper, work, OF_A_COPY)
    return copy.merged


def _provide_directory(path: bytes) -> bytes:
    """Provide a directory at `path` without writing to disk.

    If there is none, a tmpfs with the same entries is mounted over its nearest existing ancestor.
    If that ancestor is the root, the tmpfs is mounted elsewhere, and that path is returned.
    """
    above, missing = _nearest_directory(path)
    if not missing:
        return b""
    prefix = b"" if above != b"/" else _directory_without_mounts()
    target = prefix or above
    with open_path(above) as old, open_path(target) as covered:
        status = os.stat(above)
        mount(b"tmpfs", target, NO_DEVICES, b"mode=%o" % stat.S_IMODE(status.st_mode))
        with suppress(OSError):  # an owner that is not mapped in our user namespace
            os.chown(target, status.st_uid, status.st_gid)
        for name in os.listdir(held(old)):
            if name == missing[0]:
                continue  # exists, but is not a directory
            if prefix == b"/" + name:
                os.mkdir(target + prefix)
                bind(held(covered), target + prefix, whole=False)  # without the tmpfs over it
            else:
                rebind(held(old) + b"/" + name, os.path.join(target, name))
        os.makedirs(os.path.join(target, *missing))
    return prefix


def _nearest_directory(path: bytes) -> tuple[bytes, list[bytes]]:
    """Return the nearest real directory at or above `path`, and the missing names."""
    above, names = b"/", [name for name in path.split(b"/") if name]
    while names:
        try:
            mode = os.lstat(os.path.join(above, names[0])).st_mode
        except OSError:
            break
        if not stat.S_ISDIR(mode):
            break
        above = os.path.join(above, names.pop(0))
    return above, names


def _directory_without_mounts() -> bytes:
    """Return a directory of the root that contains no mounts."""
    points = [one.point for one in read_mounts()]
    for path in sorted(os.path.join(b"/", name) for name in os.listdir(b"/")):
        if is_real_directory(path):
            if not any(point == path or is_below(point, path) for point in points):
                return path
    raise FileNotFoundError(errno.ENOENT, "No directory without mounts", b"/")


# For the command only


def mount_private_view(spec: SandboxSpec) -> Iterator[str]:
    """Set up the command's private mounts around the copy; yield what could not be isolated."""
    path, store = spec.path, spec.store
    if spec.read_only_elsewhere:
        make_read_only(b"/")
        if is_first_user_namespace():  # other users cannot create devices
            refuse_devices(b"/")
        make_writable(path)
    private = temporary_directories(path, os.environb)
    with ExitStack() as stack:
        sockets = [
            (one, stack.enter_context(open_path(one, directory=False))) for one in spec.sockets
        ]
        yield from make_private(path, private)
        show_sockets(sockets)
    hide_sockets(
        [
            one
            for one in spec.hidden_sockets
            if not any(is_below(one, at) for at in (path, *private))
        ],
        private[0] if private else None,
    )
    if spec.read_only_elsewhere:
        mount_private_devices(b"/dev")
    if store and os.path.isdir(store):
        bind(store, store)
        make_read_only(store)
        if is_below(path, store):
            make_writable(path)
    yield from mount_proc(b"/proc")
    if spec.read_only_elsewhere:
        protect_kernel_files(b"/proc")
