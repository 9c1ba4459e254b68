"""Scan boundaries: mounts, the store itself, restore stages, and what the user's rules exclude.

A boundary is not entered; the tree has an *uncovered* entry with the reason in its place.
"""

from __future__ import annotations

import os
import sys

from clew.model import path as paths
from clew.model.entry import Reason
from clew.model.pattern import Patterns
from clew.model.small_objects import Rules
from clew.worktree.mounts import Mount, filesystem_of, mounts_below, read_mounts
from clew.worktree.syscalls import mount_id

STAGE_PREFIX = b".clew-"
_STAGE_DIGITS = 16


def stage_name() -> str:
    """Return a new name for a restore's stage."""
    return STAGE_PREFIX.decode() + os.urandom(_STAGE_DIGITS // 2).hex()


def is_stage_name(name: bytes) -> bool:
    """Return whether a name has the form of a restore's stage."""
    digits = name[len(STAGE_PREFIX) :]
    return (
        name.startswith(STAGE_PREFIX)
        and len(digits) == _STAGE_DIGITS
        and not digits.strip(b"0123456789abcdef")
    )


class Boundaries:
    """The paths that a scan of one root must not enter."""

    def __init__(self, root: bytes, rules: Rules, store: bytes | None) -> None:
        self.patterns = Patterns(rules.patterns)
        self.largest = sys.maxsize if rules.larger_than is None else rules.larger_than
        """The size of the largest regular file that is captured."""
        self.machine = rules.machine
        self._special: dict[bytes, dict[bytes, int]] = {}
        mounts = read_mounts()
        self.own_filesystem = filesystem_of(root, mounts)
        self.entered_mounts: dict[bytes, int] = {}
        """Mounts inside the root that belong to the workspace, with their mount ids."""
        for path, mount in mounts_below(root, mounts).items():
            if rules.machine and mount.is_local:
                if _is_visible(mount):  # if not, the path is a directory of the mount above it
                    self.entered_mounts[path] = mount.number
            else:
                self._add(path, Reason.PSEUDO if mount.is_pseudo else Reason.MOUNT)
        prefix = root.rstrip(b"/") + b"/"
        if store is not None and store.startswith(prefix):
            self._add(store[len(prefix) :], Reason.STORE)

    @property
    def is_local(self) -> bool:
        """Whether file times come from this machine's clock."""
        return self.own_filesystem is None or (
            self.own_filesystem.is_local or self.own_filesystem.is_pseudo
        )

    def special(self, directory: bytes) -> dict[bytes, int] | None:
        """Return the names in `directory` that are boundaries, with the reason; usually None."""
        return self._special.get(directory)

    def excludes(self, directory: bytes, name: bytes, is_directory: bool) -> bool:
        """Return whether the user's patterns exclude a name."""
        return self.patterns.excludes(paths.join(directory, name), is_directory)

    def _add(self, path: bytes, reason: int) -> None:
        parent = self._special.setdefault(paths.parent_of(path), {})
        parent[paths.name_of(path)] = reason


def _is_visible(mount: Mount) -> bool:
    """Return whether a mount is what its path shows: another may cover it, or a directory above."""
    try:
        found = os.open(mount.point, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return mount_id(found) == mount.number
    finally:
        os.close(found)
