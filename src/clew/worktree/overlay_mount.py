"""Overlay mounts: an unchanged lower directory, and an upper one that receives what is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from clew.worktree.namespaces import held, is_first_user_namespace, mount

OF_A_COPY = (
    b"redirect_dir=on,index=on,metacopy=off,xino=auto,volatile",
    b"redirect_dir=on,index=on,metacopy=off,xino=auto",  # `volatile` needs Linux 5.10
    b"redirect_dir=on",
    b"",
)
"""Options for a base that nothing changes, best first.  Volatile: unmounting does not wait for the disk."""
OF_A_LIVE_DIRECTORY = (b"redirect_dir=on,index=off,metacopy=off,volatile", b"redirect_dir=on", b"")
"""The same for a directory that other processes change meanwhile: an index would refuse that."""
_IN_A_USER_NAMESPACE = (b"userxattr,volatile", b"userxattr")


def mount_overlay(
    target: bytes, lower: int, upper: int, work: int, ways: tuple[bytes, ...], flags: int = 0
) -> None:
    """Mount an overlay of three open directories; of the options in `ways`, the first that works."""
    if not is_first_user_namespace():
        ways = _IN_A_USER_NAMESPACE
    # By descriptor: no path needs escaping or is too long.
    layers = b"lowerdir=%s,upperdir=%s,workdir=%s" % (held(lower), held(upper), held(work))
    for options in ways:
        try:
            mount(b"overlay", target, flags, b",".join(filter(None, (layers, options))))
        except OSError:
            if options == ways[-1]:
                raise
        else:
            break


@contextmanager
def open_path(path: bytes, *, directory: bool = True) -> Iterator[int]:
    """Open a path only to name it: it stays reachable when another mount covers it."""
    flags = os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW * (not directory)
    descriptor = os.open(path, flags | os.O_DIRECTORY * directory)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
