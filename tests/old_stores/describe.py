"""A directory tree as plain values, for a manifest that outlives the code that wrote it."""

from __future__ import annotations

import hashlib
import os
import stat

Description = dict[str, list[object]]


def describe(root: str) -> Description:
    """Return path (in hexadecimal) → what is there; owners are left out, so any user can compare."""
    found: Description = {}
    inodes: dict[int, list[str]] = {}
    top = os.fsencode(root)
    for directory, names, files in os.walk(top):
        if directory == top:
            found[""] = _describe(top)
        for name in (*names, *files):
            path = os.path.join(directory, name)
            relative = os.path.relpath(path, top).hex()
            found[relative] = _describe(path)
            if not os.path.isdir(path) or os.path.islink(path):
                inodes.setdefault(os.lstat(path).st_ino, []).append(relative)
    for group in inodes.values():
        for linked in group:
            found[linked].append(sorted(group) if len(group) > 1 else [])
    return found


def _describe(path: bytes) -> list[object]:
    status = os.lstat(path)
    content = ""
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            content = hashlib.sha256(file.read()).hexdigest()
    elif stat.S_ISLNK(status.st_mode):
        content = os.readlink(path).hex()
    xattrs = {
        name: os.getxattr(path, name, follow_symlinks=False).hex()
        for name in os.listxattr(path, follow_symlinks=False)
        if name.startswith("user.")
    }
    return [status.st_mode, status.st_mtime_ns, content, xattrs]
