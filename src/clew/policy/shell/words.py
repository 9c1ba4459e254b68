r"""Shell lexer: splits a command line as a shell does, without running anything.

    a=1 git push "o"rigin >log 2>&1 && echo $(date)

becomes words, redirections and operators in order.
A word consists of pieces, because a `$name` or a `$(command)` is special only outside single quotes.
The body of a here-document belongs to its redirection.

Invalid input is read as far as possible: an unclosed quote or parenthesis extends to the end.  Each
character is read a bounded number of times, whatever the input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from clew.model.named_tuple import NamedTuple


class WordPart:
    """The kind of a piece of a word."""

    TEXT = "text"
    VARIABLE = "variable"
    COMMAND = "command"


class Piece(NamedTuple):
    """Literal text, the name of a variable, or the text of a command substitution."""

    kind: str
    text: str

    def __str__(self) -> str:
        if self.kind == WordPart.TEXT:
            return self.text
        return f"${self.text}" if self.kind == WordPart.VARIABLE else f"$({self.text})"


class ShellWord(NamedTuple):
    """One word, without its quotes."""

    pieces: tuple[Piece, ...]
    is_bare: bool
    """No part of it was quoted: it may be a keyword."""

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))


class Redirection(NamedTuple):
    """A redirection of input or output."""

    sign: str
    """`<`, `>`, `>>`, `>&`, `<<<` and so on, without the descriptor number."""
    target: ShellWord
    body: str = ""
    """Of a here-document."""


Token = ShellWord | Redirection | str
"""An operator is represented by its text; a newline is an operator too."""


def shell_tokens(text: str) -> Iterator[Token]:
    """Yield the words, redirections and operators of `text`."""
    return _Lexer(text).tokens()


class _Lexer:
    __slots__ = ("_at", "_resume", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._resume = 0  # end of the here-document bodies of this line

    def tokens(self) -> Iterator[Token]:
        text = self._text
        while True:
            self._at = _end(_pattern("blank"), text, self._at)
            if self._at >= len(text):
                return
            if text[self._at] == "\n":
                self._at = max(self._at + 1, self._resume)
                yield "\n"
            elif text[self._at] == "#":
                self._at = _find(text, "\n", self._at)
            elif sign := _pattern("redirection").match(text, self._at):
                self._at = sign.end()
                yield self._redirection(sign[1])
            elif operator := _pattern("operator").match(text, self._at):
                self._at = operator.end()
                yield operator[0]
            else:
                yield self._word()

    def _redirection(self, sign: str) -> Redirection:
        self._at = _end(_pattern("blank"), self._text, self._at)
        target = self._word()
        if sign in ("<<", "<<-"):
            return Redirection("<<", target, self._body(str(target)))
        return Redirection(sign, target)

    def _body(self, end: str) -> str:
        """Return the here-document that ends with the line `end`; set where to resume after this line."""
        start = self._resume
        if start <= self._at:
            start = min(_find(self._text, "\n", self._at) + 1, len(self._text))
        body_end, self._resume = _here_document(self._text, start, end)
        return self._text[start:body_end]

    def _word(self) -> ShellWord:
        pieces: list[Piece] = []
        start = self._at
        is_bare = True
        while self._at < len(self._text):
            if plain := _pattern("plain").match(self._text, self._at):
                self._at = plain.end()
                pieces.append(Piece(WordPart.TEXT, plain[0]))
                continue
            char = self._text[self._at]
            if char in "'\"\\":
                is_bare = False
                pieces += self._quoted(char)
            elif char in "$`" or self._text.startswith(("<(", ">("), self._at):
                pieces.append(self._expansion(char))
            else:
                break
        if self._at == start:  # a stray character, such as a `)` after `<`
            return ShellWord((), is_bare=True)
        return ShellWord(tuple(pieces), is_bare)

    def _quoted(self, char: str) -> list[Piece]:
        text, start = self._text, self._at + 1
        if char == "\\":
            self._at = start + 1
            kept = text[start : start + 1] or "\\"  # at the end of the text it is literal
            return [Piece(WordPart.TEXT, kept.replace("\n", ""))]
        if char == "'":
            end = _find(text, "'", start)
            self._at = end + 1
            return [Piece(WordPart.TEXT, text[start:end])]
        self._at = start
        return self._double_quoted()

    def _double_quoted(self) -> list[Piece]:
        pieces = []
        text = self._text
        while self._at < len(text):
            if plain := _pattern("in quotes").match(text, self._at):
                self._at = plain.end()
                pieces.append(Piece(WordPart.TEXT, plain[0]))
            elif text[self._at] == '"':
                self._at += 1
                break
            elif text[self._at] == "\\":
                following = text[self._at + 1 : self._at + 2]
                kept = following if following in '"\\$`' else "\\" + following
                self._at += 2
                pieces.append(Piece(WordPart.TEXT, "" if following == "\n" else kept))
            else:
                pieces.append(self._expansion(text[self._at]))
        return pieces

    def _expansion(self, char: str) -> Piece:
        """Read an expansion: `$x`, `${x}`, `$(x)`, `<(x)`, a pair of backticks."""
        text = self._text
        if char == "`":
            end = _end(_pattern("in backticks"), text, self._at + 1)
            inner, self._at = text[self._at + 1 : end], end + 1
            return Piece(WordPart.COMMAND, inner)
        if text.startswith("(", self._at + 1):
            end = _closing(text, self._at + 2)
            inner, self._at = text[self._at + 2 : end], end + 1
            return Piece(WordPart.COMMAND, inner)
        if text.startswith("'", self._at + 1):
            end = _end(_pattern("in dollar quotes"), text, self._at + 2)
            inner, self._at = text[self._at + 2 : end], end + 1
            return Piece(WordPart.TEXT, _unescaped(inner))
        if name := _pattern("variable").match(text, self._at):
            self._at = name.end()
            return Piece(WordPart.VARIABLE, name[1] or name[2])
        self._at += 1
        return Piece(WordPart.TEXT, "" if text.startswith('"', self._at) else char)


def _closing(text: str, at: int) -> int:
    """Return the position of the parenthesis that closes the one opened before `at`."""
    depth = 1
    while found := _pattern("structure").search(text, at):
        at = found.end()
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth -= 1
            if not depth:
                return found.start()
        elif found["end"]:  # apostrophes in a here-document are not quotes
            at = _here_document(text, _find(text, "\n", at) + 1, found["end"])[0]
    return len(text)


def _here_document(text: str, start: int, end: str) -> tuple[int, int]:
    """Return the end of the body that begins at `start`, and where the text continues."""
    line = start
    while line < len(text):
        at = _end(_pattern("tabs"), text, line)
        after = at + len(end)
        if text.startswith(end, at) and text[after : after + 1] in ("", "\n", "\r", ")"):
            return line, after
        line = _find(text, "\n", at) + 1
    return len(text), len(text)


def _unescaped(text: str) -> str:
    """Decode the most common escapes of `$'…'`."""
    known = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: known.get(found[1], found[1]), text, flags=re.DOTALL)


def _find(text: str, char: str, at: int) -> int:
    found = text.find(char, at)
    return len(text) if found < 0 else found


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    return re.compile(
        {
            "blank": r"(?:[^\S\n]|\\\r?\n)*+",
            "tabs": r"\t*+",
            "redirection": (
                r"(?:[0-9]{1,3}|&|\{[A-Za-z_]\w{0,40}\})?"
                r"(<<<|<<-?|<>|<&|>&|>>|>\||<(?!\()|>(?!\())"
            ),
            "operator": r"&&|\|\||;;&?|;&|\|&|[;&|()]",
            "plain": r"[^\s'\"\\$`|&;<>()]++",
            "in quotes": r"[^\"\\$`]++",
            "in backticks": r"(?:[^`\\]|\\.)*+",
            "in dollar quotes": r"(?:[^'\\]|\\.)*+",
            "variable": r"\$(?:\{([^{}\s]{1,200}+)\}|(\w{1,200}+|[$?!#@*-]))",
            "structure": (
                r"[()]|\\.|'[^']*+'?|\"(?:[^\"\\]|\\.)*+\"?"
                r"|(?<!<)<<-?[ \t]{0,8}+\\?[\"']?(?P<end>[A-Za-z_]\w*+)[\"']?"
            ),
        }[name],
        re.DOTALL,
    )
