"""Git's deltas: an object as runs copied from another one, and runs of its own.

Every byte is hostile: what does not add up gives None.
"""

from __future__ import annotations


def apply_delta(base: bytes, delta: bytes, limit: int) -> bytes | None:
    """Return what a delta makes of its base; None for one that is broken or makes too much."""
    try:
        base_size, at = _size(delta, 0)
        size, at = _size(delta, at)
        if base_size != len(base) or size > limit:
            return None
        pieces: list[bytes] = []
        made = 0
        while at < len(delta) and made <= size:
            command = delta[at]
            at += 1
            if command & 0x80:
                start, length, at = _copy(delta, at, command)
                piece = base[start : start + length]
                if len(piece) != length:
                    return None
            elif command:
                piece = delta[at : at + command]
                at += command
            else:
                return None
            pieces.append(piece)
            made += len(piece)
    except IndexError:
        return None
    return b"".join(pieces) if made == size else None


def _size(delta: bytes, at: int) -> tuple[int, int]:
    size = shift = 0
    while True:
        byte = delta[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80 or shift > 60:
            return size, at


def _copy(delta: bytes, at: int, command: int) -> tuple[int, int, int]:
    start = length = 0
    for bit in range(4):
        if command & (1 << bit):
            start |= delta[at] << (8 * bit)
            at += 1
    for bit in range(3):
        if command & (0x10 << bit):
            length |= delta[at] << (8 * bit)
            at += 1
    return start, length or 0x10000, at
