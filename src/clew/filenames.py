"""File names as text, where only text is taken, without losing a byte.

Names are bytes.  The interpreter turns them into text with the codec of the locale, and only
UTF-8 gives every name back.
"""

from __future__ import annotations

import os
import sys

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")
_MOST_LINKS = 40
"""As the kernel has it; a loop of symlinks ends there."""


def is_utf8() -> bool:
    """Tell whether text that the interpreter makes of a file name always gives its bytes back."""
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
    """Return a path that came as Unicode, as in JSON, so that `os.fsencode` makes it UTF-8."""
    if is_utf8():
        return text
    return as_argument(text.encode("utf-8", "surrogateescape"))


def as_sqlite_uri(raw: bytes) -> str:
    """Return a path as SQLite's kind of URI, which can spell bytes that are no text."""
    quoted = (chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in raw)
    return "file://" + "".join(quoted)  # an empty authority: a path may begin with two slashes


def normal_path(raw: bytes) -> bytes:
    """Return what `os.path.normpath` does, which goes by way of the locale's codec."""
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
    """Return what `os.path.abspath` does, without the locale's codec."""
    return normal_path(os.path.join(os.getcwdb(), raw))


def real_path(raw: bytes) -> bytes:
    """Return what `os.path.realpath` does, without the locale's codec."""
    if is_utf8():
        return os.path.realpath(raw)
    ahead = os.path.join(os.getcwdb(), raw).split(b"/")[::-1]
    found = b""
    links = 0
    while ahead:
        name = ahead.pop()
        if name in (b"", b"."):
            continue
        if name == b"..":
            found = os.path.dirname(found).rstrip(b"/")
            continue
        try:
            target = os.readlink(found + b"/" + name) if links < _MOST_LINKS else b""
        except OSError:  # no symlink, or nothing at all
            target = b""
        if not target:
            found += b"/" + name
            continue
        links += 1
        if target.startswith(b"/"):
            found = b""
        ahead += target.split(b"/")[::-1]
    return found or b"/"
