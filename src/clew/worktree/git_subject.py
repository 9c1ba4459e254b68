"""Commit subject: the subject of the commit that HEAD names, read from files without running git.

A fresh commit is a loose object, a clone has it in a pack; otherwise the reflog names it.
Every byte is untrusted: sizes are bounded, links are not followed, and neither is a ``.git`` file
that names another directory.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from clew.model.git_pack import GitPackIndex, ReadAt, read_object
from clew.model.named_tuple import NamedTuple
from clew.worktree.root import Root

_LIMIT = 1 << 20
"""The largest file and the largest object that is read."""
_MAX_PACKS = 200
_PACKS = b".git/objects/pack"
_HEX = b"0123456789abcdef"
_REFTABLE = b"refs/heads/.invalid"
"""What HEAD contains in a repository whose refs are in a reftable."""


class Subject(NamedTuple):
    """The subject of a commit, or why it cannot be read."""

    text: str
    """Empty if there is no repository or no commit."""
    problem: str = ""


def read_subject(root: bytes) -> Subject:
    """Return the subject of the commit that HEAD names."""
    try:
        if not stat.S_ISDIR(os.lstat(root + b"/.git").st_mode):
            return Subject("", ".git is not a directory")
        with Root(root) as opened:
            return _subject(opened)
    except (FileNotFoundError, NotADirectoryError):
        return Subject("")
    except OSError as error:
        return Subject("", f"{error.strerror or error}")


def _subject(root: Root) -> Subject:
    head = _read(root, b".git/HEAD")
    if head is None:
        return Subject("", ".git/HEAD is missing or unreadable")
    commit = _resolved(root, head.strip())
    if commit is None:
        return Subject("", "unsupported content of .git/HEAD")
    if not commit:
        return Subject("")  # no commit yet
    found = _from_object(root, commit)
    if not found:
        found = _from_reflog(root, commit) or found
    if found is None:
        return Subject("", f"no such object: {commit[:12].decode('ascii')}")
    return Subject(found.decode("utf-8", "replace"))


def _resolved(root: Root, head: bytes) -> bytes | None:
    """Return the id of the commit, empty if the branch has none yet, or None if it is not understood."""
    for _ in range(5):  # a symbolic ref may refer to another
        if _is_id(head):
            return head
        if not head.startswith(b"ref: "):
            return None
        name = head[5:]
        if not name.startswith(b"refs/") or b".." in name or name == _REFTABLE:
            return None
        head = (_read(root, b".git/" + name) or _packed_ref(root, name) or b"").strip()
        if not head:
            return b""
    return None


def _packed_ref(root: Root, name: bytes) -> bytes | None:
    for line in (_read(root, b".git/packed-refs") or b"").splitlines():
        identifier, _, found = line.partition(b" ")
        if found == name:
            return identifier
    return None


def _from_object(root: Root, commit: bytes) -> bytes | None:
    loose = _read(root, b".git/objects/" + commit[:2] + b"/" + commit[2:])
    if loose is None:
        raw = _packed_object(root, commit)
    else:
        try:
            raw = zlib.decompressobj().decompress(loose, _LIMIT).partition(b"\0")[2]
        except zlib.error:
            return None
    if raw is None or not raw.startswith(b"tree "):
        return None
    message = raw.partition(b"\n\n")[2]
    return message.strip().partition(b"\n")[0]


def _packed_object(root: Root, commit: bytes) -> bytes | None:
    """Return the content of an object, if a pack has it."""
    wanted = bytes.fromhex(commit.decode("ascii"))
    for path in _pack_paths(root):
        with _opened(root, path + b".idx") as read_index, _opened(root, path + b".pack") as read:
            if read_index is None or read is None:
                continue
            try:
                index = GitPackIndex(read_index, len(wanted))
                offset = index.offset(wanted)
                if offset is not None:
                    found = read_object(read, index, offset, _LIMIT)
                    return found.content if found else None
            except (ValueError, OSError):
                continue
    return None


def _pack_paths(root: Root) -> list[bytes]:
    """Return the paths of the packs that have an index, without suffix."""
    try:
        directory = root.open_directory(_PACKS)
    except OSError:
        return []
    try:
        names = sorted(os.fsencode(name) for name in os.listdir(directory))
    finally:
        os.close(directory)
    indexes = [name for name in names if name.endswith(b".idx")]
    return [_PACKS + b"/" + name.removesuffix(b".idx") for name in indexes[:_MAX_PACKS]]


def _from_reflog(root: Root, commit: bytes) -> bytes | None:
    for line in reversed((_read(root, b".git/logs/HEAD", tail=True) or b"").splitlines()):
        about, _, message = line.partition(b"\t")
        if about.split(b" ", 2)[1:2] == [commit] and message.startswith(b"commit"):
            return message.partition(b": ")[2]
    return None


def _read(root: Root, path: bytes, *, tail: bool = False) -> bytes | None:
    descriptor = _open(root, path)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if tail:
            file.seek(max(0, os.fstat(descriptor).st_size - _LIMIT))
        return file.read(_LIMIT)


@contextmanager
def _opened(root: Root, path: bytes) -> Iterator[ReadAt | None]:
    """Open a regular file for reads at an offset; None if there is none."""
    descriptor = _open(root, path)
    if descriptor is None:
        yield None
        return
    try:
        yield lambda offset, size: os.pread(descriptor, size, offset)
    finally:
        os.close(descriptor)


def _open(root: Root, path: bytes) -> int | None:
    try:
        descriptor = root.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a FIFO must not block
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def _is_id(text: bytes) -> bool:
    return len(text) in (40, 64) and not text.strip(_HEX)
