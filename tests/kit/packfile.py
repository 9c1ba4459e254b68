"""Reads the outlines of a pack, as docs/format.md draws them, to know where to damage it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

BLOB = 1
RECORD = 8
_HEADER_BYTES = 16
_FRAME = struct.Struct("<4sB3xIIIII")
_ROW = struct.Struct("<BI32s")


class Frame(NamedTuple):
    """Where a frame's parts begin and end in its pack."""

    start: int
    table: int
    payload: int
    end: int
    kinds: tuple[int, ...]

    @property
    def holds_content(self) -> bool:
        return BLOB in self.kinds


def frames(pack: Path) -> list[Frame]:
    """Return the frames of a pack that is whole."""
    data = pack.read_bytes()
    assert data[:8] == b"CLEWPACK"
    found, at = [], _HEADER_BYTES
    while data[at : at + 4] == b"CLWF":
        _, _, count, _, stored, _, _ = _FRAME.unpack_from(data, at)
        table = at + _FRAME.size
        payload = table + count * _ROW.size
        rows = [_ROW.unpack_from(data, table + number * _ROW.size) for number in range(count)]
        found.append(Frame(at, table, payload, payload + stored, tuple(row[0] for row in rows)))
        at = payload + stored
    assert data[at : at + 4] == b"CLWE"
    assert at + 12 == len(data)
    return found


def packs(store: Path) -> list[Path]:
    """Return the packs of a store, oldest first."""
    return sorted((store / "packs").rglob("*.pack"), key=lambda path: path.stat().st_mtime_ns)
