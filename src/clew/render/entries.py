"""Text of a directory listing, in the form of `ls -l`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.entry import Entry, EntryKind, Reason
from clew.render import timestamps
from clew.render.columns import pad_left
from clew.render.safe import safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.model.results import Listing

_TYPE_LETTERS = {
    EntryKind.FILE: "-",
    EntryKind.DIRECTORY: "d",
    EntryKind.SYMLINK: "l",
    EntryKind.FIFO: "p",
    EntryKind.SOCKET: "s",
    EntryKind.CHARACTER: "c",
    EntryKind.BLOCK: "b",
    EntryKind.UNCOVERED: "?",
}


def lines(listing: Listing, look: Style) -> Iterator[str]:
    """Yield mode, owner, size, time and name of each entry."""
    rows = [_cells(entry, look) for entry in listing.entries]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for entry, row in zip(listing.entries, rows, strict=True):
        cells = [pad_left(cell, width) for cell, width in zip(row, widths, strict=True)]
        yield "  ".join([*cells, _name(entry, look)])


def mode_text(kind: int, mode: int) -> str:
    """Return `drwxr-xr-x`, with s, S, t and T for setuid, setgid and sticky."""
    letters = [
        letter if mode & (0o400 >> place) else "-" for place, letter in enumerate("rwxrwxrwx")
    ]
    for bit, place, letter in ((0o4000, 2, "s"), (0o2000, 5, "s"), (0o1000, 8, "t")):
        if mode & bit:
            letters[place] = letter if letters[place] == "x" else letter.upper()
    return _TYPE_LETTERS[kind] + "".join(letters)


def _cells(entry: Entry, look: Style) -> tuple[str, str, str, str]:
    if not entry.is_covered:
        return ("?" * 10, "?", "?", "?")
    size = f"{entry.device[0]},{entry.device[1]}" if _is_device(entry) else str(entry.size)
    owner = f"{entry.uid}:{entry.gid}"
    return (mode_text(entry.kind, entry.mode), owner, size, timestamps.minute(entry.mtime_ns, look))


def _name(entry: Entry, look: Style) -> str:
    name = safe_path(entry.name)
    match entry.kind:
        case EntryKind.DIRECTORY:
            return paint(f"{name}/", "cyan", look)
        case EntryKind.SYMLINK:
            return f"{name} -> {safe_path(entry.target)}"
        case EntryKind.UNCOVERED:
            return f"{name} (not covered: {Reason.NAMES.get(entry.reason, 'unknown')})"
        case _:
            return name


def _is_device(entry: Entry) -> bool:
    return entry.kind in (EntryKind.CHARACTER, EntryKind.BLOCK)
