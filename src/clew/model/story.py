"""A story: what happened between two moments, in facts and in words."""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.model.named_tuple import NamedTuple

HEADLINE_LIMIT = 100
NOTHING = "nothing changed"
UNTOLD = "changed, but not analysed in time"
"""The headline when there was no time; such a story is not kept."""

_VERSION = 1


class StoryLine(NamedTuple):
    """One line of a card, and everything behind it."""

    heading: str
    text: str
    severity: str = Severity.NONE
    paths: tuple[str, ...] = ()
    """Every changed path that this line explains; no other line has them."""
    path_count: int = 0
    """How many; a story that was kept has lost the paths themselves."""


class Story(NamedTuple):
    """What happened, from the loudest to the least."""

    headline: str
    """At most `HEADLINE_LIMIT` characters."""
    facts: tuple[Fact, ...] = ()
    lines: tuple[StoryLine, ...] = ()
    changed_paths: int = 0
    retold: str = ""
    """The same in the words of the user's writer, if there is one."""

    @property
    def severity(self) -> str:
        """The loudest of its lines."""
        found = [line.severity for line in self.lines]
        return max(found, key=SEVERITY_RANK.__getitem__, default=Severity.NONE)

    def without_paths(self) -> Story:
        """Return the story as it is kept: each line says how many paths it explains."""
        return self._replace(lines=tuple(line._replace(paths=()) for line in self.lines))


def encode_story(story: Story) -> bytes:
    """Return a story as bytes to keep; the paths behind its lines are left out."""
    return bencode.encode(
        {
            b"version": _VERSION,
            b"headline": _bytes(story.headline),
            b"changed": story.changed_paths,
            b"retold": _bytes(story.retold),
            b"lines": [
                [_bytes(line.heading), _bytes(line.text), _bytes(line.severity), line.path_count]
                for line in story.lines
            ],
            b"facts": [_encode_fact(fact) for fact in story.facts],
        }
    )


def decode_story(content: bytes) -> Story:
    """Return the story that `encode_story` made; ValueError for anything else."""
    found = bencode.decode_dict(content)
    try:
        if found[b"version"] != _VERSION:
            raise ValueError("A story of another version")
        return Story(
            _text(found[b"headline"]),
            tuple(_decode_fact(item) for item in list_of(found[b"facts"])),
            tuple(_decode_line(item) for item in list_of(found[b"lines"])),
            number_of(found[b"changed"]),
            _text(found[b"retold"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError("Not a story") from error


def _encode_fact(fact: Fact) -> list[bencode.Value]:
    texts = (fact.kind, fact.scope, fact.subject, fact.severity, fact.basis)
    return [
        *map(_bytes, texts),
        [] if fact.before is None else [_bytes(fact.before)],
        [] if fact.after is None else [_bytes(fact.after)],
        int(fact.direct),
        [_bytes(path) for path in fact.evidence],
        [_bytes(mark) for mark in fact.marks],
    ]


def _decode_fact(value: bencode.Value) -> Fact:
    kind, scope, subject, severity, basis, before, after, direct, evidence, marks = list_of(value)
    return Fact(
        _text(kind),
        _text(scope),
        _text(subject),
        _maybe(before),
        _maybe(after),
        number_of(direct) == 1,
        _severity(severity),
        _text(basis),
        tuple(_text(path) for path in list_of(evidence)),
        tuple(_text(mark) for mark in list_of(marks)),
    )


def _decode_line(value: bencode.Value) -> StoryLine:
    heading, text, severity, paths = list_of(value)
    return StoryLine(_text(heading), _text(text), _severity(severity), (), number_of(paths))


def _severity(value: bencode.Value) -> str:
    text = _text(value)
    if text not in SEVERITY_RANK:
        raise ValueError("Not a severity")
    return text


def _maybe(value: bencode.Value) -> str | None:
    found = list_of(value)
    return _text(found[0]) if found else None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # a snapshot may hold halves of characters


def _text(value: bencode.Value) -> str:
    return bytes_of(value).decode("utf-8", "surrogatepass")
