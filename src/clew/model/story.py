"""Story: the changes between two states, as facts and in words."""

from __future__ import annotations

from clew.model import bencode
from clew.model.bencode import bytes_of, list_of, number_of
from clew.model.fact import SEVERITY_RANK, Fact, Severity
from clew.model.named_tuple import NamedTuple
from clew.model.shorten import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HEADLINE_LIMIT = 100
NOTHING = "nothing changed"
UNTOLD = "changed, but not analysed in time"
"""The headline after a timeout; such a story is not stored."""

NO_TIME = "there was no time"
TOOK_TOO_LONG = "took too long"
"""Why a detector is missing from a story that was cut short."""
CUT_SHORT = "not all analysed"
"""The part of a headline that says so."""

_VERSION = 1


class StoryLine(NamedTuple):
    """One line of a story, and the paths it explains."""

    heading: str
    text: str
    severity: str = Severity.NONE
    paths: tuple[str, ...] = ()
    """The changed paths that this line explains; each path is in one line only."""
    path_count: int = 0
    """Their number; a stored story does not contain the paths themselves."""


class Story(NamedTuple):
    """The description of a change, most severe lines first."""

    headline: str
    """At most `HEADLINE_LIMIT` characters."""
    facts: tuple[Fact, ...] = ()
    lines: tuple[StoryLine, ...] = ()
    changed_paths: int = 0
    retold: str = ""
    """The story rewritten by the user's story writer, if configured."""

    @property
    def severity(self) -> str:
        """The highest severity of its lines."""
        found = [line.severity for line in self.lines]
        return max(found, key=SEVERITY_RANK.__getitem__, default=Severity.NONE)

    @property
    def is_cut(self) -> bool:
        """Whether detectors ran out of time: with more of it, the story may say more."""
        return self.headline == UNTOLD or any(
            fact.kind == "detector.failed" and fact.after in (NO_TIME, TOOK_TOO_LONG)
            for fact in self.facts
        )

    def limited_to(self, is_chosen: Callable[[str], bool]) -> Story:
        """Return the lines that explain at least one chosen path; the headline is the first one."""
        lines = tuple(line for line in self.lines if any(map(is_chosen, line.paths)))
        facts = tuple(fact for fact in self.facts if any(map(is_chosen, fact.evidence)))
        headline = shorten(lines[0].text, HEADLINE_LIMIT) if lines else NOTHING
        return self._replace(headline=headline, lines=lines, facts=facts, retold="")

    def without_paths(self) -> Story:
        """Return the story as stored: with the number of paths of each line only."""
        return self._replace(lines=tuple(line._replace(paths=()) for line in self.lines))


def encode_story(story: Story) -> bytes:
    """Encode a story for storage, without the paths of its lines."""
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
    """Decode the result of `encode_story`; raise ValueError if it is invalid."""
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
        _optional_text(before),
        _optional_text(after),
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


def _optional_text(value: bencode.Value) -> str | None:
    found = list_of(value)
    return _text(found[0]) if found else None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # a snapshot may contain unpaired surrogates


def _text(value: bencode.Value) -> str:
    return bytes_of(value).decode("utf-8", "surrogatepass")
