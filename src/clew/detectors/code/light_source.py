"""Light reader of source code: comments, strings and brackets, without a parser.

It is good enough to find definitions in well-formed files of the common languages.
Every pattern is linear: text is hostile.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

_LINE_COMMENT = r"(?P<c1>//[^\n]*+)"
_BLOCK_COMMENT = r"(?P<c2>/\*(?:[^*]|\*(?!/))*+(?:\*/)?+)"
_HASH_COMMENT = r"(?P<c3>(?<![^\s;(){}\[\],])#(?!\[)[^\n]*+)"
_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"?+'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?+"
_BACKTICK = r"`(?:[^`\\]|\\.)*+`?+"
_RAW_BACKTICK = r"`[^`]*+`?+"
_TRIPLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?+'
_TRIPLE_SINGLE = r"'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?+"
_CHARACTER = r"'(?:\\[^\n']{1,10}+|[^\\'\n])'"
_RUST_RAW = r'\br(?P<hashes>#{0,8}+)"(?:[^"]|"(?!(?P=hashes)))*+"?+(?P=hashes)?+'
_VERBATIM = r'[@$]{1,2}"(?:[^"]|"")*+"?+'
_REGULAR = (
    r"(?:(?<=[(,=:\[!&|?{};\n])|(?<=return))[ \t]*+/(?![*/])"
    r"(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*+"
)
_C_STYLE = (_LINE_COMMENT, _BLOCK_COMMENT)


def _compiled(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.S)


_SCRIPT = _compiled(*_C_STYLE, _DOUBLE, _SINGLE, _BACKTICK, _REGULAR)
_JVM = _compiled(*_C_STYLE, _TRIPLE, _DOUBLE, _CHARACTER)
_HASH = _compiled(_HASH_COMMENT, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE)

_SYNTAXES: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("js", "ts"), _SCRIPT),
    **dict.fromkeys(("java", "kotlin", "scala", "swift", "groovy"), _JVM),
    "go": _compiled(*_C_STYLE, _RAW_BACKTICK, _DOUBLE, _CHARACTER),
    "rust": _compiled(*_C_STYLE, _RUST_RAW, r'"(?:[^"\\]|\\.)*+"?+', _CHARACTER),
    "csharp": _compiled(*_C_STYLE, _TRIPLE, _VERBATIM, _DOUBLE, _CHARACTER),
    "php": _compiled(*_C_STYLE, _HASH_COMMENT, r'"(?:[^"\\]|\\.)*+"?+', r"'(?:[^'\\]|\\.)*+'?+"),
    "c": _compiled(*_C_STYLE, _DOUBLE, _CHARACTER),
    "zig": _compiled(_LINE_COMMENT, _DOUBLE, _CHARACTER),
    "dart": _compiled(*_C_STYLE, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "lua": _compiled(
        r"(?P<c1>--\[\[(?:[^\]]|\](?!\]))*+(?:\]\])?+)", r"(?P<c2>--[^\n]*+)", _DOUBLE, _SINGLE
    ),
    "haskell": _compiled(
        r"(?P<c1>\{-(?:[^-]|-(?!\}))*+(?:-\})?+)", r"(?P<c2>--[^\n]*+)", _DOUBLE, _CHARACTER
    ),
    "clojure": _compiled(r"(?P<c1>;[^\n]*+)", r'"(?:[^"\\]|\\.)*+"?+'),
    **dict.fromkeys(("python", "ruby", "elixir", "shell", "perl", "r", "julia"), _HASH),
}

_BRACKETS = re.compile(r"[(){}\[\]]")
_CLOSING = {")": "(", "}": "{", "]": "["}
_TOKENS = re.compile(r"\w+|[^\w\s]")
_TRAILING = frozenset(")]}")


class LightSource:
    """The text of a file with comments and strings told apart; positions are the same in all."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self._syntax = _SYNTAXES.get(language, _SCRIPT)

    @cached_property
    def _forms(self) -> tuple[str, str, list[str], list[str]]:
        code: list[str] = []
        masked: list[str] = []
        comments: list[str] = []
        strings: list[str] = []
        at = 0
        for match in self._syntax.finditer(self.text):
            start, end = match.span()
            found = match[0]
            plain = self.text[at:start]
            code.append(plain)
            masked.append(plain)
            if match.lastgroup is not None and match.lastgroup[0] == "c":
                comments.append(found)
                code.append(_blank(found))
                masked.append(_blank(found))
            else:
                strings.append(found)
                code.append(found)
                masked.append(_hollow(found))
            at = end
        rest = self.text[at:]
        return "".join([*code, rest]), "".join([*masked, rest]), comments, strings

    @property
    def code(self) -> str:
        """The text without its comments."""
        return self._forms[0]

    @property
    def masked(self) -> str:
        """The text without its comments and without what is in its strings."""
        return self._forms[1]

    @property
    def comments(self) -> list[str]:
        return self._forms[2]

    @property
    def strings(self) -> list[str]:
        return self._forms[3]

    @cached_property
    def _brackets(self) -> tuple[dict[int, int], dict[int, int]]:
        """Each opening bracket with the one that closes it, and with the one around it."""
        closing: dict[int, int] = {}
        around: dict[int, int] = {}
        waiting: list[tuple[str, int]] = []
        for match in _BRACKETS.finditer(self.masked):
            bracket = match[0]
            if bracket in "([{":
                around[match.start()] = waiting[-1][1] if waiting else -1
                waiting.append((bracket, match.start()))
                continue
            kind = _CLOSING[bracket]
            # A stray bracket, such as one in a text that was not recognised, closes nothing.
            depth = next(
                (back for back in (1, 2, 3) if back <= len(waiting) and waiting[-back][0] == kind),
                0,
            )
            if depth:
                closing[waiting[-depth][1]] = match.start()
                del waiting[-depth:]
        return closing, around

    @property
    def closing(self) -> dict[int, int]:
        """The position of the bracket that closes each one; those without are left out."""
        return self._brackets[0]

    @cached_property
    def _opening(self) -> list[int]:
        return list(self._brackets[1])  # in the order of the text

    def innermost(self, position: int) -> int:
        """Return the innermost bracket that is open at a position and closed later; -1 at the top."""
        closing, around = self._brackets
        at = bisect_left(self._opening, position) - 1
        found = self._opening[at] if at >= 0 else -1
        while found >= 0 and closing.get(found, -1) < position:
            found = around[found]
        return found

    def tokens(self, start: int = 0, end: int | None = None) -> list[str]:
        """Return words and signs of a part, without comments, as a formatter leaves them."""
        found = list(plain_tokens(self.code[start:end]))
        return _without_quoted_keys(found) if self.language in ("js", "ts") else found

    def texts(self) -> list[str]:
        """Return what is in the strings, whatever their quotes; single words are among the tokens."""
        inner = [
            found.strip()[1:-1].replace("\\'", "'").replace('\\"', '"') for found in self.strings
        ]
        return [text for text in inner if not text.isidentifier()]

    @cached_property
    def lines(self) -> list[int]:
        """The positions at which lines begin."""
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts


def _hollow(text: str) -> str:
    """Return a string with its quotes and without what is in it."""
    inner = text.lstrip(" \t")
    if len(inner) < 2:
        return text
    return text[: len(text) - len(inner)] + inner[0] + _blank(inner[1:-1]) + inner[-1]


def _blank(text: str) -> str:
    """Return as many blanks, with the line breaks kept."""
    if "\n" not in text:
        return " " * len(text)
    return "\n".join(" " * len(line) for line in text.split("\n"))


def plain_tokens(code: str) -> Iterator[str]:
    """Yield tokens without what formatters add or remove.

    These are `;`, a last comma, the kind of quotes, a backslash before one, and the brackets around
    the only parameter of an arrow function.
    """
    words = [word for word in _TOKENS.findall(code) if word != ";"]
    waiting, bare = False, -1
    for at, word in enumerate(words):
        if waiting and word not in _TRAILING:
            yield ","
        waiting = word == ","
        if word == "(" and words[at + 2 : at + 5] == [")", "=", ">"]:
            bare = at + 2
        elif at == bare or (word == "\\" and words[at + 1 : at + 2] in (['"'], ["'"])):
            continue
        elif not waiting:
            yield '"' if word == "'" else word


def _without_quoted_keys(tokens: list[str]) -> list[str]:
    """Return tokens without quotes around the keys of an object that need none."""
    found: list[str] = []
    at = 0
    while at < len(tokens):
        is_key = tokens[at : at + 4 : 2] == ['"', '"'] and tokens[at + 3 : at + 4] == [":"]
        if is_key and found and found[-1] in "{," and tokens[at + 1].isidentifier():
            found.append(tokens[at + 1])
            at += 3
        else:
            found.append(tokens[at])
            at += 1
    return found
