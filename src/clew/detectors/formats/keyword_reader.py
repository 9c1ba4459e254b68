"""Keyword reader: one setting per line, a name and its arguments, as in redis.conf or a Caddyfile.

Blocks are in braces or parentheses at the end of a line (Caddy, go.mod), in tags (Apache), or below
a line that is not indented (HAProxy).
"""

from __future__ import annotations

import re

from clew.detectors.formats.arguments import add_setting, arguments
from clew.detectors.formats.values import MAX_DEPTH, NodeCounter, Unreadable, Value

_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|[^\s\"']++|[\"']")
_KEY = re.compile(r"[A-Za-z@*/.:_$-][\w.*@/:${}-]{0,120}+")
_TAG = re.compile(r"<(/?)([A-Za-z]{1,60})([^<>\n]{0,300}+)>")
_OPENING = ("{", "(")
_CLOSING = ("}", ")")


def read_keywords(text: str, *, has_sections: bool = False) -> dict[str, Value]:
    """Return the settings of a file; raises `Unreadable`.

    With `has_sections`, a line without indentation begins a section, and the others belong to it.
    """
    reader = _KeywordReader(has_sections)
    for line in re.split(r"\r?\n", re.sub(r"\\\r?\n", " ", text)):
        reader.take(line)
    return reader.finish()


class _KeywordReader:
    """Reads a file line by line."""

    def __init__(self, has_sections: bool) -> None:
        self._has_sections = has_sections
        self._counter = NodeCounter()
        self._open: list[tuple[str, dict[str, Value]]] = [("", {})]
        """The names of the open blocks, and their settings."""

    def take(self, line: str) -> None:
        text = line.strip()
        if not text or text[0] in "#;" or text.startswith("//"):
            return
        if tag := _TAG.fullmatch(text):
            self._take_tag(tag)
        elif text in _CLOSING:
            self._close()
        elif text.endswith(_OPENING) and (len(text) == 1 or text[-2] in " \t"):
            self._begin(text[:-1].strip() or "block")
        elif self._has_sections and not line[0].isspace():
            self._open = self._open[:1]
            self._begin(" ".join(text.split()))
        else:
            self._setting(text)

    def finish(self) -> dict[str, Value]:
        if len(self._open) > 1 + self._has_sections or not self._open[0][1]:
            raise Unreadable("a block has no end")
        return self._open[0][1]

    def _take_tag(self, tag: re.Match[str]) -> None:
        if tag[1]:
            self._close()
        else:
            self._begin(f"{tag[2]}{' ' * bool(tag[3].strip())}{tag[3].strip()}")

    def _begin(self, name: str) -> None:
        if len(self._open) > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        self._counter.count()
        inner: dict[str, Value] = {}
        add_setting(self._open[-1][1], name, inner)
        self._open.append((name, inner))

    def _close(self) -> None:
        if len(self._open) < 2:
            raise Unreadable("a block that was not open")
        self._open.pop()

    def _setting(self, text: str) -> None:
        words = _WORD.findall(text)
        if not _KEY.fullmatch(words[0]):
            raise Unreadable("not a setting")
        kept: list[str] = []
        for word in words[1:]:
            if word.startswith(("#", "//")):
                break
            kept.append(word[1:-1] if len(word) > 1 and word[0] in "\"'" else word)
        self._counter.count(1 + len(kept))
        add_setting(self._open[-1][1], words[0], arguments(words[0], kept))
