"""JSON5 reader: JSON with comments, names without quotes, single quotes and other numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from clew.detectors.formats.json_reader import read_json_value
from clew.detectors.formats.values import Unreadable, Value

_TOKEN = re.compile(
    r"(?P<blank>(?:\s|\ufeff)++|//[^\n\r]*+|/\*(?:[^*]|\*(?!/))*+\*/)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\\r\n|\\.)*+\"|'(?:[^'\\\n]|\\\r\n|\\.)*+')"
    r"|(?P<number>[+-]?(?:0[xX][0-9a-fA-F]{1,32}|(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60})(?:[eE][+-]?\d{1,6})?"
    r"|Infinity|NaN)(?![\w$]))"
    r"|(?P<name>[^\W\d][\w$]*+|\$[\w$]*+)|(?P<mark>[{}\[\]:,])",
    re.S,
)
_ESCAPE = re.compile(r"\\(?:\r\n|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "f": "\f", "r": "\r", "v": "\v", "0": "\0"}
_LINE_ENDS = "\n\r\u2028\u2029"
_WORDS = ("true", "false", "null")

_Token = tuple[str, str]


def read_json5(text: str) -> Value:
    """Return the value of a file; raises `Unreadable`."""
    tokens = [*_tokens(text), ("", "")]
    return read_json_value("".join(_strict(token, after) for token, after in pairwise(tokens)))


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise Unreadable("not JSON5")
        at = found.end()
        if found.lastgroup != "blank":
            yield found.lastgroup, found[0]


def _strict(token: _Token, after: _Token) -> str:
    """Return a token as JSON writes it; `after` is the next one."""
    kind, text = token
    if kind == "text":
        return json.dumps(_ESCAPE.sub(_unescaped, text[1:-1]))
    if kind == "number":
        return _number(text)
    if kind == "name" and after[1] == ":":
        return json.dumps(text)
    if kind == "name" and text not in _WORDS:
        raise Unreadable("a word without quotes")
    is_last_comma = text == "," and after[1] in ("}", "]")
    return "" if is_last_comma else text


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    letter = found[3] or "\n"
    return "" if letter in _LINE_ENDS else _ESCAPES.get(letter, letter)


def _number(text: str) -> str:
    sign = "-" if text[0] == "-" else ""
    bare = text.lstrip("+-")
    if bare[:2] in ("0x", "0X"):
        return f"{sign}{int(bare, 16)}"
    if bare == "NaN":
        return bare
    head, dot, tail = bare.partition(".")
    if not dot:
        return sign + (head.lstrip("0") or "0" if head.isdigit() else head)
    tail = f"0{tail}" if not tail[:1].isdigit() else tail
    return f"{sign}{head.lstrip('0') or '0'}.{tail}"
