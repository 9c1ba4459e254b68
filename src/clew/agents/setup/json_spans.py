"""Strict JSON parser that records the position of every value.

Settings are edited only where our entries are; every other byte is preserved.
So this accepts only JSON (no comments, trailing commas or duplicate keys) and rejects the rest with
line and column, before anything is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_DEEPEST = 200
_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_BYTE_ORDER_MARK = "\ufeff"


class NotJson(ValueError):
    """The text is not valid JSON; the message has the line and column."""

    def __init__(self, why: str, text: str, at: int) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        super().__init__(f"{why} at line {line}, column {column}")


class Node(NamedTuple):
    """A value and its span in the text."""

    start: int
    end: int
    value: object
    """The value as `json.loads` returns it."""
    members: tuple[Member, ...] | None = None
    """The members of an object; None for other values."""
    items: tuple[Node, ...] | None = None
    """The items of an array; None for other values."""

    def member(self, key: str) -> Member | None:
        """Return the member with this key, or None."""
        return next((one for one in self.members or () if one.key == key), None)


class Member(NamedTuple):
    """A key with its value; its span is from the quote of the key to the end of the value."""

    start: int
    key: str
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


def read(text: str) -> Node:
    """Return the whole document, or raise NotJson."""
    reader = _JsonReader(text)
    return reader.document()


class _JsonReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 1 if text.startswith(_BYTE_ORDER_MARK) else 0

    def document(self) -> Node:
        self._skip()
        node = self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise self._refusal("text after the end of the document")
        return node

    def _value(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self._refusal("nesting too deep")
        match self._text[self._at : self._at + 1]:
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case '"':
                start = self._at
                return Node(start, self._at, self._string())._replace(end=self._at)
            case _:
                return self._scalar()

    def _object(self, depth: int) -> Node:
        start = self._at
        members: list[Member] = []
        keys: set[str] = set()
        for _ in self._parts("}"):
            at = self._at
            key = self._string()
            if key in keys:
                raise self._refusal("duplicate key", at)
            keys.add(key)
            self._skip()
            self._take(":")
            self._skip()
            members.append(Member(at, key, self._value(depth + 1)))
        value = {member.key: member.node.value for member in members}
        return Node(start, self._at, value, members=tuple(members))

    def _array(self, depth: int) -> Node:
        start = self._at
        items = tuple(self._value(depth + 1) for _ in self._parts("]"))
        return Node(start, self._at, [item.value for item in items], items=items)

    def _parts(self, close: str) -> Iterator[None]:
        """Advance to the start of each part of a container, and finally past its end."""
        self._at += 1
        self._skip()
        if self._text[self._at : self._at + 1] == close:
            self._at += 1
            return
        while True:
            yield
            self._skip()
            if self._text[self._at : self._at + 1] == close:
                self._at += 1
                return
            self._take(",")
            self._skip()

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            raise self._refusal(self._why("string in double quotes"))
        self._at = found.end()
        value: str = json.loads(found[0])
        return value

    def _scalar(self) -> Node:
        start = self._at
        found = _NUMBER.match(self._text, start)
        for word, value in _WORDS.items():
            if self._text.startswith(word, start):
                self._at += len(word)
                return Node(start, self._at, value)
        if found is None:
            raise self._refusal(self._why("value"))
        self._at = found.end()
        return Node(start, self._at, _number(found[0]))

    def _take(self, mark: str) -> None:
        if self._text[self._at : self._at + 1] != mark:
            raise self._refusal(self._why(f"{mark!r}"))
        self._at += 1

    def _skip(self) -> None:
        found = _BLANK.match(self._text, self._at)
        assert found is not None  # it also matches the empty string
        self._at = found.end()

    def _why(self, wanted: str) -> str:
        rest = self._text[self._at : self._at + 2]
        if rest in ("//", "/*") or rest[:1] == "#":
            return "comment"
        if not rest:
            return "unexpected end of file"
        if rest[0] in "}]":
            return "trailing comma"
        return f"{wanted} expected"

    def _refusal(self, why: str, at: int | None = None) -> NotJson:
        return NotJson(why, self._text, self._at if at is None else at)


def _number(text: str) -> object:
    """Return a number for comparison only, so too many digits are not an error."""
    try:
        value: object = json.loads(text)
    except ValueError:  # more digits than Python converts
        return text
    return value
