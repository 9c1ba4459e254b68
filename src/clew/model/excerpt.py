"""Excerpts: the part of a text around a match, with the matches in it."""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple

Span = tuple[int, int]
"""Start and end of a match, in characters."""


class Excerpt(NamedTuple):
    """A text in one line, and the matches in it."""

    text: str
    spans: tuple[Span, ...] = ()

    def around(self, limit: int) -> Excerpt:
        """Return at most `limit` characters around the first match, with `…` where it is cut."""
        if len(self.text) <= limit:
            return self
        first = self.spans[0][0] if self.spans else 0
        start = max(0, min(first - limit // 3, len(self.text) - limit))
        end = start + limit
        head = "…" if start else ""
        tail = "…" if end < len(self.text) else ""
        start, end = start + len(head), end - len(tail)
        shift = len(head) - start
        inside = (
            (max(first, start) + shift, min(last, end) + shift)
            for first, last in self.spans
            if first < end and last > start
        )
        return Excerpt(head + self.text[start:end] + tail, tuple(inside))

    def pieces(self) -> list[tuple[str, bool]]:
        """Return the text in pieces, each with whether it is a match."""
        found, at = [], 0
        for start, end in self.spans:
            found += [(self.text[at:start], False), (self.text[start:end], True)]
            at = end
        return [(text, marked) for text, marked in [*found, (self.text[at:], False)] if text]
