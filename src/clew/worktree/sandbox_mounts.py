"""Surroundings: what a command in an enclosure sees, made of mounts that nobody else sees.

The copy is put over the workspace's path, and thereby over all that is mounted in the live one.
That much is for the process that holds the enclosure too; the rest (an empty ``/tmp``, a store that
cannot be written, another root) is for the command alone.
Whatever is covered by this and still wanted is held open before, and shown again inside.
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
    NO_PROGRAMS,
    NO_SETUID,
    bind,
    change_root,
    held,
    is_first_user_namespace,
    make_read_only,
    make_writable,
    mount,
)

PRIVATE_PLACES = (b"/tmp", b"/dev/shm")
_WANTED_VARIABLES = (b"HOME", b"VIRTUAL_ENV")
"""Variables with a directory that is shown again when it lies in a private place."""
_FOR_ROOT = (
    b"redirect_dir=on,index=on,metacopy=off,xino=auto,volatile",
    b"redirect_dir=on,index=on,metacopy=off,xino=auto",  # `volatile` came with Linux 5.10
    b"redirect_dir=on",
    b"",
)
_FOR_OTHERS = (b"userxattr,volatile", b"userxattr")
"""Options for an overlay, best first.  Volatile: nobody waits for the disk when it is put away."""


class Layers(NamedTuple):
    """A copy as an overlay: a base that stays as it is, and a place for what changes.

    All are existing directories, given by absolute paths.
    """

    base: bytes
    upper: bytes
    """Empty, and on one filesystem with `work`."""
    work: bytes
    merged: bytes
    """Where both are seen as one."""


class Whole(NamedTuple):
    """A copy that is a directory of its own, given by an absolute path."""

    directory: bytes


class Net:
    """Which network a command has."""

    OWN = "own"
    """Only itself to talk to: no live server answers for the past."""
    HOST = "host"


class Enclosure(NamedTuple):
    """What a command is to see."""

    path: bytes
    """The workspace's absolute path: what the command sees there is the copy."""
    copy: Layers | Whole
    as_root: bool = False
    """A machine: the copy becomes `/`."""
    net: str = Net.OWN
    read_only_elsewhere: bool = False
    """Nothing but the copy and the temporary directories can be written."""
    store: bytes | None = None
    """The store's directory, which the command can never write."""


# For the process that holds the enclosure


def show_copy(enclosure: Enclosure) -> bytes:
    """Put the copy where the workspace is, and return where it is seen: elsewhere for a machine."""
    path, store = enclosure.path, enclosure.store
    place = _assemble(enclosure.copy)
    if enclosure.as_root:
        return place
    with ExitStack() as stack:
        copy = stack.enter_context(_hold(place))
        kept = stack.enter_context(_hold(store)) if store and is_below(store, path) else None
        prefix = _make_room(path)
        bind(held(copy), prefix + path)
        if store and kept is not None:  # the copy has no store in it, and the body needs one
            os.makedirs(prefix + store, exist_ok=True)
            bind(held(kept), prefix + store)
        if prefix:
            change_root(prefix)
    return path


def _assemble(copy: Layers | Whole) -> bytes:
    if isinstance(copy, Whole):
        return copy.directory
    ways = _FOR_ROOT if is_first_user_namespace() else _FOR_OTHERS
    with _hold(copy.base) as base, _hold(copy.upper) as upper, _hold(copy.work) as work:
        # By descriptor: no name needs escaping, and none is too long.
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


def _make_room(path: bytes) -> bytes:
    """See to it that there is a directory at `path`, on no disk.

    Where there is none, the nearest directory above becomes one in memory, with the same things in
    it.  When that is the root itself, the new one is made elsewhere, and its place is returned.
    """
    above, missing = _nearest(path)
    if not missing:
        return b""
    prefix = b"" if above != b"/" else _some_directory()
    target = prefix or above
    with _hold(above) as old, _hold(target) as covered:
        status = os.stat(above)
        mount(b"tmpfs", target, NO_DEVICES, b"mode=%o" % stat.S_IMODE(status.st_mode))
        with suppress(OSError):  # of somebody whom our user namespace does not know
            os.chown(target, status.st_uid, status.st_gid)
        for name in os.listdir(held(old)):
            if name == missing[0]:
                continue  # something is there by now that is no directory
            if prefix == b"/" + name:
                os.mkdir(target + prefix)
                bind(held(covered), target + prefix, whole=False)  # without what covers it
            else:
                _show_again(held(old) + b"/" + name, os.path.join(target, name))
        os.makedirs(os.path.join(target, *missing))
    return prefix


def _nearest(path: bytes) -> tuple[bytes, list[bytes]]:
    """Return the nearest real directory at or above `path`, and the names that are missing."""
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


def _some_directory() -> bytes:
    """Return a directory in the root in which nothing is mounted."""
    points = [one.point for one in read_mounts()]
    for path in sorted(os.path.join(b"/", name) for name in os.listdir(b"/")):
        if _is_real_directory(path):
            if not any(point == path or is_below(point, path) for point in points):
                return path
    raise FileNotFoundError(errno.ENOENT, "No directory without mounts", b"/")


def _show_again(source: bytes, target: bytes) -> None:
    """Show one thing of a covered directory in the one that covers it."""
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
        pass  # it went while we looked


# For the command alone


def close_in(enclosure: Enclosure) -> Iterator[str]:
    """Give the command its own surroundings around the copy; yield what could not be had."""
    path, store = enclosure.path, enclosure.store
    if enclosure.read_only_elsewhere:
        make_read_only(b"/")
        make_writable(path)
    for place in map(os.path.realpath, PRIVATE_PLACES):
        if os.path.isdir(place) and place != path and not is_below(place, path):
            _make_private(place, [path, *_wanted(store)])
    if store and os.path.isdir(store):
        bind(store, store)
        make_read_only(store)
        if is_below(path, store):
            make_writable(path)
    yield from _own_processes(b"/proc")


def become_machine(place: bytes, *, read_only_elsewhere: bool) -> Iterator[str]:
    """Make the copy at `place` the root; yield what had to be made or could not be had."""
    bind(place, place)
    found = [name for name in (b"proc", b"dev", b"sys", b"run", b"tmp") if _is_point(place, name)]
    made = [name for name in found if _make_point(os.path.join(place, name))]
    if made:
        yield "The copy had none of these, so they were made in it: " + ", ".join(
            os.fsdecode(b"/" + name) for name in made
        )
    at = {name: os.path.join(place, name) for name in found}
    if b"dev" in at:
        bind(b"/dev", at[b"dev"])
        if read_only_elsewhere:
            make_read_only(at[b"dev"])
        if _is_real_directory(at[b"dev"] + b"/shm"):
            _mount_empty(at[b"dev"] + b"/shm")
    if b"sys" in at:
        bind(b"/sys", at[b"sys"])
        make_read_only(at[b"sys"])
    if b"run" in at:
        mount(b"tmpfs", at[b"run"], NO_SETUID | NO_DEVICES, b"mode=755")
    if b"tmp" in at:
        _mount_empty(at[b"tmp"])
    if b"proc" in at:
        yield from _own_processes(at[b"proc"])
    change_root(place)


def is_below(path: bytes, directory: bytes) -> bool:
    """Tell whether an absolute path lies inside a directory, and is not that directory."""
    return path != directory and path.startswith(directory.rstrip(b"/") + b"/")


def _wanted(store: bytes | None) -> Iterator[bytes]:
    """Yield directories that a command may count on, wherever they are."""
    if store:
        yield store
    for variable in _WANTED_VARIABLES:
        yield os.environb.get(variable, b"")
    yield from os.environb.get(b"PATH", b"").split(b":")


def _make_private(place: bytes, wanted: Iterable[bytes]) -> None:
    """Cover a directory with an empty one that keeps what is wanted of it."""
    kept: list[bytes] = []
    for path in sorted(normal_path(path) for path in wanted if is_below(path, place)):
        if os.path.isdir(path) and not any(path == one or is_below(path, one) for one in kept):
            kept.append(path)
    with ExitStack() as stack:
        sources = [stack.enter_context(_hold(path)) for path in kept]
        _mount_empty(place)
        for source, path in zip(sources, kept, strict=True):
            os.makedirs(path)
            bind(held(source), path)


def _mount_empty(place: bytes) -> None:
    mount(b"tmpfs", place, NO_SETUID | NO_DEVICES, b"mode=1777")


def _own_processes(place: bytes) -> Iterator[str]:
    """Show the processes of the enclosure, and no others."""
    try:
        mount(b"proc", place, NO_SETUID | NO_DEVICES | NO_PROGRAMS)
    except OSError as error:  # a container that hides parts of its own lets nobody have another
        if place != b"/proc":
            bind(b"/proc", place)
        yield f"/proc could not be made private: {error.strerror}"


def _is_point(place: bytes, name: bytes) -> bool:
    """Tell whether something can be mounted there; through a link it would be somewhere else."""
    path = os.path.join(place, name)
    return _is_real_directory(path) or not os.path.lexists(path)


def _make_point(path: bytes) -> bool:
    if os.path.lexists(path):
        return False
    os.mkdir(path)
    return True


def _is_real_directory(path: bytes) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


@contextmanager
def _hold(path: bytes) -> Iterator[int]:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
