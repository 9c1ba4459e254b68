"""Lossless conversion of file names between bytes and text.

Names are bytes.  The interpreter decodes them with the codec of the locale, and only UTF-8 with
surrogateescape is lossless.
"""

from __future__ import annotations

import os
import sys

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")
_MAX_LINKS = 40
"""The kernel's limit, which ends symlink loops."""


def is_utf8() -> bool:
    """Return whether the interpreter decodes every file name without loss."""
    return (
        sys.getfilesystemencoding() == "utf-8"
        and sys.getfilesystemencodeerrors() == "surrogateescape"
    )


def as_argument(raw: bytes) -> str:
    """Return text that `os.fsencode` turns into exactly these bytes, whatever the locale.

    `os.fsdecode` alone is not enough: the codec of EUC-JP reads three bytes as a tilde, which it
    writes as one.
    """
    text = os.fsdecode(raw)
    if is_utf8():
        return text
    try:
        if os.fsencode(text) == raw:
            return text
    except UnicodeEncodeError:
        pass
    return raw.decode("ascii", "surrogateescape")


def from_utf8(text: str) -> str:
    """Return a path given as Unicode (in JSON, for example), such that `os.fsencode` makes it UTF-8."""
    if is_utf8():
        return text
    return as_argument(text.encode("utf-8", "surrogateescape"))


def as_sqlite_uri(raw: bytes) -> str:
    """Return a path as an SQLite URI, which can hold bytes that are not UTF-8."""
    quoted = (chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in raw)
    return "file://" + "".join(quoted)  # an empty authority: a path may begin with two slashes


def normal_path(raw: bytes) -> bytes:
    """Do the same as `os.path.normpath`, without the locale's codec."""
    if is_utf8():
        return os.path.normpath(raw)
    start = b"/" if raw.startswith(b"/") else b""
    kept: list[bytes] = []
    for name in raw.split(b"/"):
        if name in (b"", b"."):
            continue
        if name != b".." or (not start and (not kept or kept[-1] == b"..")):
            kept.append(name)
        elif kept:
            kept.pop()
    return start + b"/".join(kept) or b"."


def absolute_path(raw: bytes) -> bytes:
    """Do the same as `os.path.abspath`, without the locale's codec."""
    return normal_path(os.path.join(os.getcwdb(), raw))


def real_path(raw: bytes) -> bytes:
    """Do the same as `os.path.realpath`, without the locale's codec."""
    if is_utf8():
        return os.path.realpath(raw)
    pending = os.path.join(os.getcwdb(), raw).split(b"/")[::-1]
    found = b""
    links = 0
    while pending:
        name = pending.pop()
        if name in (b"", b"."):
            continue
        if name == b"..":
            found = os.path.dirname(found).rstrip(b"/")
            continue
        try:
            target = os.readlink(found + b"/" + name) if links < _MAX_LINKS else b""
        except OSError:  # not a symlink, or does not exist
            target = b""
        if not target:
            found += b"/" + name
            continue
        links += 1
        if target.startswith(b"/"):
            found = b""
        pending += target.split(b"/")[::-1]
    return found or b"/"
