"""A block of ours at the end of somebody's text, between two lines that mark it.

How it was put in can be read from how it stands there, so that it can be taken out exactly: behind
a text that ended with its line stands an empty line and the block with a line end; behind one that
did not, two line ends and the block without.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class BlockMarkers(NamedTuple):
    """The lines before and after."""

    start: str
    end: str


MARKDOWN = BlockMarkers("<!-- clew:start -->", "<!-- clew:end -->")
TOML = BlockMarkers("# clew:start", "# clew:end")


class BrokenBlock(ValueError):
    """One of the marks is missing, or stands twice."""


def has(text: str, marks: BlockMarkers) -> bool:
    return marks.start in text or marks.end in text


def put(text: str, body: str, marks: BlockMarkers) -> str:
    """Return the text with the block at its end, or renewed where it is."""
    if has(text, marks):
        start, end = _span(text, marks)
        return text[:start] + _block(body, marks, _line_end(text[start:end])) + text[end:]
    line = _line_end(text)
    block = _block(body, marks, line)
    if not text:
        return block
    return f"{text}{line}{block}{line}" if text.endswith("\n") else f"{text}{line}{line}{block}"


def take(text: str, marks: BlockMarkers) -> str:
    """Return the text as it was before `put`."""
    if not has(text, marks):
        return text
    start, end = _span(text, marks)
    before, after = text[:start], text[end:]
    behind = re.match(r"\r?\n", after)
    if behind is not None:  # the text had ended with its line
        return re.sub(r"\r?\n\Z", "", before, count=1) + after[behind.end() :]
    gap = "\r\n\r\n" if before.endswith("\r\n\r\n") else "\n\n"
    return before.removesuffix(gap) + after


def _block(body: str, marks: BlockMarkers, line: str) -> str:
    return line.join((marks.start, *body.strip("\n").split("\n"), marks.end))


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _span(text: str, marks: BlockMarkers) -> tuple[int, int]:
    if text.count(marks.start) != 1 or text.count(marks.end) != 1:
        raise BrokenBlock("the marks of clew's block do not stand there once each")
    start, end = text.index(marks.start), text.index(marks.end) + len(marks.end)
    if start > end:
        raise BrokenBlock("the marks of clew's block stand in the wrong order")
    return start, end
