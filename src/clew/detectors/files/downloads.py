"""Download detector: files that a browser or a program has not received completely, or now has.

`*.crdownload`, `*.aria2`, `*.incomplete` and the like are always downloads.  `*.part`, `*.partial` and
`*.tmp` are also names of other files: those count only if git does not track them and they are no
small text, and `data.bin.tmp` only while there is no `data.bin`.
rsync receives `model.bin` as `.model.bin.aB3dEf`, which only its owner may read; programs that
synchronise directories have similar names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.data.data_facts import data_fact
from clew.detectors.detector import Evidence, Finding, PathChange, TooLarge, WatchedPaths
from clew.detectors.files.cut_files import cut_files
from clew.detectors.files.source_languages import is_generated_or_vendored
from clew.detectors.repositories.git_tracking import GitTracking
from clew.model.amount import size_text
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity

_CERTAIN = (".crdownload", ".aria2", ".incomplete", ".opdownload", ".filepart", ".!qB", ".!ut",
            ".fdmdownload", ".bc!", ".xltd", ".ytdl", ".gstmp")  # fmt: skip
_AMBIGUOUS = (".part", ".partial", ".download")
_TEMPORARY = ".tmp"
_CONTROL = (".aria2", ".ytdl")
"""Next to a file that is received, this one says what is missing."""
_COPIES = re.compile(r"\.(?P<name>[^/]+)\.(?P<random>[A-Za-z0-9]{6})")
_WORDS = re.compile(r"[a-z]+\d*|[A-Z]+\d*|[A-Z][a-z]+\d*|\d+[a-z]*|\d+[A-Z]*")
"""Endings of names that somebody chose: `.env.sample`, `.bashrc.backup`, `.a.240131`."""
_SYNCHRONISED = re.compile(r"\.(?:syncthing|unison)\.[^/]+\.tmp|\.~[^/]+\.[0-9a-f]{3,8}")
_COPY_DIRECTORIES = (".rsync-partial", ".~tmp~")
_OTHERS_MAY_READ = 0o077
_SMALL = 64 << 10
_MAX_FACTS = 50
_MAX_READ = 2_000


class Downloads:
    """Reports downloads and copies that are incomplete, and downloads that were completed."""

    name = "files/downloads"
    version = 3
    kinds: tuple[str, ...] = ("broken.download", "data.changed")
    watch = WatchedPaths(everything=True, own=True)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        facts: list[Fact] = []
        claims: list[str] = []
        named = [(change, what) for change in changes if (what := _what_is(change))]
        for change, what in named[:_MAX_READ]:
            if change.path in evidence.owners:
                continue
            with evidence.guarded(change.path):
                if change.new is None:
                    yield from _completed(evidence, change)
                elif change.new.is_file and _is_received(evidence, change, what):
                    claims.append(change.path)
                    facts.append(_fact(evidence, change, what))
        if facts:
            yield Finding(tuple(facts[:_MAX_FACTS]), claims)
        yield from cut_files(evidence, changes)


def _what_is(change: PathChange) -> str:
    """Return `copy` or `download` if a file may be one by its name; else an empty text."""
    name = change.name
    if name.endswith((*_CERTAIN, *_AMBIGUOUS, _TEMPORARY)):
        return "copy" if _SYNCHRONISED.fullmatch(name) else "download"
    if name[:1] == "." and _is_copy(change, name):
        return "copy"
    return "copy" if change.parent.endswith(_COPY_DIRECTORIES) else ""


def _is_copy(change: PathChange, name: str) -> bool:
    """Return whether rsync, or a program like it, may be writing a file."""
    if _SYNCHRONISED.fullmatch(name):
        return True
    found = _COPIES.fullmatch(name)
    if found is None or _WORDS.fullmatch(found["random"]):
        return False
    return change.new is not None and not change.new.mode & _OTHERS_MAY_READ


def _is_received(evidence: Evidence, change: PathChange, what: str) -> bool:
    if change.name.endswith(_CERTAIN):
        return True
    new, is_temporary = change.new, change.name.endswith(_TEMPORARY)
    if new is None or evidence.once(GitTracking).tracks(change.path):
        return False
    if (what == "copy" or is_temporary) and is_generated_or_vendored(change.path):
        return False
    if what == "copy":
        return new.size > 0
    if is_temporary:
        return new.size >= _SMALL and _is_only_copy(evidence, change.path)
    return new.size >= _SMALL or _is_binary(evidence, change.path)


def _is_only_copy(evidence: Evidence, path: str) -> bool:
    """Return whether a temporary file has the name of another file that is not there yet."""
    final = path.removesuffix(_TEMPORARY)
    has_suffix = "." in final.rpartition("/")[2].lstrip(".")
    return has_suffix and evidence.new.entry(final) is None


def _is_binary(evidence: Evidence, path: str) -> bool:
    try:
        content = evidence.new.read(path, _SMALL) or b""
    except TooLarge:
        return True
    return b"\0" in content[:8_000]


def _completed(evidence: Evidence, change: PathChange) -> Iterator[Finding]:
    """Yield that a file is there whose part is gone."""
    path = change.path
    final = path.rpartition(".")[0]
    received = evidence.changes.get(final)
    if received is None or received.new is None or not received.new.is_file or path == final:
        return
    if change.old is None or not change.old.is_file or received.new.size < change.old.size:
        return
    if path in evidence.claimed or final in evidence.claimed or path.endswith(_TEMPORARY):
        return
    was = received.old if path.endswith(_CONTROL) else change.old
    before = _size(was)
    fact = data_fact("download", final, before, _size(received.new), (_said(received.new),))
    yield Finding((fact,), (final, path))


def _said(entry: Entry) -> str:
    return f"download finished, {size_text(entry.size)}"


def _size(entry: Entry | None) -> str | None:
    return size_text(entry.size) if entry is not None and entry.is_file else None


def _fact(evidence: Evidence, change: PathChange, what: str) -> Fact:
    path, old, new = change.path, change.old, change.new
    if path.endswith(_CONTROL):
        path = path.rpartition(".")[0]
        old, new = evidence.old.entry(path), evidence.new.entry(path)
    return Fact(
        "broken.download", what, path, _size(old), _size(new), severity=Severity.NOTE,
        evidence=(change.path,),
    )  # fmt: skip
