"""A strict reader of JSON that remembers where everything stands.

Settings belong to their owner: they are edited where our entries are, and every other byte stays.
So this reads no more than JSON (no comments, no trailing commas, no key twice), and refuses the
rest with the line and the column, before anything is written.
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
    """The text is not JSON, and where it stops being so."""

    def __init__(self, why: str, text: str, at: int) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        super().__init__(f"{why} at line {line}, column {column}")


class Node(NamedTuple):
    """A value, and the span of text that it is."""

    start: int
    end: int
    value: object
    """What `json.loads` would give."""
    members: tuple[Member, ...] | None = None
    """Of an object; None for anything else."""
    items: tuple[Node, ...] | None = None
    """Of an array; None for anything else."""

    def member(self, key: str) -> Member | None:
        """Return the member called so, if this is an object that has one."""
        return next((one for one in self.members or () if one.key == key), None)


class Member(NamedTuple):
    """A key with its value; it starts with the quote of the key and ends with the value."""

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
            raise self._refusal("something follows the end")
        return node

    def _value(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self._refusal("it is nested too deep")
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
                raise self._refusal("a key stands twice", at)
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
        """Stand at the start of each part of a container, and behind it at the end."""
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
            raise self._refusal(self._why("a text in double quotes"))
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
            raise self._refusal(self._why("a value"))
        self._at = found.end()
        return Node(start, self._at, _number(found[0]))

    def _take(self, mark: str) -> None:
        if self._text[self._at : self._at + 1] != mark:
            raise self._refusal(self._why(f"{mark!r}"))
        self._at += 1

    def _skip(self) -> None:
        found = _BLANK.match(self._text, self._at)
        assert found is not None  # it matches nothing, too
        self._at = found.end()

    def _why(self, wanted: str) -> str:
        rest = self._text[self._at : self._at + 2]
        if rest in ("//", "/*") or rest[:1] == "#":
            return "there is a comment"
        if not rest:
            return "it ends too early"
        if rest[0] in "}]":
            return "there is a comma too many"
        return f"{wanted} is expected"

    def _refusal(self, why: str, at: int | None = None) -> NotJson:
        return NotJson(why, self._text, self._at if at is None else at)


def _number(text: str) -> object:
    """Return a number that is compared, never counted with: too many digits are no reason to fail."""
    try:
        value: object = json.loads(text)
    except ValueError:  # more digits than Python turns into a number
        return text
    return value
