"""Path functions.

Inside clew a path is ``bytes``, relative to the workspace's root, with ``/`` between names and none at
either end; the root itself is ``b""``.
Text for users and for JSON is made only here: bytes that are not UTF-8 become replacement characters,
and JSON adds the exact bytes in base64.
"""

from __future__ import annotations

from binascii import b2a_base64
from bisect import bisect_left
from collections.abc import Sequence

ROOT = b""


def join(parent: bytes, name: bytes) -> bytes:
    """Return the path of `name` inside `parent`."""
    return parent + b"/" + name if parent else name


def parent_of(path: bytes) -> bytes:
    """Return the path of the directory that holds `path`."""
    return path.rpartition(b"/")[0]


def name_of(path: bytes) -> bytes:
    """Return the last name of `path`."""
    return path.rpartition(b"/")[2]


def is_within(path: bytes, ancestor: bytes) -> bool:
    """Return whether `path` is `ancestor` or lies below it."""
    return not ancestor or path == ancestor or path.startswith(ancestor + b"/")


def ancestors(path: bytes) -> list[bytes]:
    """Return the directories above `path`, nearest first, the root last."""
    found = []
    while path:
        path = parent_of(path)
        found.append(path)
    return found


def holds_any(directory: bytes, sorted_paths: Sequence[bytes]) -> bool:
    """Return whether any of `sorted_paths` lies below `directory`."""
    if not directory:
        return bool(sorted_paths)
    prefix = directory + b"/"
    at = bisect_left(sorted_paths, prefix)
    return at < len(sorted_paths) and sorted_paths[at].startswith(prefix)


def as_text(path: bytes) -> str:
    """Return `path` as text; bytes that are not UTF-8 become replacement characters."""
    return path.decode("utf-8", "replace")


def as_base64(path: bytes) -> str | None:
    """Return the exact bytes in base64 if `as_text` loses information, else None."""
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        return b2a_base64(path, newline=False).decode("ascii")
    return None
