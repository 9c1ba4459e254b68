"""Sandbox mounts: the filesystem view of a sandboxed command, in private mount namespaces.

The copy is mounted over the workspace's path, which also covers all mounts in the live workspace.
The process that holds the sandbox sees this too.  The rest (an empty ``/tmp``, a read-only store,
another root) applies to the command only.
Anything that becomes covered and is still needed is opened first and bind-mounted inside.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from clew.filenames import normal_path
from clew.model.named_tuple import NamedTuple
from clew.worktree.mounts import read_mounts
from clew.worktree.namespaces import (
    NO_DEVICES,
    NO_EXEC,
    NO_SETUID,
    bind,
    change_root,
    held,
    is_first_user_namespace,
    make_read_only,
    make_writable,
    mount,
)

PRIVATE_DIRECTORIES = (b"/tmp", b"/dev/shm")
_NEEDED_VARIABLES = (b"HOME", b"VIRTUAL_ENV")
"""Variables naming a directory that is bind-mounted again if a private directory covers it."""
_OVERLAY_OPTIONS_ROOT = (
    b"redirect_dir=on,index=on,metacopy=off,xino=auto,volatile",
    b"redirect_dir=on,index=on,metacopy=off,xino=auto",  # `volatile` needs Linux 5.10
    b"redirect_dir=on",
    b"",
)
_OVERLAY_OPTIONS_USER = (b"userxattr,volatile", b"userxattr")
"""Overlay options, best first.  Volatile: unmounting does not wait for the disk."""


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
    as_root: bool = False
    """A machine: the copy becomes `/`."""
    net: str = Net.OWN
    read_only_elsewhere: bool = False
    """Only the copy and the temporary directories are writable."""
    store: bytes | None = None
    """The store's directory, always read-only for the command."""


# For the process that holds the sandbox


def mount_copy(spec: SandboxSpec) -> bytes:
    """Mount the copy over the workspace and return its path; a machine's copy stays elsewhere."""
    path, store = spec.path, spec.store
    place = _prepare_copy(spec.copy)
    if spec.as_root:
        return place
    with ExitStack() as stack:
        copy = stack.enter_context(_open_path(place))
        kept = stack.enter_context(_open_path(store)) if store and is_below(store, path) else None
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
    ways = _OVERLAY_OPTIONS_ROOT if is_first_user_namespace() else _OVERLAY_OPTIONS_USER
    with (
        _open_path(copy.base) as base,
        _open_path(copy.upper) as upper,
        _open_path(copy.work) as work,
    ):
        # By descriptor: no path needs escaping or is too long.
        layers = b"lowerdir=%s,upperdir=%s,workdir=%s" % (held(base), held(upper), held(work))
        for options in ways:
            try:
                mount(b"overlay", copy.merged, 0, b",".join(filter(None, (layers, options))))
            except OSError:
                if options == ways[-1]:
                    raise
            else:
                break
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
    with _open_path(above) as old, _open_path(target) as covered:
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
                _rebind(held(old) + b"/" + name, os.path.join(target, name))
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
        if _is_real_directory(path):
            if not any(point == path or is_below(point, path) for point in points):
                return path
    raise FileNotFoundError(errno.ENOENT, "No directory without mounts", b"/")


def _rebind(source: bytes, target: bytes) -> None:
    """Bind-mount one entry of a covered directory into the directory that covers it."""
    try:
        mode = os.lstat(source).st_mode
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(source), target)
            return
        if stat.S_ISDIR(mode):
            os.mkdir(target)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
        bind(source, target)
    except FileNotFoundError:
        pass  # deleted meanwhile


# For the command only


def mount_private_view(spec: SandboxSpec) -> Iterator[str]:
    """Set up the command's private mounts around the copy; yield what could not be isolated."""
    path, store = spec.path, spec.store
    if spec.read_only_elsewhere:
        make_read_only(b"/")
        make_writable(path)
    for place in map(os.path.realpath, PRIVATE_DIRECTORIES):
        if os.path.isdir(place) and place != path and not is_below(place, path):
            _make_private(place, [path, *_needed_directories(store)])
    if store and os.path.isdir(store):
        bind(store, store)
        make_read_only(store)
        if is_below(path, store):
            make_writable(path)
    yield from _mount_proc(b"/proc")


def switch_root(place: bytes, *, read_only_elsewhere: bool) -> Iterator[str]:
    """Make the copy at `place` the root; yield what was created or could not be isolated."""
    bind(place, place)
    found = [
        name for name in (b"proc", b"dev", b"sys", b"run", b"tmp") if _can_mount_at(place, name)
    ]
    made = [name for name in found if _create_mount_point(os.path.join(place, name))]
    if made:
        yield "Missing in the copy and created there: " + ", ".join(
            os.fsdecode(b"/" + name) for name in made
        )
    at = {name: os.path.join(place, name) for name in found}
    if b"dev" in at:
        bind(b"/dev", at[b"dev"])
        if read_only_elsewhere:
            make_read_only(at[b"dev"])
        if _is_real_directory(at[b"dev"] + b"/shm"):
            _mount_tmpfs(at[b"dev"] + b"/shm")
    if b"sys" in at:
        bind(b"/sys", at[b"sys"])
        make_read_only(at[b"sys"])
    if b"run" in at:
        mount(b"tmpfs", at[b"run"], NO_SETUID | NO_DEVICES, b"mode=755")
    if b"tmp" in at:
        _mount_tmpfs(at[b"tmp"])
    if b"proc" in at:
        yield from _mount_proc(at[b"proc"])
    change_root(place)


def is_below(path: bytes, directory: bytes) -> bool:
    """Return whether an absolute path is strictly inside a directory."""
    return path != directory and path.startswith(directory.rstrip(b"/") + b"/")


def _needed_directories(store: bytes | None) -> Iterator[bytes]:
    """Yield directories that a command may need, wherever they are."""
    if store:
        yield store
    for variable in _NEEDED_VARIABLES:
        yield os.environb.get(variable, b"")
    yield from os.environb.get(b"PATH", b"").split(b":")


def _make_private(place: bytes, wanted: Iterable[bytes]) -> None:
    """Cover a directory with an empty tmpfs in which only the `wanted` paths stay visible."""
    kept: list[bytes] = []
    for path in sorted(normal_path(path) for path in wanted if is_below(path, place)):
        if os.path.isdir(path) and not any(path == one or is_below(path, one) for one in kept):
            kept.append(path)
    with ExitStack() as stack:
        sources = [stack.enter_context(_open_path(path)) for path in kept]
        _mount_tmpfs(place)
        for source, path in zip(sources, kept, strict=True):
            os.makedirs(path)
            bind(held(source), path)


def _mount_tmpfs(place: bytes) -> None:
    mount(b"tmpfs", place, NO_SETUID | NO_DEVICES, b"mode=1777")


def _mount_proc(place: bytes) -> Iterator[str]:
    """Mount a /proc that shows only the sandbox's processes."""
    try:
        mount(b"proc", place, NO_SETUID | NO_DEVICES | NO_EXEC)
    except OSError as error:  # refused in a container whose own /proc is partly masked
        if place != b"/proc":
            bind(b"/proc", place)
        yield f"Cannot mount a private /proc: {error.strerror}"


def _can_mount_at(place: bytes, name: bytes) -> bool:
    """Return whether `name` can be a mount point; a symlink would lead elsewhere."""
    path = os.path.join(place, name)
    return _is_real_directory(path) or not os.path.lexists(path)


def _create_mount_point(path: bytes) -> bool:
    if os.path.lexists(path):
        return False
    os.mkdir(path)
    return True


def _is_real_directory(path: bytes) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


@contextmanager
def _open_path(path: bytes) -> Iterator[int]:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
