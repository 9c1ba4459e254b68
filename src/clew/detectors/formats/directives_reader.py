"""Directive reader: `name arguments;` and `name arguments { … }`, as in nginx.

A directive that is repeated is a list; blocks of the same name are told apart by their arguments,
servers by their names.
"""

from __future__ import annotations

import re

from clew.detectors.formats.arguments import add_setting, arguments
from clew.detectors.formats.values import MAX_DEPTH, NodeCounter, Unreadable, Value

_SPACE = re.compile(r"(?:\s++|#[^\n]*+)*+")
_WORD = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|(?:[^\s;{}#\"'\\$]|\\.|\$\{\w{1,80}\}|\$|(?<=[^\s;{}])[#\"'])++",
    re.S,
)


def read_directives(text: str) -> dict[str, Value]:
    """Return the directives of a file; raises `Unreadable`."""
    reader = _DirectiveReader(text)
    found = reader.body(0)
    if not found:
        raise Unreadable("no directives")
    return found


class _DirectiveReader:
    """Reads a file; `at` is the place of the next character."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counter = NodeCounter()

    def body(self, depth: int) -> dict[str, Value]:
        """Read directives up to the end of a block, or of the file."""
        if depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        found: dict[str, Value] = {}
        while self._skip() not in ("", "}"):
            words = self._words()
            if self._text[self._at] == "{":
                self._at += 1
                inner = self.body(depth + 1)
                add_setting(found, " ".join([*words, *_server_names(words, inner)]), inner)
            else:
                add_setting(found, words[0], arguments(words[0], words[1:]))
            self._at += 1
        if (self._text[self._at : self._at + 1] == "") != (depth == 0):
            raise Unreadable("a brace is missing")
        return found

    def _skip(self) -> str:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text[self._at : self._at + 1]

    def _words(self) -> list[str]:
        """Read name and arguments up to a semicolon or a brace."""
        words: list[str] = []
        while (here := self._skip()) not in (";", "{"):
            found = _WORD.match(self._text, self._at)
            if here == "" or found is None:
                raise Unreadable("not a directive")
            self._counter.count()
            self._at = found.end()
            words.append(found[0][1:-1] if here in "\"'" else found[0])
        if not words:
            raise Unreadable("a directive without a name")
        return words


def _server_names(words: list[str], inner: dict[str, Value]) -> list[str]:
    """Return what tells servers of one file apart: the name, else the port."""
    if words != ["server"]:
        return []
    named = inner.get("server_name", inner.get("listen"))
    first = named[0] if isinstance(named, list) and named else named
    return [first] if isinstance(first, str) else []


_SERVER = "server "


def with_same_servers(old: Value, new: Value) -> Value:
    """Return new directives in which the only server with another name has its old one."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    gone = [key for key in old if key.startswith(_SERVER) and key not in new]
    came = [key for key in new if key.startswith(_SERVER) and key not in old]
    renamed = {came[0]: gone[0]} if len(gone) == len(came) == 1 else {}
    return {
        renamed.get(key, key): with_same_servers(old["http"], one)
        if key == "http" and "http" in old
        else one
        for key, one in new.items()
    }
