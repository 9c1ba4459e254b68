"""Program headers: the format of a program, its language and its origin.

Go embeds its version and the module in every program: 16 bytes of magic at an address that is a
multiple of 16, flags, and from the 33rd byte on length-prefixed strings (debug/buildinfo in Go's
sources).  Rust leaves its compiler's version in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LIMIT = 128 << 20
"""The read limit for one program."""

_GO_MAGIC = b"\xff Go buildinf:"
_GO_INLINE = 2
_GO_TEXTS = 32
_GO_FRAME = 16
"""Random bytes before the module list."""
_WINDOW_SIZE = 4096
"""How many bytes are needed after the magic."""
_MAX_TRIES = 64
_GO_VERSION = re.compile(rb"go([0-9][0-9A-Za-z.+-]{0,30})")
_MODULE = re.compile(rb"[\w./~+-]{1,120}")
_RUST = re.compile(rb"rustc version ([0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}[\w.-]{0,20}) \(")
_INTERPRETER = re.compile(r"[\w.+-]{1,40}")


def describe_program(pieces: Iterable[bytes]) -> str:
    """Return a short description of a program: `Go 1.22.1 (example.org/tool)`, `script (bash)`."""
    kind, rust, window, place = "", "", b"", 0
    for piece in pieces:
        window += piece
        if not window:
            continue
        if not kind:
            kind = _kind(window)
            if kind != "ELF":
                return kind
        go = _go(window, place)
        if go:
            return go
        rust = rust or _rust(window)
        place += max(0, len(window) - _WINDOW_SIZE)
        window = window[-_WINDOW_SIZE:]
        if place > LIMIT:
            break
    return rust or kind or "empty"


def _kind(head: bytes) -> str:
    if head.startswith(b"\x7fELF"):
        return "ELF"
    if head.startswith(b"#!"):
        return f"script ({_interpreter(head)})"
    if head.startswith(b"MZ"):
        return "Windows program"
    if head[:4] in (b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe"):
        return "Mach-O"
    return "data" if b"\0" in head[:1024] else "text"


def _interpreter(head: bytes) -> str:
    words = head[2:256].split(b"\n")[0].decode("ascii", "replace").split()
    names = [word.rpartition("/")[2] for word in words]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    return names[0] if names and _INTERPRETER.fullmatch(names[0]) else "unknown"


def _go(window: bytes, place: int) -> str:
    """Return the description of a Go program, if `window` contains its whole build info."""
    at = -1
    for _ in range(_MAX_TRIES):
        at = window.find(_GO_MAGIC, at + 1)
        if at < 0:
            break
        description = "" if (place + at) % 16 else _go_info(window[at : at + _WINDOW_SIZE])
        if description:
            return description
    return ""


def _go_info(info: bytes) -> str:
    if len(info) < _GO_TEXTS + 2 or not info[15] & _GO_INLINE:
        return ""
    version, rest = _text(info[_GO_TEXTS:])
    match = _GO_VERSION.match(version)
    if match is None:
        return ""
    modules, _ = _text(rest)
    module = _module(modules[_GO_FRAME:])
    name = f"Go {match[1].decode('ascii')}"
    return f"{name} ({module})" if module else name


def _text(content: bytes) -> tuple[bytes, bytes]:
    """Return the string that begins here, possibly truncated, and the rest."""
    length = shift = 0
    for at, byte in enumerate(content[:5]):
        length |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return content[at + 1 : at + 1 + length], content[at + 1 + length :]
    return b"", b""


def _module(text: bytes) -> str:
    """Return the module of the main program, or else its package path."""
    found: dict[bytes, bytes] = {}
    for line in text.split(b"\n")[:3]:
        word, _, rest = line.partition(b"\t")
        found.setdefault(word, rest)
    name, _, rest = found.get(b"mod", b"").partition(b"\t")
    version = rest.partition(b"\t")[0]
    name = name or found.get(b"path", b"")
    if not _MODULE.fullmatch(name):
        return ""
    known = version.startswith(b"v") and _MODULE.fullmatch(version)
    return b" ".join([name, version] if known else [name]).decode("ascii")


def _rust(window: bytes) -> str:
    match = _RUST.search(window)
    return f"Rust {match[1].decode('ascii')}" if match else ""
