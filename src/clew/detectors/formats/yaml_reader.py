r"""YAML reader: the documents of a file as values, in bounded time and memory.

Supports what configuration uses: block and flow collections, every style of scalar, anchors,
aliases and merge keys, several documents, comments.  Tags are ignored.
The rest is unreadable rather than guessed: repeated keys, keys that are collections, aliases that
repeat too much, tabs as indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.formats.values import NodeCounter, Plain, Unreadable, Value
from clew.detectors.formats.yaml_flow import MERGE, FlowReader, unquoted
from clew.detectors.formats.yaml_scalars import block_scalar, folded

_MARKER = re.compile(r"^(---|\.\.\.)(?=[ \t\n]|\Z)", re.M)
_NOT_YAML = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""Characters that are not allowed, and line breaks of old versions."""

_DIRECTIVES = re.compile(r"(?:(?:%[^\n]*+|[ \t]*+(?:#[^\n]*+)?)\n)*+")
_BLANK_LINES = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?\n)*+")
_SPACES = re.compile(r" *+")
_BLANKS = re.compile(r"[ \t]*+")
_LINE_END = re.compile(r"[ \t]*+(?:#[^\n]*+)?\n")
_EMPTY_LINES = re.compile(r"(?:[ \t]*+\n)*+")
_DASH = re.compile(r"-(?=[ \t\n])")
_COLON = re.compile(r":(?=[ \t\n])")
_KEY = re.compile(
    r"\?(?=[ \t\n])|(?P<properties>(?:[&!][^\s,\[\]{}]{0,200}+[ \t]++)*+)"
    r"(?:\"((?:[^\"\\\n]|\\[^\n])*+)\"|'((?:[^'\n]|'')*+)'|(?P<alias>\*[^\s,\[\]{}:]{1,200}+)"
    r"|(?P<plain>(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^ \t\n]))"
    r"(?:[^\s:#]++|:(?=[^ \t\n])|(?<=[^ \t])#|[ \t]++(?=[^\s#:]|:[^ \t\n]))*+))"
    r"[ \t]*+:(?=[ \t\n])",
    re.A,
)
_SIMPLE = re.compile(
    r"([A-Za-z_][\w./-]{0,200}+): (?:([\w./][\w./+=-]*+(?: [\w./+=-]++)*+)|\"([^\"\\\n]*+)\")\n(?=( *+)([^\s#]|\Z))",
    re.A,
)
"""A key and a value on one line, and the indentation of the next: most lines of most files."""
_PLAIN_BEGINS = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^ \t\n])", re.A)
_PLAIN_ENDS = re.compile(r"(?<=[ \t])#|:(?=[ \t\n])|\n")
_BLOCK_HEADER = re.compile(
    r"([|>])(?:([-+])([1-9])?|([1-9])([-+])?)?+[ \t]*+(?:(?<=[ \t])#[^\n]*+)?\n"
)
_MAX_KEY = 1024
_ERRORS = frozenset((
    "a quote is not closed", "not a scalar", "text after a value", "wrong indentation",
    "a mapping where none may be", "a comma is missing", "a tab as indentation",
    "text after the end of a document",
))  # fmt: skip
"""Reasons that are errors in YAML; the others are limits of this reader."""


def read_yaml(text: str) -> list[Value]:
    """Return the documents of a file; raises `Unreadable`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _NOT_YAML.search(text):
        raise Unreadable("a character that is not allowed")
    counter = NodeCounter()
    return [_BlockReader(document, counter).document() for document, _ in _documents(text)]


def yaml_problem(text: str) -> tuple[int, str] | None:
    """Return the line and the reason why no reader of YAML accepts a text; None if one may do so."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _NOT_YAML.search(text):
        return None
    counter = NodeCounter()
    for document, begin in _documents(text):
        reader = _BlockReader(document, counter)
        try:
            reader.document()
        except Unreadable as error:
            reason = str(error)
            line = text.count("\n", 0, max(begin, 0) + reader.at) + 1
            return (line, reason) if reason in _ERRORS else None
    return None


def _documents(text: str) -> Iterator[tuple[str, int]]:
    """Yield the text of each document, the marker replaced by spaces, and where it begins."""
    begin, is_explicit = 0, False
    for marker in [*_MARKER.finditer(text), None]:
        end = marker.start() if marker else len(text)
        body = text[begin:end]
        if not is_explicit and marker is not None and marker[1] == "---":
            body = body[_end(_DIRECTIVES, body, 0) :]
        blank = _BLANK_LINES.match(body + "\n")
        if is_explicit or (blank and blank.end() <= len(body)):
            yield " " * 3 * is_explicit + body, end - len(body) - 3 * is_explicit
        if marker is not None:
            begin, is_explicit = marker.end(), marker[1] == "---"


class _BlockReader(FlowReader):
    """Reads one document by its indentation."""

    def __init__(self, text: str, counter: NodeCounter) -> None:
        super().__init__(text, counter)
        self._column = 0
        """The column of the cursor at the beginning of a node; -1 at the end of the document."""

    def document(self) -> Value:
        self._advance()
        value = self._node(-1, is_value=False) if self._column >= 0 else None
        if self._column >= 0:
            raise Unreadable("text after the end of a document")
        return value

    def _advance(self) -> None:
        """Move from the beginning of a line to the next content."""
        self.at = _end(_BLANK_LINES, self.text, self.at)
        begin = self.at
        self.at = _end(_SPACES, self.text, self.at)
        self._column = self.at - begin if self.at < len(self.text) else -1
        if self.text[self.at : self.at + 1] == "\t":
            raise Unreadable("a tab as indentation")

    def _end_line(self) -> None:
        """Move behind the last token of a line to the next content."""
        found = _LINE_END.match(self.text, self.at)
        if found is None:
            raise Unreadable("text after a value")
        self.at = found.end()
        self._advance()

    def _node(self, parent: int, *, is_value: bool) -> Value:
        """Read the node at the cursor, which belongs to a collection at the column `parent`.

        The value of a key begins on the line of its key only if it is not a block collection.
        """
        since, anchor = self.nodes, ""
        self.at = _end(_BLANKS, self.text, self.at)
        if not is_value and (found := self._collection()) is not None:
            return found
        while self.text[self.at] in "&!":
            anchor = self.anchored() or anchor
            self.at = _end(_BLANKS, self.text, self.at)
        is_below = self.text[self.at] in "\n#"
        value = self._below(parent, is_value=is_value) if is_below else self._inline(parent)
        self.remember(anchor, value, since)
        return value

    def _collection(self) -> Value:
        """Read a block collection, if one begins at the cursor."""
        is_sequence = _DASH.match(self.text, self.at) is not None
        if not is_sequence and _KEY.match(self.text, self.at) is None:
            return None
        self._column = self.at - self.text.rfind("\n", 0, self.at) - 1
        return self._sequence(self._column) if is_sequence else self._mapping(self._column)

    def _below(self, parent: int, *, is_value: bool) -> Value:
        """Read a node that begins on one of the next lines."""
        self._end_line()
        if self._column > parent:
            self.enter()
            value = self._node(parent, is_value=False)
            self.leave()
            return value
        if is_value and self._column == parent and _DASH.match(self.text, self.at):
            return self._sequence(parent)  # dashes may stand below the first letter of their key
        return None

    def _sequence(self, column: int) -> list[Value]:
        self.enter()
        items: list[Value] = []
        while self._column == column and _DASH.match(self.text, self.at):
            self.at += 1
            items.append(self._node(column, is_value=False))
        self._must_end(column)
        self.leave()
        return items

    def _mapping(self, column: int) -> dict[str, Value]:
        self.enter()
        found: dict[str, Value] = {}
        merges: list[Value] = []
        while self._column == column and (match := self._next_key(found)):
            if match[0] == "?":
                key, value = self._explicit_entry(column)
            else:
                key, value = self._key(match), self._node(column, is_value=True)
            if isinstance(key, Plain) and key == MERGE:
                merges.append(value)
            else:
                self.add(found, key, value)
        self._must_end(column)
        self.leave()
        return self.merged(found, merges)

    def _next_key(self, found: dict[str, Value]) -> re.Match[str] | None:
        """Return the next key of a mapping, after the entries that need no more than one look."""
        column = self._column
        while (simple := _SIMPLE.match(self.text, self.at)) and len(simple[4]) <= column:
            value = Plain(simple[2]) if simple[2] is not None else simple[3]
            self._counter.count()
            self.add(found, Plain(simple[1]), value)
            self.at = simple.end() + len(simple[4])
            self._column = len(simple[4]) if simple[5] else -1
            if self._column != column:
                return None
        return _KEY.match(self.text, self.at)

    def _must_end(self, column: int) -> None:
        """Raise unless the next line belongs to a collection around this one."""
        is_entry = self._column == column and not _DASH.match(self.text, self.at)
        if self._column > column or (is_entry and not _KEY.match(self.text, self.at)):
            raise Unreadable("wrong indentation")

    def _key(self, match: re.Match[str]) -> Value:
        if match.end() - match.start() > _MAX_KEY:
            raise Unreadable("a key is too long")
        key: Value
        since = self.nodes
        anchor = ""
        for word in match["properties"].split():
            anchor = word[1:] if word[0] == "&" else anchor
        if match["alias"]:
            self.at = match.start("alias")
            key = self.alias()
        else:
            plain = match["plain"]
            key = Plain(plain) if plain is not None else unquoted(match[2], match[3])
        self.remember(anchor, key, since)
        self.at = match.end()
        return key

    def _explicit_entry(self, column: int) -> tuple[Value, Value]:
        """Read `? key` and `: value`."""
        self.at += 1
        key = self._node(column, is_value=False)
        if self._column != column or not _COLON.match(self.text, self.at):
            return key, None
        self.at += 1
        return key, self._node(column, is_value=False)

    def _inline(self, parent: int) -> Value:
        """Read a scalar or a flow collection at the cursor."""
        here = self.text[self.at]
        if here in "|>":
            return self._block_text(parent)
        value: Value
        if here in "[{":
            value = self.flow()
        elif here in "\"'":
            value = self.quoted()
        elif here == "*":
            value = self.alias()
        else:
            return self._plain(parent)
        self._end_line()
        return value

    def _plain(self, parent: int) -> Plain:
        if _PLAIN_BEGINS.match(self.text, self.at) is None:
            raise Unreadable("not a scalar")
        lines: list[str] = []
        while True:
            end = _PLAIN_ENDS.search(self.text, self.at)
            if end is None or end[0] == ":":
                raise Unreadable("a mapping where none may be")
            lines.append(self.text[self.at : end.start()].rstrip(" \t"))
            begin = self.text.index("\n", end.start()) + 1
            after = _end(_EMPTY_LINES, self.text, begin)
            self.at = _end(_SPACES, self.text, after)
            is_more = end[0] == "\n" and self.text[self.at : self.at + 1] not in ("", "#")
            if not is_more or self.at - after <= parent:
                break
            lines += [""] * self.text.count("\n", begin, after)
        self.at = begin
        self._advance()
        self._counter.count()
        return Plain(folded(lines))

    def _block_text(self, parent: int) -> str:
        header = _BLOCK_HEADER.match(self.text, self.at)
        if header is None:
            raise Unreadable("not a block text")
        self.at = header.end()
        least = max(parent + 1, 1)
        digit = header[3] or header[4]
        indent = least + int(digit) - 1 if digit else None
        lines = self._block_lines(least, indent)
        is_cut = self.is_cut and self.at >= len(self.text) and any(lines[-1:])
        self._counter.count()
        self._advance()
        chomping = header[2] or header[5] or ""
        found = block_scalar(lines, is_folded=header[1] == ">", chomping=chomping)
        return found.removesuffix("\n") if is_cut else found

    def _block_lines(self, least: int, indent: int | None) -> list[str]:
        """Return the lines of a block text without their indentation."""
        lines: list[str] = []
        deepest = 0
        while self.at < len(self.text):
            spaces = _end(_SPACES, self.text, self.at) - self.at
            end = self.text.index("\n", self.at)
            is_empty = self.at + spaces == end
            if indent is None and not is_empty:
                indent = max(least, spaces)
                if deepest > indent:
                    raise Unreadable("a blank line is indented deeper than the text")
            if is_empty and (indent is None or spaces <= indent):
                deepest = max(deepest, spaces)
                lines.append("")
            elif indent is not None and spaces >= indent:
                lines.append(self.text[self.at + indent : end])
            else:
                break
            self.at = end + 1
        return lines


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
