"""YAML scalars: quoted, folded and block texts, as the specification joins their lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.detectors.formats.values import Unreadable

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_TOKEN = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\n|.)|[ \t]++|\n|[^\\ \t\n]++", re.S
)


def folded(lines: Sequence[str]) -> str:
    """Return lines joined by a space; `n` blank lines between two become `n` line breaks."""
    if len(lines) == 1:
        return lines[0]
    parts = [lines[0].rstrip(" \t")]
    blank = 0
    for number, line in enumerate(lines[1:], 2):
        is_last = number == len(lines)
        text = line.lstrip(" \t") if is_last else line.strip(" \t")
        if text or is_last:
            parts += ["\n" * blank or " ", text]
            blank = 0
        else:
            blank += 1
    return "".join(parts)


def single_quoted(body: str) -> str:
    """Return the text between single quotes."""
    return folded(body.replace("''", "'").split("\n"))


def double_quoted(body: str) -> str:
    """Return the text between double quotes."""
    if "\\" not in body:
        return folded(body.split("\n"))
    parts: list[str] = []
    blanks, breaks, is_joined = "", 0, False
    for piece in _TOKEN.findall(body):
        if piece == "\n":
            blanks, breaks = "", breaks + 1
        elif piece[0] in " \t":
            blanks = "" if breaks or is_joined else piece
        else:
            parts.append(_separator(blanks, breaks, is_joined))
            blanks, breaks, is_joined = "", 0, piece == "\\\n"
            if not is_joined:
                parts.append(_unescaped(piece))
    return "".join(parts) + _separator(blanks, breaks, is_joined)


def _separator(blanks: str, breaks: int, is_joined: bool) -> str:
    """Return what stands for blanks or line breaks; after a backslash, the first break is none."""
    if is_joined:
        return "\n" * breaks
    return "\n" * (breaks - 1) or " " if breaks else blanks


def _unescaped(piece: str) -> str:
    if piece[0] != "\\":
        return piece
    if len(piece) > 2:
        code = int(piece[2:], 16)
        if code > 0x10FFFF:
            raise Unreadable("not a character")
        return chr(code)
    if piece[1:] not in _ESCAPES:
        raise Unreadable("unknown escape")
    return _ESCAPES[piece[1:]]


def block_scalar(lines: Sequence[str], *, is_folded: bool, chomping: str) -> str:
    """Return a block text; `lines` are without indentation, blank ones at the end included."""
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    text = _folded_block(lines[:end]) if is_folded else "\n".join(lines[:end])
    if chomping == "+":
        return text + "\n" * (len(lines) - end + (end > 0))
    return text + "\n" if end and chomping != "-" else text


def _folded_block(lines: Sequence[str]) -> str:
    """Return lines joined by spaces, except around blank and more indented ones."""
    parts: list[str] = []
    blank = 0
    last = ""
    for line in lines:
        if not line:
            blank += 1
            continue
        if last:
            is_text = last[0] not in " \t" and line[0] not in " \t"
            parts.append(("\n" * blank or " ") if is_text else "\n" * (blank + 1))
        else:
            parts.append("\n" * blank)
        parts.append(line)
        last, blank = line, 0
    return "".join(parts)
