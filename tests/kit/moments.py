"""Two moments made of dictionaries, and what detectors say about them.

    facts(EnvFiles(), {".env": b"A=1"}, {".env": b"A=2"})

Paths are text; values are the bytes of a file, or what `file`, `link` and `directory` make.
Directories above a path are there by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clew.detectors.detector import (
    READ_LIMIT,
    Detector,
    Evidence,
    Finding,
    PathChange,
    TooLarge,
)
from clew.model.content_reader import BytesReader
from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact
from clew.model.ids import ObjectType, object_id
from clew.model.small_objects import encode_xattrs
from clew.model.story import Story
from clew.story.analyse import analyse, ask
from clew.story.compose import compose


class Thing(NamedTuple):
    """What a moment holds at one path."""

    entry: Entry
    content: bytes = b""
    xattrs: Mapping[bytes, bytes] = {}


Moment = Mapping[str, "bytes | Thing"]


def file(
    content: bytes = b"",
    *,
    mode: int = 0o644,
    uid: int = 0,
    gid: int = 0,
    size: int | None = None,
    xattrs: Mapping[bytes, bytes] | None = None,
) -> Thing:
    """Return a regular file; `size` makes one that says it is larger than it is."""
    entry = Entry(
        b"", EntryKind.FILE, mode, uid, gid,
        size=len(content) if size is None else size,
        content=object_id(ObjectType.BLOB, content),
        xattrs=object_id(ObjectType.XATTRS, encode_xattrs(xattrs)) if xattrs else None,
    )  # fmt: skip
    return Thing(entry, content, xattrs or {})


def link(target: str) -> Thing:
    return Thing(Entry(b"", EntryKind.SYMLINK, 0o777, target=target.encode()))


def directory(*, mode: int = 0o755) -> Thing:
    return Thing(Entry(b"", EntryKind.DIRECTORY, mode))


class MemoryTree:
    """A tree that is a dictionary."""

    def __init__(self, moment: Moment) -> None:
        self.things: dict[str, Thing] = {"": directory()}
        for path, what in moment.items():
            thing = what if isinstance(what, Thing) else file(what)
            name = path.rpartition("/")[2].encode("utf-8", "surrogateescape")
            self.things[path] = thing._replace(entry=thing.entry._replace(name=name))
            above = path.rpartition("/")[0]
            while above and above not in self.things:
                self.things[above] = directory()
                above = above.rpartition("/")[0]
        self._entries: dict[str, dict[str, Entry]] = {}
        for path, thing in self.things.items():
            if path:
                parent, _, own = path.rpartition("/")
                self._entries.setdefault(parent, {})[own] = thing.entry

    def entry(self, path: str) -> Entry | None:
        thing = self.things.get(path)
        return thing.entry if thing else None

    def entries(self, directory: str) -> dict[str, Entry]:
        return self._entries.get(directory, {})

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        thing = self.things.get(path)
        if thing is None or not thing.entry.is_file:
            return None
        if thing.entry.size > limit:
            raise TooLarge(path, thing.entry.size)
        return thing.content

    def pieces(self, path: str) -> Iterator[bytes]:
        thing = self.things.get(path)
        if thing is not None and thing.entry.is_file:
            yield thing.content

    def reader(self, path: str) -> BytesReader | None:
        thing = self.things.get(path)
        return BytesReader(thing.content) if thing is not None and thing.entry.is_file else None

    def xattrs(self, path: str) -> Mapping[bytes, bytes]:
        thing = self.things.get(path)
        return thing.xattrs if thing else {}


def evidence(
    old: Moment, new: Moment, *, machine: bool = False, scratch: str | None = None
) -> Evidence:
    """Return two moments as detectors see them."""
    before, after = MemoryTree(old), MemoryTree(new)
    changes = {}
    for path in sorted({*before.things, *after.things}):
        was, now = before.entry(path), after.entry(path)
        is_same = (
            was is not None
            and now is not None
            and was.same_content(now)
            and was.same_metadata(now, mtimes=False)
        )
        if not is_same:
            changes[path] = PathChange(path, was, now)
    return Evidence(before, after, changes, machine=machine, scratch=scratch)


def findings(detector: Detector, found: Evidence) -> list[Finding]:
    """Return what one detector says about the changes that it watches."""
    return [
        finding for result in analyse(found, [detector], [], ask) for finding in result.findings
    ]


def facts(
    detector: Detector,
    old: Moment,
    new: Moment,
    *,
    machine: bool = False,
    scratch: str | None = None,
) -> list[Fact]:
    """Return the facts that one detector states, without its problems."""
    found = evidence(old, new, machine=machine, scratch=scratch)
    return [fact for finding in findings(detector, found) for fact in finding.facts]


def problems(detector: Detector, old: Moment, new: Moment) -> list[tuple[str, str]]:
    """Return what one detector could not read, and why."""
    results = analyse(evidence(old, new), [detector], [], ask)
    return [problem for result in results for problem in result.problems]


def story(
    detectors: list[Detector], old: Moment, new: Moment, sorters: list[Detector] | None = None
) -> Story:
    """Return the story that some detectors tell of two moments."""
    found = evidence(old, new)
    return compose(found, list(analyse(found, detectors, sorters or [], ask)))
