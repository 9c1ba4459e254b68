"""Overlay limits: entries that overlayfs shows wrongly, and whether an overlay can be mounted.

Overlayfs stores its own metadata among the files: a character device 0/0 is a deletion, attributes
named ``overlay`` hold the rest.  It does not copy inode flags up, and the attribute that records a
renamed directory holds 256 bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial

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
from clew.worktree.run_in_child import run_in_child
from clew.worktree.sandbox_mounts import OverlayCopy
from clew.worktree.wait_child import Interrupts

LONGEST_DIRECTORY = 256


def breaks_in_overlay(
    directory: bytes, entry: Entry, attributes: Callable[[ObjectId], Iterable[bytes]]
) -> bool:
    """Return whether an overlay shows an entry, or the path of its `directory`, wrongly."""
    if entry.flags or len(directory) > LONGEST_DIRECTORY:
        return True
    if entry.kind == EntryKind.CHARACTER and entry.device == (0, 0):
        return True
    return entry.xattrs is not None and any(
        b".overlay." in name for name in attributes(entry.xattrs)
    )


def is_administrator() -> bool:
    """Return whether this is root of the first user namespace: others cannot rename in an overlay."""
    return os.geteuid() == 0 and may_administer() and is_first_user_namespace()


def can_be_mounted(layers: OverlayCopy) -> bool:
    """Return whether the filesystem of `layers` supports an overlay, by mounting one privately."""
    with Interrupts() as interrupts:
        return run_in_child(partial(_mount_overlay, layers), interrupts)


def _mount_overlay(layers: OverlayCopy, _: Interrupts) -> bool:
    """Mount in a namespace that ends with this process."""
    try:
        unshare(NEW_MOUNTS, "mounts")
        make_mounts_private()
        flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
        base, upper, work = (held(os.open(path, flags)) for path in layers[:3])
        options = b"lowerdir=%s,upperdir=%s,workdir=%s" % (base, upper, work)
        mount(b"overlay", layers.merged, 0, options)
    except OSError:
        return False
    return True
