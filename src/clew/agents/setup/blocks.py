"""Marked blocks: a block of ours at the end of a text, between two marker lines.

The layout around a block records how it was added, so that it can be removed exactly: after a text
that ended with a newline come an empty line and the block with a newline; after a text that did
not, two newlines and the block without one.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class BlockMarkers(NamedTuple):
    """The lines before and after a block."""

    start: str
    end: str


MARKDOWN = BlockMarkers("<!-- clew:start -->", "<!-- clew:end -->")
TOML = BlockMarkers("# clew:start", "# clew:end")


class BrokenBlock(ValueError):
    """A marker is missing, repeated or misplaced."""


def contains(text: str, markers: BlockMarkers) -> bool:
    return markers.start in text or markers.end in text


def add(text: str, body: str, markers: BlockMarkers) -> str:
    """Return the text with the block appended, or replaced if it is present."""
    if contains(text, markers):
        start, end = _span(text, markers)
        return text[:start] + _block(body, markers, _line_end(text[start:end])) + text[end:]
    line = _line_end(text)
    block = _block(body, markers, line)
    if not text:
        return block
    return f"{text}{line}{block}{line}" if text.endswith("\n") else f"{text}{line}{line}{block}"


def remove(text: str, markers: BlockMarkers) -> str:
    """Return the text without the block, as it was before `add`."""
    if not contains(text, markers):
        return text
    start, end = _span(text, markers)
    before, after = text[:start], text[end:]
    behind = re.match(r"\r?\n", after)
    if behind is not None:  # the text ended with a newline
        return re.sub(r"\r?\n\Z", "", before, count=1) + after[behind.end() :]
    gap = "\r\n\r\n" if before.endswith("\r\n\r\n") else "\n\n"
    return before.removesuffix(gap) + after


def _block(body: str, markers: BlockMarkers, line: str) -> str:
    return line.join((markers.start, *body.strip("\n").split("\n"), markers.end))


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _span(text: str, markers: BlockMarkers) -> tuple[int, int]:
    if text.count(markers.start) != 1 or text.count(markers.end) != 1:
        raise BrokenBlock("clew's block needs exactly one start and one end marker")
    start, end = text.index(markers.start), text.index(markers.end) + len(markers.end)
    if start > end:
        raise BrokenBlock("clew's block has its end marker before its start marker")
    return start, end
