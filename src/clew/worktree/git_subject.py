"""The subject of the last git commit, read from files: git itself is never run.

Looked for where a fresh commit is, the loose object that HEAD names; then in the packs, where a
clone has it; then in the reflog.
Every byte is the workspace's and so hostile: sizes are bounded, links are not followed, and a
``.git`` that points elsewhere is not followed either.
"""

from __future__ import annotations

import os
import stat
import zlib

from clew.worktree.git_packs import packed_object
from clew.worktree.root import Root

_LIMIT = 1 << 20
_HEX = b"0123456789abcdef"


def last_subject(root: bytes) -> str | None:
    """Return the subject of the commit that HEAD names, if it can be read."""
    try:
        with Root(root) as opened:
            commit = _head(opened)
            if commit is None:
                return None
            subject = _from_object(opened, commit) or _from_reflog(opened, commit)
    except OSError:
        return None
    return subject.decode("utf-8", "replace") if subject else None


def _head(root: Root) -> bytes | None:
    head = (_read(root, b".git/HEAD") or b"").strip()
    for _ in range(5):  # a symbolic ref may name another
        if _is_id(head):
            return head
        if not head.startswith(b"ref: "):
            return None
        name = head[5:]
        if not name.startswith(b"refs/") or b".." in name:
            return None
        head = (_read(root, b".git/" + name) or _packed(root, name) or b"").strip()
    return None


def _packed(root: Root, name: bytes) -> bytes | None:
    for line in (_read(root, b".git/packed-refs") or b"").splitlines():
        identifier, _, found = line.partition(b" ")
        if found == name:
            return identifier
    return None


def _from_object(root: Root, commit: bytes) -> bytes | None:
    loose = _read(root, b".git/objects/" + commit[:2] + b"/" + commit[2:])
    if loose is None:
        raw = packed_object(root, commit)
    else:
        try:
            raw = zlib.decompressobj().decompress(loose, _LIMIT).partition(b"\0")[2]
        except zlib.error:
            return None
    if raw is None or not raw.startswith(b"tree "):
        return None
    message = raw.partition(b"\n\n")[2]
    return message.strip().partition(b"\n")[0]


def _from_reflog(root: Root, commit: bytes) -> bytes | None:
    for line in reversed((_read(root, b".git/logs/HEAD", tail=True) or b"").splitlines()):
        about, _, message = line.partition(b"\t")
        if about.split(b" ", 2)[1:2] == [commit] and message.startswith(b"commit"):
            return message.partition(b": ")[2]
    return None


def _read(root: Root, path: bytes, *, tail: bool = False) -> bytes | None:
    try:
        descriptor = root.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        if tail:
            file.seek(max(0, os.fstat(descriptor).st_size - _LIMIT))
        return file.read(_LIMIT)


def _is_id(text: bytes) -> bool:
    return len(text) in (40, 64) and not text.strip(_HEX)
