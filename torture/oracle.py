"""Oracle: reads a tree with plain system calls, and compares two of them.

It imports neither clew nor its tests.  Paths are bytes, relative to the root; the root has the
empty path.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_BLOCK = 1 << 20


class Entry(NamedTuple):
    """All that a restore promises about one path."""

    kind: int
    mode: int
    uid: int
    gid: int
    mtime_ns: int
    size: int
    content: bytes
    """SHA-256 of a file, target of a symlink, number of a device."""
    xattrs: tuple[tuple[bytes, bytes], ...]


class Tree(NamedTuple):
    """Entries by path, and the groups of hard links."""

    entries: dict[bytes, Entry]
    links: frozenset[frozenset[bytes]]


def read_tree(root: str, *, skip: bytes | None = None) -> Tree:
    """Return the tree below `root`, without top-level names that begin with `skip`."""
    entries: dict[bytes, Entry] = {}
    names: dict[tuple[int, int], set[bytes]] = {}
    for path, whole in _walk(os.fsencode(root), skip):
        status = os.lstat(whole)
        entries[path] = _entry(whole, status)
        if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
            names.setdefault((status.st_dev, status.st_ino), set()).add(path)
    return Tree(entries, frozenset(frozenset(n) for n in names.values() if len(n) > 1))


def differences(expected: Tree, actual: Tree, *, times: bool = True) -> list[str]:
    """Return one line for each difference; without `times`, modification times are ignored."""
    lines = []
    for path in sorted(expected.entries.keys() | actual.entries.keys()):
        old, new = expected.entries.get(path), actual.entries.get(path)
        if old is None or new is None:
            lines.append(f"{'missing' if new is None else 'unexpected'}: {path!r}")
            continue
        for field in Entry._fields:
            if field == "mtime_ns" and not times:
                continue
            was, became = getattr(old, field), getattr(new, field)
            if was != became:
                lines.append(f"{path!r}: {field} is {became!r}, expected {was!r}")
    lines += [f"hard links missing: {sorted(group)}" for group in expected.links - actual.links]
    lines += [f"hard links unexpected: {sorted(group)}" for group in actual.links - expected.links]
    return lines


def is_same(expected: Tree, actual: Tree, *, times: bool = True) -> bool:
    return not differences(expected, actual, times=times)


def files_with(root: str, needles: Iterable[bytes]) -> list[str]:
    """Return the files below `root` whose raw bytes contain one of `needles`."""
    wanted = list(needles)
    found = []
    for path, whole in _walk(os.fsencode(root), None):
        if stat.S_ISREG(os.lstat(whole).st_mode):
            with open(whole, "rb") as file:
                data = file.read()
            if any(needle in data for needle in wanted):
                found.append(os.fsdecode(path))
    return found


def _walk(root: bytes, skip: bytes | None) -> Iterator[tuple[bytes, bytes]]:
    yield b"", root
    pending = [b""]
    while pending:
        parent = pending.pop()
        with os.scandir(os.path.join(root, parent)) as found:
            children = sorted(found, key=lambda child: child.name)
        for child in children:
            if skip and not parent and child.name.startswith(skip):
                continue
            path = os.path.join(parent, child.name)
            yield path, child.path
            if child.is_dir(follow_symlinks=False):
                pending.append(path)


def _entry(path: bytes, status: os.stat_result) -> Entry:
    kind = stat.S_IFMT(status.st_mode)
    size, content = 0, b""
    if kind == stat.S_IFREG:
        size, content = status.st_size, _digest(path)
    elif kind == stat.S_IFLNK:
        content = os.readlink(path)
    elif kind in (stat.S_IFCHR, stat.S_IFBLK):
        content = b"%d" % status.st_rdev
    mode = stat.S_IMODE(status.st_mode)
    owner = status.st_uid, status.st_gid
    return Entry(kind, mode, *owner, status.st_mtime_ns, size, content, _xattrs(path))


def _digest(path: bytes) -> bytes:
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()


def _xattrs(path: bytes) -> tuple[tuple[bytes, bytes], ...]:
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        return ()
    return tuple(
        (os.fsencode(name), os.getxattr(path, name, follow_symlinks=False))
        for name in sorted(names)
    )
