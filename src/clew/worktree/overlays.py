"""What an overlay shows faithfully, and whether one can be had here.

Overlayfs keeps its own marks among the files: a character device 0/0 is a deletion, attributes
named ``overlay`` are its notes.  It does not carry inode flags up, and the note that a directory
was renamed holds 256 bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId
from clew.worktree.namespaces import (
    NEW_MOUNTS,
    held,
    is_first_user_namespace,
    make_mounts_private,
    may_administer,
    mount,
    unshare,
)
from clew.worktree.sandbox_mounts import Layers

LONGEST_DIRECTORY = 256


def spoils_an_overlay(
    directory: bytes, entry: Entry, attributes: Callable[[ObjectId], Iterable[bytes]]
) -> bool:
    """Tell whether an entry, or the path of a `directory`, is shown wrongly by an overlay."""
    if entry.flags or len(directory) > LONGEST_DIRECTORY:
        return True
    if entry.kind == EntryKind.CHARACTER and entry.device == (0, 0):
        return True
    return entry.xattrs is not None and any(
        b".overlay." in name for name in attributes(entry.xattrs)
    )


def is_administrator() -> bool:
    """Tell whether we are root as everybody knows it; another's overlay cannot rename directories."""
    return os.geteuid() == 0 and may_administer() and is_first_user_namespace()


def can_be_mounted(layers: Layers) -> bool:
    """Tell, by doing it where nobody sees it, whether the filesystem of `layers` bears an overlay."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    status = 1
    try:
        unshare(NEW_MOUNTS, "mounts")
        make_mounts_private()
        flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
        base, upper, work = (held(os.open(path, flags)) for path in layers[:3])
        options = b"lowerdir=%s,upperdir=%s,workdir=%s" % (base, upper, work)
        mount(b"overlay", layers.merged, 0, options)
        status = 0
    except OSError:
        pass
    finally:
        os._exit(status)  # and the mount with us
