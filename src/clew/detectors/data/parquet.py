"""Parquet footer parser: the number of rows.

The footer is Thrift in the compact protocol: a struct of fields, each with a delta to its field
number and a type; field 3 of the outermost struct is the number of rows.
"""

from __future__ import annotations

_MAGIC = b"PAR1"
_ROWS = 3
_DEPTH = 16
_STEPS = 200_000

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)


def parquet_rows(tail: bytes) -> int | None:
    """Return the number of rows from the end of a file, or None if it states none."""
    if len(tail) < 12 or tail[-4:] != _MAGIC:
        return None
    size = int.from_bytes(tail[-8:-4], "little")
    if size > len(tail) - 8:
        return None
    return _Footer(tail[len(tail) - 8 - size : -8]).rows()


class _Footer:
    """Reads fields in sequence; raises ValueError for malformed input."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0
        self._steps = 0

    def rows(self) -> int | None:
        field = 0
        while True:
            field, kind = self._field(field)
            if not kind:
                return None
            if field == _ROWS and kind in _INTEGERS:
                number = self._number()
                return number >> 1 if not number & 1 else None  # zigzag: odd is negative
            self._skip(kind, 0)

    def _field(self, before: int) -> tuple[int, int]:
        """Return the number and the type of the next field; type 0 ends a struct."""
        head = self._byte()
        if head >> 4:
            return before + (head >> 4), head & 15
        if head & 15:
            number = self._number()
            return (number >> 1) ^ -(number & 1), head & 15
        return 0, 0

    def _skip(self, kind: int, depth: int) -> None:
        self._steps += 1
        if depth > _DEPTH or self._steps > _STEPS:
            raise ValueError("nested too deeply, or too long")
        if kind in (_TRUE, _FALSE):
            return
        if kind == _BYTE:
            self._byte()
        elif kind in _INTEGERS:
            self._number()
        elif kind == _DOUBLE:
            self._at += 8
        elif kind == _BINARY:
            size = self._number()
            self._at += size
        elif kind in (_LIST, _SET):
            self._skip_list(depth)
        elif kind == _STRUCT:
            self._skip_struct(depth)
        else:
            raise ValueError("an unknown type")

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._number()
        for _ in range(size):
            if head & 15 in (_TRUE, _FALSE):
                self._byte()  # in a list a boolean takes a byte
            else:
                self._skip(head & 15, depth + 1)

    def _skip_struct(self, depth: int) -> None:
        field = 0
        while True:
            field, kind = self._field(field)
            if not kind:
                return
            self._skip(kind, depth + 1)

    def _number(self) -> int:
        found = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
        raise ValueError("a number without an end")

    def _byte(self) -> int:
        self._steps += 1
        if self._at >= len(self._content) or self._steps > _STEPS:
            raise ValueError("ends early")
        self._at += 1
        return self._content[self._at - 1]
