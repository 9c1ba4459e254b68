"""Restore exercise: save every kind of file, change and delete them, restore, and compare.

The comparison shares no code with clew: it reads bytes and attributes with the calls of `os`.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from clew.agents.setup.exercise_space import ExerciseSpace

_XATTR = "user.clew.test"
_LARGE_BYTES = 3 << 20
"""Larger than what is stored in one piece."""
_OLD_NS = 1_000_000_000_123_456_789

Portrait = dict[bytes, tuple[object, ...]]


def restore_exercise(space: ExerciseSpace) -> list[str]:
    """Return what a restore did not bring back; empty if every byte and attribute is the same."""
    root = os.fsencode(space.workspace)
    _create(root)
    with space.open() as workspace:
        saved = workspace.save("exercise").checkpoint
        before = _portrait(root)
        _change(root)
        workspace.restore(saved.id.hex())
        return _differences(before, _portrait(root))


def _create(root: bytes) -> None:
    os.makedirs(os.path.join(root, b"directory", b"empty"))
    contents = {
        b"empty": b"",
        b"text": b"one\ntwo\n",
        b"directory/large": os.urandom(_LARGE_BYTES),
        b"sparse": b"end",
        b"program": b"#!/bin/sh\n",
        b"a name with\nbytes \xff": b"x",
    }
    for name, content in contents.items():
        with open(os.path.join(root, name), "wb") as file:
            if name == b"sparse":
                file.seek(_LARGE_BYTES)
            file.write(content)
    os.symlink(b"nowhere\xfe", os.path.join(root, b"link"))
    os.link(os.path.join(root, b"text"), os.path.join(root, b"directory/text"))
    os.mkfifo(os.path.join(root, b"fifo"))
    os.chmod(os.path.join(root, b"program"), 0o740)
    os.chmod(os.path.join(root, b"empty"), 0o400)
    os.chmod(os.path.join(root, b"directory"), 0o2700)
    with suppress(OSError):  # not every filesystem has them
        os.setxattr(os.path.join(root, b"text"), _XATTR, b"value")
    for name in (b"text", b"directory", b"link"):
        os.utime(os.path.join(root, name), ns=(_OLD_NS, _OLD_NS), follow_symlinks=False)


def _change(root: bytes) -> None:
    """Overwrite, delete, replace and add."""
    with open(os.path.join(root, b"directory/large"), "r+b") as file:
        file.write(b"changed")
    with open(os.path.join(root, b"text"), "wb") as file:
        file.write(b"other")
    os.chmod(os.path.join(root, b"program"), 0o644)
    for name in (b"empty", b"sparse", b"link", b"fifo"):
        os.unlink(os.path.join(root, name))
    os.rmdir(os.path.join(root, b"directory/empty"))
    os.mkdir(os.path.join(root, b"empty"))
    with open(os.path.join(root, b"added"), "wb") as file:
        file.write(b"added")


def _portrait(root: bytes) -> Portrait:
    """Return the content and attributes of every path, relative to `root`."""
    found: Portrait = {}
    for directory, directories, names in os.walk(root):
        for path in (directory, *(os.path.join(directory, name) for name in names)):
            found[os.path.relpath(path, root)] = _attributes(path)
        for name in directories:
            path = os.path.join(directory, name)
            if os.path.islink(path):
                found[os.path.relpath(path, root)] = _attributes(path)
    return found


def _attributes(path: bytes) -> tuple[object, ...]:
    status = os.lstat(path)
    content: bytes = b""
    if stat.S_ISLNK(status.st_mode):
        content = os.readlink(path)
    elif stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            content = file.read()
    links = 1 if stat.S_ISDIR(status.st_mode) else status.st_nlink
    return (
        ("type and mode", oct(status.st_mode)),
        ("owner", (status.st_uid, status.st_gid)),
        ("mtime", status.st_mtime_ns),
        ("content", content),
        ("hard links", links),
        ("extended attributes", _xattrs(path)),
    )


def _xattrs(path: bytes) -> tuple[tuple[str, bytes], ...]:
    try:
        names = os.listxattr(path, follow_symlinks=False)
        return tuple((name, os.getxattr(path, name, follow_symlinks=False)) for name in names)
    except OSError:
        return ()


def _differences(before: Portrait, after: Portrait) -> list[str]:
    lines = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old is None or new is None:
            lines.append(f"{'added' if old is None else 'missing'}: {os.fsdecode(path)!r}")
            continue
        differing = [str(one[0]) for one, other in zip(old, new, strict=True) if one != other]  # type: ignore[index]
        lines += [f"{what} differs: {os.fsdecode(path)!r}" for what in differing]
    return lines
