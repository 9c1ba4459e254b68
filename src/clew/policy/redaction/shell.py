"""Words of a command line with their positions, so that parts can be replaced.

`shell/words.py` returns what a shell makes of a line; this module returns positions in the text.  It
also reads prose, so a quote that is never closed, or is inside a word as in `don't`, is literal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from clew.model.named_tuple import NamedTuple

LONGEST = 1 << 16
"""Maximum number of characters of one command; the rest is read as another."""


class PlacedWord(NamedTuple):
    """One word as written, or an operator."""

    start: int
    end: int
    raw: str
    is_operator: bool = False

    @property
    def text(self) -> str:
        """The word without its quotes."""
        if not _pattern("quote").search(self.raw):
            return self.raw
        return _pattern("chunk").sub(lambda found: found[1] or found[2] or found[3] or "", self.raw)

    def after(self, length: int) -> tuple[int, int]:
        """Return the span after the first characters of the word, without quotes at its ends."""
        return self.trimmed(self.start + length, self.end)

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Return a span of the word without the quotes at its ends."""
        raw = self.raw[start - self.start : end - self.start]
        bare = raw.lstrip("\\\"'")
        start += len(raw) - len(bare)
        end -= len(bare) - len(bare.rstrip("\\\"'"))
        return start, max(start, end)


def words_from(text: str, at: int) -> Iterator[PlacedWord]:
    """Yield the words of one simple command, and finally the operator that ends it."""
    limit = at + LONGEST
    while at < len(text) and at < limit:
        at = _end("blank", text, at)
        if found := _pattern("operator").match(text, at):
            yield PlacedWord(at, found.end(), found[0], is_operator=True)
            if not found[0].startswith("<"):
                return
            at = found.end()
            continue
        found = _pattern("word").match(text, at)
        if found is None or found.end() == at:
            return
        yield PlacedWord(at, found.end(), found[0])
        at = found.end()


def _end(name: str, text: str, at: int) -> int:
    found = _pattern(name).match(text, at)
    return at if found is None else found.end()


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use to keep the import fast."""
    double = r"\"(?:[^\"\\]|\\.)*+\""
    # An apostrophe after a letter is part of the word; after an option or a value it is a quote.
    single = r"(?<![A-Za-z])'[^']*+'|(?<=[\s=:][A-Za-z])'[^']*+'|(?<=-[A-Za-z])'[^']*+'"
    escaped = r"\\\"[^\"\\]*+\\\""
    return re.compile(
        {
            "blank": r"(?:[^\S\n]|\\\r?\n)*+",
            "operator": r"\n|&&|\|\||<<<|<<-?(?!<)|[;|&()]|\d?>{1,2}&?\d?|<(?![\w(])",
            "word": rf"(?:{double}|{single}|{escaped}|\$\([^()\n]*+\)|\\.|[^\s;|&()<>]|[<>](?=\())++",
            "quote": r"[\"'\\]",
            "chunk": r"\\?\"((?:[^\"\\]|\\(?!\").)*+)\\?\"|'([^']*+)'|\\(.)",
        }[name],
        re.DOTALL,
    )
