"""HCL reader: blocks and attributes of Terraform, OpenTofu, Packer and Nomad files.

Expressions are not evaluated: a literal is its value, everything else stays as it is written.
"""

from __future__ import annotations

import re

from clew.detectors.formats.values import MAX_DEPTH, NodeCounter, Plain, Unreadable, Value
from clew.model.named_tuple import NamedTuple

_SPACE = re.compile(r"(?:[ \t\r\n]++|(?:#|//)[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_BLANKS = re.compile(r"(?:[ \t\r]++|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_LINE_END = re.compile(r"(?:(?:#|//)[^\n]*+)?(?:\n|\Z)")
_NAME = re.compile(r"[A-Za-z_][\w-]{0,200}+")
_STRING = re.compile(r'"((?:[^"\\$%\n]|\\[^\n]|[$%](?!\{))*+)"')
"""A string without interpolation."""
_HEREDOC = re.compile(r"<<-?([A-Za-z_][\w-]{0,100}+)[ \t\r]*+\n")
_ENCODED = re.compile(r"(?:json|yaml)encode\(")
_WORD = re.compile(r"[^\s\"'#/(){}\[\],<=:]++")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ERRORS = frozenset((
    "a brace is missing", "a bracket is missing", "a text has no end", "a string has no end",
))  # fmt: skip
"""Reasons that are errors in HCL; the others may be limits of this reader."""
_LITERAL = re.compile(r"true|false|null|-?\d[\d.eE+-]*+")


class HclBlock(NamedTuple):
    """A block: `resource "aws_instance" "web" { … }`."""

    type: str
    labels: tuple[str, ...]
    attributes: dict[str, Value]
    blocks: tuple[HclBlock, ...]


def read_hcl(text: str) -> HclBlock:
    """Return a file as a block without type; raises `Unreadable`."""
    if "\0" in text:
        raise Unreadable("not text")
    reader = _HclReader(text.replace("\r\n", "\n"))
    return reader.body("", (), 0)


def hcl_problem(text: str) -> tuple[int, str] | None:
    """Return the line and the reason why no reader of HCL accepts a text; None if one may do so."""
    if "\0" in text:
        return None
    reader = _HclReader(text.replace("\r\n", "\n"))
    try:
        reader.body("", (), 0)
    except Unreadable as error:
        return (reader.line, str(error)) if str(error) in _ERRORS else None
    return None


class _HclReader:
    """Reads a file; `at` is the place of the next character."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counter = NodeCounter()

    @property
    def line(self) -> int:
        """The line of the next character."""
        return self._text.count("\n", 0, self._at) + 1

    def body(self, kind: str, labels: tuple[str, ...], depth: int) -> HclBlock:
        """Read attributes and blocks up to the end of a block, or of the file."""
        if depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        attributes: dict[str, Value] = {}
        blocks: list[HclBlock] = []
        while self._skip() not in ("", "}"):
            name = self._match(_NAME)
            self._counter.count()
            if self._skip(_BLANKS) == "=" and self._text[self._at + 1 : self._at + 2] != "=":
                if name in attributes:
                    raise Unreadable("an attribute is repeated")
                self._at += 1
                attributes[name] = self._expression("\n", depth)
            else:
                blocks.append(self._block(name, depth))
        if (self._text[self._at : self._at + 1] == "") != (depth == 0):
            raise Unreadable("a brace is missing")
        self._at += depth > 0
        return HclBlock(kind, labels, attributes, tuple(blocks))

    def _block(self, kind: str, depth: int) -> HclBlock:
        labels: list[str] = []
        while self._skip(_BLANKS) != "{":
            found = _STRING.match(self._text, self._at)
            labels.append(_unescaped(found[1]) if found else self._match(_NAME))
            self._at = found.end() if found else self._at
        self._at += 1
        return self.body(kind, tuple(labels), depth + 1)

    def _skip(self, pattern: re.Pattern[str] = _SPACE) -> str:
        """Skip blanks and comments; return the character there."""
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text[self._at : self._at + 1]

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise Unreadable("not HCL")
        self._at = found.end()
        return found[0]

    def _expression(self, end: str, depth: int) -> Value:
        """Read an expression up to a line break, or to a comma or bracket of the list around it."""
        self._skip(_BLANKS)
        begin = self._at
        value = self._literal(depth)
        if value is not None and self._is_end(end):
            return value
        self._at = begin
        text = " ".join(self._raw(end, depth).split())
        if not text:
            raise Unreadable("a value is missing")
        return Plain(text)

    def _is_end(self, end: str) -> bool:
        here = self._skip(_BLANKS)
        if end == "\n" or here in ("#", "/"):
            return here == "}" or _LINE_END.match(self._text, self._at) is not None
        return here in end or here == "\n"

    def _literal(self, depth: int) -> Value:
        """Read a literal, a list or an object; return None if something else begins here."""
        here = self._text[self._at : self._at + 1]
        if depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        self._counter.count()
        if here == "[":
            return self._list(depth + 1)
        if here == "{":
            return self._object(depth + 1)
        if found := _ENCODED.match(self._text, self._at):
            return self._encoded(found, depth)
        if found := _HEREDOC.match(self._text, self._at):
            return self._heredoc(found)
        if found := _STRING.match(self._text, self._at):
            self._at = found.end()
            return _unescaped(found[1])
        found = _LITERAL.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return Plain(found[0]) if found else None

    def _list(self, depth: int) -> Value:
        items: list[Value] = []
        self._at += 1
        while (here := self._skip()) != "]":
            if here == "" or (not items and _is_word(self._text, self._at, "for")):
                return None
            items.append(self._expression(",]", depth))
            if self._skip() == ",":
                self._at += 1
        self._at += 1
        return items

    def _object(self, depth: int) -> Value:
        found: dict[str, Value] = {}
        self._at += 1
        while (here := self._skip()) != "}":
            name = _STRING.match(self._text, self._at) or _NAME.match(self._text, self._at)
            if here == "" or name is None or (not found and _is_word(self._text, self._at, "for")):
                return None
            key = _unescaped(name[1]) if here == '"' else name[0]
            self._at = name.end()
            if self._skip(_BLANKS) not in ("=", ":") or key in found:
                return None
            self._at += 1
            found[key] = self._expression(",}", depth)
            if self._skip() == ",":
                self._at += 1
        self._at += 1
        return found

    def _encoded(self, found: re.Match[str], depth: int) -> Value:
        """Read what is turned into JSON or YAML: it is what it says."""
        self._at = found.end()
        self._skip()
        value = self._literal(depth + 1)
        if value is None or self._skip() != ")":
            return None
        self._at += 1
        return value

    def _heredoc(self, found: re.Match[str]) -> str:
        end = re.compile(rf"^[ \t]*+{re.escape(found[1])}[ \t\r]*+$", re.M)
        last = end.search(self._text, found.end())
        if last is None:
            raise Unreadable("a text has no end")
        self._at = last.end()
        return self._text[found.end() : last.start()]

    def _raw(self, end: str, depth: int) -> str:
        """Return the text of an expression that is not a literal."""
        begin = self._at
        open_brackets: list[str] = []
        while self._at < len(self._text):
            here = self._text[self._at]
            if not open_brackets and (here in end or here == "\n" or here in "]})"):
                break
            if here in "#/" and _LINE_END.match(self._text, self._at) and not open_brackets:
                break
            self._token(here, open_brackets)
            if len(open_brackets) + depth > MAX_DEPTH:
                raise Unreadable("nested too deeply")
        if open_brackets:
            raise Unreadable("a bracket is missing")
        return self._text[begin : self._at]

    def _token(self, here: str, open_brackets: list[str]) -> None:
        """Move behind one token of an expression."""
        if here == '"':
            self._at = _template_end(self._text, self._at)
        elif here == "<" and (found := _HEREDOC.match(self._text, self._at)):
            self._heredoc(found)
        elif here in _CLOSING:
            open_brackets.append(_CLOSING[here])
            self._at += 1
        elif here in ")]}":
            if not open_brackets or open_brackets.pop() != here:
                raise Unreadable("a bracket is missing")
            self._at += 1
        else:
            space = _SPACE if open_brackets else _BLANKS  # outside brackets, a line break ends it
            found = space.match(self._text, self._at) if here in " \t\r\n#/" else None
            word = _WORD.match(self._text, self._at)
            moved = max(found.end() if found else 0, word.end() if word else 0)
            self._at = max(moved, self._at + 1)


def _template_end(text: str, at: int) -> int:
    """Return the end of a string with interpolations, which may contain strings."""
    inside = ['"']
    at += 1
    while inside:
        here = text[at : at + 1]
        if here == "" or (here == "\n" and inside[-1] == '"') or len(inside) > MAX_DEPTH:
            raise Unreadable("a string has no end")
        if inside[-1] == '"':
            if here == "\\":
                at += 1
            elif here == '"':
                inside.pop()
            elif here in "$%" and text[at + 1 : at + 2] == "{" and text[at - 1] != here:
                inside.append("}")
                at += 1
        elif here == '"':
            inside.append('"')
        elif here == "{":
            inside.append("}")
        elif here == "}":
            inside.pop()
        at += 1
    return at


def _is_word(text: str, at: int, word: str) -> bool:
    found = _NAME.match(text, at)
    return found is not None and found[0] == word


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text.replace("$${", "${").replace("%%{", "%{")

    def character(found: re.Match[str]) -> str:
        code = int(found[1] or found[2] or "0", 16)
        if code:
            return chr(code) if code <= 0x10FFFF else ""
        return _CONTROLS.get(found[3] or "", found[3] or "")

    return _ESCAPE.sub(character, text)
