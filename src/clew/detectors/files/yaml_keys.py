"""YAML subset parser for configuration: nested mappings by indentation.

Everything else is one value, taken verbatim: lists, `{…}`, `[…]`, block texts.
Anchors and aliases are never resolved, so no input can expand; other documents give None.
"""

from __future__ import annotations

import re

from clew.model.named_tuple import NamedTuple

_MAX_DEPTH = 32
_PLAIN_KEY = re.compile(r"([^\s#&!|>%@`\"'\[\]{},?:][^:\[\]{}\"\t]{0,120}):(?:[ \t]++(.*))?$")
_QUOTED_KEY = re.compile(r"(\"[^\"\\]{0,200}\"|'[^']{0,200}')[ \t]*+:(?:[ \t]++(.*))?$")
_BLOCK_TEXT = re.compile(r"(?:[!&]\S+ +)*+[|>][-+0-9]{0,3}$")


class _Key(NamedTuple):
    indent: int
    path: tuple[str, ...]


def yaml_values(text: str) -> dict[tuple[str, ...], list[str]] | None:
    """Return the lines of each value under its path."""
    reader = _YamlReader()
    for line in text.splitlines():
        if not reader.parse_line(line):
            return None
    return reader.finish()


class _YamlReader:
    """Parses a document line by line."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, ...], list[str]] = {}
        self._parents: set[tuple[str, ...]] = set()
        self._stack: list[_Key] = []
        self._prefix: tuple[str, ...] = ()
        self._document = 1
        self._inside: int | None = None
        """Lines with deeper indentation belong to the last value."""
        self._brackets = 0
        """Open brackets of the last value."""
        self._list: int | None = None
        """The indentation of the last value's dashes, if it is a list."""

    def parse_line(self, line: str) -> bool:
        """Parse one line; return False if it is not in the subset."""
        text = line.strip()
        if not text or (text.startswith("#") and self._inside is None):
            return True
        indent = len(line) - len(line.lstrip(" "))
        if self._belongs_to_last(indent, text):
            self._values[self._stack[-1].path].append(f"{indent} {text}")
            return True
        if line[indent] == "\t":
            return False
        if (indent == 0 and text[:3] in ("---", "...")) or text[0] == "%":
            return self._begin_document(text)
        return self._take_key(indent, text)

    def finish(self) -> dict[tuple[str, ...], list[str]] | None:
        if self._brackets:
            return None
        return {path: lines for path, lines in self._values.items() if path not in self._parents}

    def _belongs_to_last(self, indent: int, text: str) -> bool:
        if not self._stack:
            return False
        if self._brackets:
            self._brackets = max(0, self._brackets + _opened(text))
            return True
        if self._inside is not None and indent > self._inside:
            return True
        self._inside = None
        is_item = text == "-" or text.startswith("- ")
        if self._list is not None:
            if indent > self._list or (indent == self._list and is_item):
                return True
            self._list = None
        last = self._stack[-1]
        if is_item and indent >= last.indent and not any(self._values[last.path]):
            self._list = indent
            return True
        return False

    def _begin_document(self, text: str) -> bool:
        if text.startswith("---") and self._values:
            self._document += 1
            self._prefix = (f"document {self._document}",)
        self._stack.clear()
        return text in ("---", "...") or text[0] == "%" or text.startswith("--- #")

    def _take_key(self, indent: int, text: str) -> bool:
        match = _QUOTED_KEY.match(text) or _PLAIN_KEY.match(text)
        if text.startswith("- "):  # a list without a key
            return False
        if match is None:
            return self._continues(indent, text)
        while self._stack and self._stack[-1].indent >= indent:
            self._stack.pop()
        above = self._stack[-1].path if self._stack else self._prefix
        if len(above) >= _MAX_DEPTH:
            return False
        if self._stack:
            if any(self._values[above]):  # a scalar cannot have children
                return False
            self._parents.add(above)
        path = (*above, match[1].strip(" '\""))
        if path in self._values:
            return False
        self._stack.append(_Key(indent, path))
        self._values[path] = [self._begin_value(indent, _uncommented(match[2] or ""))]
        return True

    def _begin_value(self, indent: int, value: str) -> str:
        """Return the start of a value, and determine how it continues."""
        if _BLOCK_TEXT.match(value):
            self._inside = indent
        elif value[:1] in ("{", "["):
            self._brackets = max(0, _opened(value))
        elif value[:1] in ('"', "'") and (len(value) == 1 or value[-1] != value[0]):
            self._inside = indent  # a quoted text that continues on the next line
        elif value[:1] in ("&", "!") and " " not in value:
            return ""  # an anchor or a tag before the mapping
        return value

    def _continues(self, indent: int, text: str) -> bool:
        """Append a line to a multi-line plain scalar."""
        if not self._stack or indent <= self._stack[-1].indent:
            return False
        lines = self._values[self._stack[-1].path]
        if not any(lines):
            return False
        lines.append(text)
        return True


def _uncommented(value: str) -> str:
    if value.startswith("#"):
        return ""
    if value[:1] not in ('"', "'"):
        value = value.partition(" #")[0]
    return value.strip()


def _opened(text: str) -> int:
    return text.count("{") + text.count("[") - text.count("}") - text.count("]")
