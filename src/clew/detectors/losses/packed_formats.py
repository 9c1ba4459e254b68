"""Counts of records in packed formats: rows of arrays and spreadsheets.

`.npz`, `.xlsx` and `.ods` are zip archives; of each member only a bounded part is unpacked.
"""

from __future__ import annotations

import ast
import io
import zipfile
import zlib

_MAX_MEMBERS = 200
_HEADER = 1 << 12
_SHEETS = 16 << 20
"""How many bytes of all sheets are unpacked."""
_PIECE = 1 << 18
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, ValueError, KeyError, EOFError, OSError, NotImplementedError,
    RuntimeError, OverflowError,
)  # fmt: skip
"""What the standard library raises for an archive that was cut short or made to confuse it."""


def npy_rows(content: bytes) -> int | None:
    """Return the length of the first dimension of an array, from its header."""
    if not content.startswith(b"\x93NUMPY") or len(content) < 12:
        return None
    size = 2 if content[6] == 1 else 4
    length = int.from_bytes(content[8 : 8 + size], "little")
    header = content[8 + size : 8 + size + min(length, _HEADER)]
    try:
        shape = ast.literal_eval(header.decode("latin-1").strip()).get("shape")
    except (ValueError, SyntaxError, AttributeError, RecursionError, MemoryError):
        return None
    if not isinstance(shape, tuple) or not shape or not isinstance(shape[0], int):
        return None
    return int(shape[0])


def npz_rows(content: bytes) -> int | None:
    """Return the length of the longest array of an archive; None if it cannot be read."""
    try:
        return _npz_rows(content)
    except _DAMAGED:
        return None


def sheet_rows(content: bytes) -> int | None:
    """Return the number of rows of all sheets of a spreadsheet; None if it cannot be read."""
    try:
        return _sheet_rows(content)
    except _DAMAGED:
        return None


def _npz_rows(content: bytes) -> int | None:
    rows: list[int] = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.infolist()[:_MAX_MEMBERS]:
            if member.filename.endswith(".npy") and not member.flag_bits & 1:
                with archive.open(member) as stream:
                    found = npy_rows(stream.read(_HEADER))
                if found is not None:
                    rows.append(found)
    return max(rows, default=None)


def _sheet_rows(content: bytes) -> int | None:
    left, rows, sheets = _SHEETS, 0, 0
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in archive.infolist()[:_MAX_MEMBERS]:
            word = _row_word(member.filename)
            if not word or member.flag_bits & 1:
                continue
            sheets += 1
            with archive.open(member) as stream:
                end = b""
                while left > 0 and (piece := stream.read(min(_PIECE, left))):
                    left -= len(piece)
                    whole = end + piece
                    rows += whole.count(word)
                    end = whole[-len(word) + 1 :]
    return rows if sheets and left > 0 else None


def _row_word(name: str) -> bytes:
    if name.startswith("xl/worksheets/") and name.endswith(".xml"):
        return b"<row "
    return b"<table:table-row" if name == "content.xml" else b""
