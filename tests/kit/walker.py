"""Looks at a tree through directory descriptors, and remembers all of it.

It shares no code with clew, knows no longest path, and needs no tool, so it serves as the model
in property tests and as the oracle for paths deeper than PATH_MAX.  Where the tools can reach,
`oracle.py` asks them instead.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import resource
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

_GETFLAGS = 0x80086601
_FLAGS_SEEN = 0x70  # immutable, append-only, nodump


class Facts(NamedTuple):
    """One path, with everything a restore has to bring back."""

    kind: str
    mode: int
    owner: tuple[int, int]
    mtime_ns: int
    content: bytes
    """Digest of a file's bytes, a symlink's target, a device's number."""
    xattrs: tuple[tuple[str, bytes], ...]
    flags: int

    def without_time(self) -> Facts:
        return self._replace(mtime_ns=0)


class Tree(NamedTuple):
    """A whole tree: facts by path, the root's own under the empty path, and its hard links."""

    facts: dict[bytes, Facts]
    links: frozenset[frozenset[bytes]]

    def state(self) -> Tree:
        """Return the same tree, blind to times."""
        return Tree({path: fact.without_time() for path, fact in self.facts.items()}, self.links)

    def without(self, *tops: bytes) -> Tree:
        """Return the same tree without some names at its top."""
        facts = {p: f for p, f in self.facts.items() if p.split(b"/")[0] not in tops or not p}
        return Tree(facts, self.links)


def look(root: str | os.PathLike[str], *, leave_out: bytes | None = None) -> Tree:
    """Return what is on disk below `root`; names at the top starting with `leave_out` aside."""
    facts: dict[bytes, Facts] = {}
    names_of: dict[tuple[int, int], list[bytes]] = {}
    with _many_descriptors():
        top = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        status = os.fstat(top)
        facts[b""] = _facts_of(status, b"", f"/proc/self/fd/{top}", top)
        stack: list[tuple[int, bytes, Iterator[bytes]]] = [(top, b"", _names(top))]
        while stack:
            fd, path, names = stack[-1]
            name = next(names, None)
            if name is None:
                stack.pop()
                os.close(fd)
                continue
            if leave_out and not path and name.startswith(leave_out):
                continue
            below = path + b"/" + name if path else name
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            facts[below], child = _look_at(fd, name, status)
            if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
                names_of.setdefault((status.st_dev, status.st_ino), []).append(below)
            if child is not None:
                stack.append((child, below, _names(child)))
    groups = frozenset(frozenset(paths) for paths in names_of.values() if len(paths) > 1)
    return Tree(facts, groups)


def differences(expected: Tree, actual: Tree) -> list[str]:
    """Return one line for each path that differs; nothing means the trees are equal."""
    lines = []
    for path in sorted(expected.facts.keys() | actual.facts.keys()):
        old, new = expected.facts.get(path), actual.facts.get(path)
        if old == new:
            continue
        if old is None or new is None:
            lines.append(f"{'missing' if new is None else 'not wanted'}: {path!r}")
            continue
        fields = [
            f"{field} {getattr(old, field)!r} became {getattr(new, field)!r}"
            for field in Facts._fields
            if getattr(old, field) != getattr(new, field)
        ]
        lines.append(f"{path!r}: " + ", ".join(fields))
    lines += [f"links lost: {sorted(group)}" for group in expected.links - actual.links]
    lines += [f"links not wanted: {sorted(group)}" for group in actual.links - expected.links]
    return lines


def _names(fd: int) -> Iterator[bytes]:
    return iter(sorted(os.fsencode(name) for name in os.listdir(fd)))


def _look_at(parent: int, name: bytes, status: os.stat_result) -> tuple[Facts, int | None]:
    mode = status.st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
        content = b"" if stat.S_ISDIR(mode) else _digest(fd)
        facts = _facts_of(status, content, f"/proc/self/fd/{fd}", fd)
        if stat.S_ISDIR(mode):
            return facts, fd
        os.close(fd)
        return facts, None
    content = b""
    if stat.S_ISLNK(mode):
        content = os.readlink(name, dir_fd=parent)
    elif stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        content = b"%d:%d" % (os.major(status.st_rdev), os.minor(status.st_rdev))
    by_path = b"/proc/self/fd/%d/%s" % (parent, name)
    return _facts_of(status, content, by_path, None), None


def _facts_of(status: os.stat_result, content: bytes, path: str | bytes, fd: int | None) -> Facts:
    return Facts(
        kind={
            stat.S_IFREG: "file",
            stat.S_IFDIR: "directory",
            stat.S_IFLNK: "symlink",
            stat.S_IFIFO: "fifo",
            stat.S_IFSOCK: "socket",
            stat.S_IFCHR: "character device",
            stat.S_IFBLK: "block device",
        }[stat.S_IFMT(status.st_mode)],
        mode=stat.S_IMODE(status.st_mode),
        owner=(status.st_uid, status.st_gid),
        mtime_ns=status.st_mtime_ns,
        content=content,
        xattrs=_xattrs(path, follow=fd is not None),
        flags=_flags(fd),
    )


def _digest(fd: int) -> bytes:
    digest = hashlib.sha256()
    while block := os.read(fd, 1 << 20):
        digest.update(block)
    return digest.digest()


def _xattrs(path: str | bytes, *, follow: bool) -> tuple[tuple[str, bytes], ...]:
    try:
        names = os.listxattr(path, follow_symlinks=follow)
        return tuple((n, os.getxattr(path, n, follow_symlinks=follow)) for n in sorted(names))
    except OSError:
        return ()  # this filesystem has none for this kind of file


def _flags(fd: int | None) -> int:
    if fd is None:
        return 0
    try:
        found: int = struct.unpack("l", fcntl.ioctl(fd, _GETFLAGS, bytes(8)))[0]
    except OSError:
        return 0
    return found & _FLAGS_SEEN


@contextmanager
def _many_descriptors() -> Iterator[None]:
    """Allow one descriptor for each level of the deepest path, while the walk lasts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
