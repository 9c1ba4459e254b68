"""A terminal's screen as SVG: text with colours, no fonts and no scripts.

A browser chooses the font, so each run of text is fitted to its columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from tests.recorded.widths import cells

_SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")
_WIDTH, _HEIGHT, _MARGIN = 8.4, 19, 14
_BACKGROUND, _TEXT = "#1b1e26", "#d5d9e2"
_COLOURS = {
    "30": "#5c6370", "31": "#f0717b", "32": "#8ccf7e", "33": "#e5c76b",
    "34": "#67b0e8", "35": "#c47fd5", "36": "#6cbfbf", "37": "#d5d9e2",
    "90": "#7d8594", "91": "#ff8f98", "92": "#a8e69b", "93": "#f5dd8d",
    "94": "#8cc8ff", "95": "#da9de8", "96": "#8fdada", "97": "#ffffff",
}  # fmt: skip
_FONT = "'DejaVu Sans Mono','Noto Sans Mono','Noto Sans Mono CJK SC',Menlo,Consolas,monospace"


class _Run(NamedTuple):
    text: str
    attributes: str


def picture(text: str, columns: int) -> str:
    """Return a picture of lines of a terminal that is so wide."""
    lines = text.rstrip("\n").split("\n")
    width = round(columns * _WIDTH + 2 * _MARGIN)
    height = len(lines) * _HEIGHT + 2 * _MARGIN
    body = "".join(_line(line, number) for number, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">\n'
        f'<rect width="100%" height="100%" rx="7" fill="{_BACKGROUND}"/>\n'
        f'<g font-family="{_FONT}" font-size="14" fill="{_TEXT}" xml:space="preserve">\n'
        f"{body}</g>\n</svg>\n"
    )


def _line(line: str, number: int) -> str:
    y = _MARGIN + number * _HEIGHT + 14
    column, found = 0, ""
    for run in _runs(line):
        wide = cells(run.text)
        if run.text.strip():
            blank = len(run.text) - len(run.text.lstrip(" "))
            shown = run.text.strip(" ")
            x, length = _MARGIN + (column + blank) * _WIDTH, cells(shown) * _WIDTH
            found += (
                f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" '
                f'lengthAdjust="spacingAndGlyphs"{run.attributes}>{escape(shown)}</text>\n'
            )
        column += wide
    return found


def _runs(line: str) -> Iterator[_Run]:
    """Yield stretches of one look, cut at wide gaps so that columns stay in line."""
    codes: list[str] = []
    parts = _SEQUENCE.split(line)
    for number, part in enumerate(parts):
        if number % 2:
            codes = [] if part in ("", "0") else codes + part.split(";")
        else:
            for piece in re.findall(r" {2,}|(?: ?[^ ])+| +", part):
                yield _Run(piece, _attributes(codes))


def _attributes(codes: list[str]) -> str:
    found = ""
    for code in codes:
        if code == "1":
            found += ' font-weight="bold"'
        elif code == "2":
            found += ' opacity="0.6"'
        elif code == "3":
            found += ' font-style="italic"'
        elif code == "4":
            found += ' text-decoration="underline"'
        elif code in _COLOURS:
            found += f' fill="{_COLOURS[code]}"'
    return found
