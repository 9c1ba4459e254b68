"""Reader for YAML as programs write it: mappings, lists and text, one key or item a line.

Returns dictionaries, lists and text; every scalar is text.
Anchors, tags and documents are not interpreted, so no input can expand.
"""

from __future__ import annotations

import re

from clew.model.named_tuple import NamedTuple

_MAX_DEPTH = 40
_MAX_LINES = 400_000
_MAX_KEY = 1_000
_QUOTED_KEY = re.compile(r"""("[^"]{0,1000}"|'[^']{0,1000}')\s{0,4}:(?:\s(.*))?$""")
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]{0,3}$")


class _Line(NamedTuple):
    indent: int
    text: str


def read_yaml(content: bytes) -> object:
    """Return the value of a document; raises ValueError for what is not in the subset."""
    text = content.decode("utf-8", "replace")
    if text.count("\n") > _MAX_LINES:
        raise ValueError("too many lines")
    lines = []
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped and stripped[0] != "#" and stripped not in ("---", "...") and line[0] != "%":
            lines.append(_Line(len(line) - len(line.lstrip(" ")), stripped))
    return _Reader(lines).block(0, 0) if lines else {}


class _Reader:
    """Reads lines from top to bottom."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    def block(self, least: int, depth: int) -> object:
        """Return the mapping, list or text that begins at the current line."""
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        if self._at >= len(self._lines) or self._lines[self._at].indent < least:
            return ""
        indent, text = self._lines[self._at]
        if _is_item(text):
            return self._list(indent, depth)
        if _key(text) is not None:
            return self._mapping(indent, depth)
        self._at += 1
        return scalar(text)

    def _list(self, indent: int, depth: int) -> list[object]:
        found: list[object] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.indent != indent or not _is_item(line.text):
                break
            rest = line.text[1:].lstrip(" ")
            if not rest:
                self._at += 1
                found.append(self.block(indent + 1, depth + 1))
            else:  # what follows the dash is a block of its own
                inner = indent + len(line.text) - len(rest)
                self._lines[self._at] = _Line(inner, rest)
                found.append(self._item(inner, depth + 1))
        return found

    def _item(self, indent: int, depth: int) -> object:
        text = self._lines[self._at].text
        if text[0] in "{[" or (_key(text) is None and not _is_item(text)):
            self._at += 1
            return self._value(text, indent, depth)
        return self.block(indent, depth)

    def _mapping(self, indent: int, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        while self._at < len(self._lines) and self._lines[self._at].indent == indent:
            pair = _key(self._lines[self._at].text)
            if pair is None:
                break
            self._at += 1
            found[pair[0]] = self._value(pair[1], indent, depth)
        if self._at < len(self._lines) and self._lines[self._at].indent > indent:
            raise ValueError("not in the subset")
        return found

    def _value(self, text: str, indent: int, depth: int) -> object:
        if _BLOCK_TEXT.match(text):
            return self._text(indent)
        if text:
            return flow(text) if text[0] in "{[" else scalar(text)
        if self._at < len(self._lines):
            line = self._lines[self._at]
            if line.indent == indent and _is_item(line.text):  # a list at the indent of its key
                return self._list(indent, depth + 1)
        return self.block(indent + 1, depth + 1)

    def _text(self, indent: int) -> str:
        start = self._at
        while self._at < len(self._lines) and self._lines[self._at].indent > indent:
            self._at += 1
        return "\n".join(line.text for line in self._lines[start : self._at])


def flow(text: str) -> object:
    """Return `{a: b, c: d}` or `[a, b]`; nested ones are text."""
    inner = text[1:].rstrip()
    inner = inner[:-1] if inner[-1:] in ("}", "]") else inner
    parts = [part.strip() for part in inner.split(",")] if inner.strip() else []
    if text[0] == "[":
        return [scalar(part) for part in parts]
    pairs = (part.partition(": ") for part in parts)
    return {key.strip(" '\""): scalar(value.strip()) for key, _, value in pairs}


def scalar(text: str) -> str:
    """Return a text without quotes and comment."""
    if text[:1] in ("'", '"'):
        end = text.find(text[0], 1)
        return text[1 : end if end > 0 else None]
    return text.partition(" #")[0].strip()


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _key(text: str) -> tuple[str, str] | None:
    """Split `key: value`; None if a line is no key."""
    if text[0] in "\"'":
        match = _QUOTED_KEY.match(text)
        return (match[1][1:-1], (match[2] or "").strip()) if match else None
    if text[0] in "{[&!|>%@`":
        return None
    key, colon, value = text.partition(": ")
    if not colon:
        if not text.endswith(":"):
            return None
        key, value = text[:-1], ""
    if len(key) > _MAX_KEY:
        return None
    return key.strip(), value.strip() if not value.lstrip().startswith("#") else ""
