"""Random texts with two edits each, reproducible by seed.

Few distinct repeated lines, indented code, random lines; edits that touch, move and copy, and that
both sides make; both styles of line ends, or none at the end of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

Line = Callable[[Random], bytes]

_CODE = (b"", b"}", b"{", b"return x", b"if a:", b"x = 1", b"end", b"*", b"--", b"def f():")


class Edited(NamedTuple):
    base: bytes
    ours: bytes
    theirs: bytes


def edited_text(seed: int) -> Edited:
    """Return a text of up to 120 lines and two edits of it."""
    chance = Random(seed)
    line = chance.choice((_letter_of(2), _letter_of(5), _number_of(1000), _code, _noise))
    length = chance.randrange(chance.choice((1, 2, 4, 9, 21, 51, 121)))
    base = [line(chance) for _ in range(length)]
    both = [line(chance) for _ in range(2)]
    start = base
    if chance.random() < 0.3:  # both sides make these edits
        start = _edited(chance, base, line, both, chance.randrange(3))
    most = chance.choice((1, 2, 4, 10))
    ours = _edited(chance, start, line, both, chance.randrange(most + 1))
    theirs = _edited(chance, start, line, both, chance.randrange(most + 1))
    style = chance.choice((b"\n", b"\n", b"\r\n", None))
    return Edited(*(_joined(chance, lines, style) for lines in (base, ours, theirs)))


def unrelated_text(seed: int) -> Edited:
    """Return three unrelated texts with the same few distinct lines."""
    chance = Random(seed)
    line, longest = _letter_of(chance.choice((1, 2, 3))), chance.choice((8, 14))
    texts = ([line(chance) for _ in range(chance.randrange(longest))] for _ in "abc")
    return Edited(*(_joined(chance, lines, b"\n") for lines in texts))


def long_edited_text(seed: int, length: int, edits: int) -> Edited:
    """Return a long text and two edits of it, each of many single lines.

    The added lines already occur in the base: git's search would skip all others.
    """
    chance = Random(seed)
    kinds = chance.choice((3, 6, 12, 60))
    base = [b"%d" % chance.randrange(kinds) for _ in range(length)]
    sides = []
    for _ in "ab":
        side = list(base)
        for _ in range(edits):
            at = chance.randrange(len(side))
            side[at : at + chance.randrange(2)] = [chance.choice(base)] * chance.randrange(2)
        sides.append(side)
    return Edited(*(_joined(chance, lines, b"\n") for lines in (base, *sides)))


def shuffled_text(seed: int, length: int) -> Edited:
    """Return a text of lines in a different order on each side."""
    chance = Random(seed)
    kinds = chance.choice((30, 300, length))
    base = [b"%d" % chance.randrange(kinds) for _ in range(length)]
    sides = (chance.sample(base, length) for _ in "ab")
    return Edited(*(_joined(chance, lines, b"\n") for lines in (base, *sides)))


def crowded_text(seed: int, length: int) -> Edited:
    """Return texts of unique lines, mixed with common and less common ones."""
    chance = Random(seed)
    # With three unique lines of four, the common ones are just about outnumbered.
    alone, kinds = chance.choice(((0.75, 2), (0.75, 2), (0.6, 10), (0.8, 40)))

    def line(name: bytes, at: int) -> bytes:
        if chance.random() < alone:
            return b"%s%d" % (name, at)
        return b"}%d" % int(kinds * chance.random() ** 3)

    texts = ([line(name, at) for at in range(length)] for name in (b"base", b"our", b"their"))
    return Edited(*(_joined(chance, lines, b"\n") for lines in texts))


def _letter_of(count: int) -> Line:
    return lambda chance: b"%c" % (97 + chance.randrange(count))


def _number_of(count: int) -> Line:
    return lambda chance: b"line %d" % chance.randrange(count)


def _code(chance: Random) -> bytes:
    return b"    " * chance.randrange(4) + chance.choice(_CODE)


def _noise(chance: Random) -> bytes:
    return chance.choice((b"", b"", b"}", b"---", b"a", b"b%d" % chance.randrange(40)))


def _edited(
    chance: Random, text: list[bytes], line: Line, both: list[bytes], edits: int
) -> list[bytes]:
    lines = list(text)
    for _ in range(edits):
        at = chance.randrange(len(lines) + 1)
        end = at + chance.randrange(1, 5)
        fresh = [line(chance) for _ in range(chance.randrange(1, 4))]
        taken = lines[at:end]
        match chance.randrange(6):
            case 0:
                lines[at:at] = fresh
            case 1:
                del lines[at:end]
            case 2:
                lines[at:end] = fresh
            case 3:
                lines[at:at] = taken
            case 4:
                lines[at:end] = both
            case _:
                del lines[at:end]
                to = chance.randrange(len(lines) + 1)
                lines[to:to] = taken
    return lines


def _joined(chance: Random, lines: list[bytes], style: bytes | None) -> bytes:
    """Join the lines; without a style line ends are random, and the last may be missing."""
    if style == b"\r\n" and chance.random() < 0.2:  # an editor changed them all
        style = b"\n"
    text = b"".join(line + (style or chance.choice((b"\n", b"\r\n"))) for line in lines)
    if chance.random() < 0.3:
        text = text.removesuffix(b"\n")
        if chance.random() < 0.5:
            text = text.removesuffix(b"\r")
    return text
