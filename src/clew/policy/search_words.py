"""Words to search for: all of them must be in one text, in any order, in either case."""

from __future__ import annotations

import re
from functools import cached_property

from clew.model.excerpt import Excerpt
from clew.policy.redaction.redact import MARK, redact

LONGEST = 400
"""Characters of an excerpt."""
_AROUND = 4_000
"""Characters before and after a match that are redacted: more than any secret is long."""
_ESCAPED = frozenset('"\\/')
"""Characters that JSON may write in another way."""


class SearchWords:
    """What somebody searches for."""

    def __init__(self, text: str) -> None:
        self.words = tuple(dict.fromkeys(text.lower().split()))

    def are_in(self, text: str) -> bool:
        """Return whether a text has all words."""
        lowered = text.lower()
        return all(word in lowered for word in self.words)

    def may_be_in_json(self, lowered: bytes) -> bool:
        """Return whether lower-case JSON may have all words; JSON may escape some characters."""
        return all(word in lowered for word in self._plain)

    def excerpt(self, text: str) -> Excerpt:
        """Return the part of a text with the words, on one line and redacted."""
        first = self._pattern.search(text)
        at = first.start() if first is not None else 0
        start, end = _word_edge(text, at - _AROUND), _word_edge(text, at + _AROUND)
        line = " ".join(redact(text[start:end]).split())
        return self.marked(line, cut=(start > 0, end < len(text)))

    def marked(self, line: str, cut: tuple[bool, bool] = (False, False)) -> Excerpt:
        """Return the part of a line with the words; `cut` says whether there is more around it."""
        line = f"{'…' if cut[0] else ''}{line}{'…' if cut[1] else ''}"
        spans = tuple(found.span() for found in self._pattern.finditer(line))
        if not spans and MARK in line:  # a word is part of a secret
            at = line.index(MARK)
            spans = ((at, at + len(MARK)),)
        return Excerpt(line, spans).around(LONGEST)

    def common_part(self, path: str) -> str:
        """Return the shortest beginning of a path, in whole names, that has all words."""
        at = path.find("/")
        while at >= 0 and not self.are_in(path[:at]):
            at = path.find("/", at + 1)
        return path if at < 0 else path[:at]

    @cached_property
    def _plain(self) -> tuple[bytes, ...]:
        return tuple(
            word.encode() for word in self.words if word.isascii() and not _ESCAPED & set(word)
        )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self.words, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)


def _word_edge(text: str, at: int) -> int:
    """Return the position of the space before `at`: half a secret is not recognized."""
    if at <= 0 or at >= len(text):
        return min(max(at, 0), len(text))
    space = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at))
    return at if space < 0 else space
