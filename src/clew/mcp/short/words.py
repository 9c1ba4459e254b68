"""Words of a short answer: hostile text escaped, cut to a number of bytes."""

from __future__ import annotations

from clew.render.safe import safe

LINE = 200
"""Bytes of a sentence."""
PATH = 400
_ELLIPSIS = "…"


def line(text: str, most: int = LINE) -> str:
    """Return `text` on one line, escaped, in at most `most` bytes; what is cut ends in `…`."""
    return cut(safe(" ".join(text.split())), most)


def path(text: str) -> str:
    """Return a path, escaped, in at most `PATH` bytes."""
    return cut(safe(text), PATH)


def cut(text: str, most: int) -> str:
    """Return the beginning of `text` in at most `most` bytes."""
    raw = text.encode()
    if len(raw) <= most:
        return text
    kept = raw[: most - len(_ELLIPSIS.encode())]
    return kept.decode(errors="ignore").rstrip() + _ELLIPSIS


def block(text: str) -> str:
    """Return the lines of `text`, escaped."""
    return safe(text, keep="\n\t")


def end(text: str, most: int) -> str:
    """Return the last lines of `text`, escaped, in at most `most` bytes; it begins with `…` if cut."""
    raw = block(text).encode()
    if len(raw) <= most:
        return raw.decode()
    kept = raw[len(_ELLIPSIS.encode()) - most :].decode(errors="ignore")
    return _ELLIPSIS + kept


def digits(identifier: str | None) -> str | None:
    """Return the first digits of an id, which are a reference."""
    return identifier[:8] if identifier else None


def moment(time: str) -> str:
    """Return a time with seconds: `2026-01-05T10:30:00Z`."""
    return time[:19] + "Z" if len(time) > 19 else time
