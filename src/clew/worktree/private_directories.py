"""Private directories: temporary directories as a sandboxed command sees them.

Each shows what the live directory shows.  What the command writes there is kept in memory and
discarded: an overlay, whose upper layer is in a tmpfs.  Unix sockets and named pipes of live
processes are visible in an overlay, but not connected to them.

Mounts inside a live directory are not part of its overlay and are bound again.  Where an overlay
cannot be mounted, each entry of the live directory is shown by itself.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress

from clew.model.named_tuple import NamedTuple
from clew.worktree.mounts import mounts_below, read_mounts
from clew.worktree.namespaces import NO_DEVICES, NO_SETUID, bind, held, make_read_only, mount
from clew.worktree.overlay_mount import OF_A_LIVE_DIRECTORY, mount_overlay, open_path

_DIRECTORIES = (b"/tmp", b"/var/tmp", b"/dev/shm")
_VARIABLES = (b"TMPDIR", b"XDG_RUNTIME_DIR")
_MOST_ENTRIES = 1000
"""Entries that are bound where there is no overlay."""


def is_below(path: bytes, directory: bytes) -> bool:
    """Return whether an absolute path is strictly inside a directory."""
    return path != directory and path.startswith(directory.rstrip(b"/") + b"/")


def is_real_directory(path: bytes) -> bool:
    """Return whether a path is a directory, and not a symlink to one."""
    return os.path.isdir(path) and not os.path.islink(path)


def temporary_directories(root: bytes, environ: Mapping[bytes, bytes]) -> list[bytes]:
    """Return the temporary directories outside a workspace, outermost first."""
    named = [environ.get(name, b"") for name in _VARIABLES]
    paths = {os.path.realpath(path) for path in (*_DIRECTORIES, *named) if path.startswith(b"/")}
    return sorted(
        path for path in paths - {b"/", root} if os.path.isdir(path) and not is_below(path, root)
    )


class _Live(NamedTuple):
    """A live directory and the outermost mounts in it, opened before they are covered."""

    place: bytes
    directory: int
    mounts: tuple[tuple[bytes, int], ...]
    """The path of each, and the open mount."""


def make_private(root: bytes, places: Iterable[bytes]) -> Iterator[str]:
    """Make live directories private; yield a note on each that cannot be shown as it is.

    `root` is the workspace, whose mount must stay visible; other mounts may vanish meanwhile.
    """
    with ExitStack() as stack:
        opened = [_open_live(place, stack) for place in places]
        if not opened:
            return
        mount(b"tmpfs", opened[0].place, NO_SETUID | NO_DEVICES, b"mode=700")
        scratch = stack.enter_context(open_path(opened[0].place))
        private: list[bytes] = []
        for live in opened:
            if _is_private(live.place, private):
                continue
            try:
                mount_private_overlay(held(scratch), live.directory, live.place)
                private.append(live.place)
            except OSError:
                # In a user namespace: a directory with mounts in it, which an overlay would uncover.
                yield from _show_entries(held(scratch), live)
            for point, opened_mount in live.mounts:
                try:
                    _create_mount_point(point, opened_mount)
                    bind(held(opened_mount), point)
                except OSError:
                    if point == root:
                        raise


def _is_private(place: bytes, private: Iterable[bytes]) -> bool:
    """Return whether a directory is in a private one, and not in a mount that was bound again."""
    device = os.stat(place).st_dev
    return any(is_below(place, one) and os.stat(one).st_dev == device for one in private)


def _open_live(place: bytes, stack: ExitStack) -> _Live:
    directory = stack.enter_context(open_path(place))
    opened: list[tuple[bytes, int]] = []
    for name in sorted(mounts_below(place, read_mounts())):
        point = os.path.join(place, name)
        if any(is_below(point, one) for one, _ in opened):
            continue  # bound with the mount that it is in
        with suppress(OSError):  # covered by another mount
            is_directory = stat.S_ISDIR(os.lstat(point).st_mode)
            opened.append((point, stack.enter_context(open_path(point, directory=is_directory))))
    return _Live(place, directory, tuple(opened))


def mount_private_overlay(scratch: bytes, live: int, target: bytes) -> None:
    """Mount an overlay of an open directory, with its upper layer in `scratch`."""
    upper, work = tempfile.mkdtemp(dir=scratch), tempfile.mkdtemp(dir=scratch)
    status = os.stat(held(live))  # those of the upper layer are shown
    with suppress(OSError):  # an owner that is not mapped in our user namespace
        os.chown(upper, status.st_uid, status.st_gid)
    os.chmod(upper, stat.S_IMODE(status.st_mode))
    with open_path(upper) as over, open_path(work) as beside:
        mount_overlay(target, live, over, beside, OF_A_LIVE_DIRECTORY, NO_SETUID | NO_DEVICES)


def _show_entries(scratch: bytes, live: _Live) -> Iterator[str]:
    """Show the entries of a directory that cannot be overlaid as a whole, each by itself."""
    mode = stat.S_IMODE(os.stat(held(live.directory)).st_mode)
    mount(b"tmpfs", live.place, NO_SETUID | NO_DEVICES, b"mode=%o" % mode)
    names = os.listdir(held(live.directory))
    is_complete = len(names) <= _MOST_ENTRIES
    for name in names[:_MOST_ENTRIES]:
        source, target = (os.path.join(one, name) for one in (held(live.directory), live.place))
        try:
            if stat.S_ISDIR(os.lstat(source).st_mode):
                os.mkdir(target)
                with open_path(source) as directory:
                    mount_private_overlay(scratch, directory, target)
                continue
        except OSError:  # with mounts in it, or another user's
            with suppress(OSError):
                os.rmdir(target)
        with suppress(OSError):
            rebind(source, target)
            if not os.path.islink(target):
                is_complete = False
                make_read_only(target)
    if not is_complete:
        yield f"Some live files cannot be written, or are not visible: {os.fsdecode(live.place)!r}"


def rebind(source: bytes, target: bytes) -> None:
    """Bind one entry of a covered directory into the directory that covers it."""
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


def _create_mount_point(point: bytes, opened: int) -> None:
    """Create what a mount covers, where the live directory has it only in another mount."""
    if os.path.lexists(point):
        return
    if stat.S_ISDIR(os.fstat(opened).st_mode):
        os.makedirs(point)
    else:
        os.makedirs(os.path.dirname(point), exist_ok=True)
        os.close(os.open(point, os.O_CREAT | os.O_WRONLY, 0o600))
