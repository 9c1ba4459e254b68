"""Detector interface: the `Detector` protocol, and the evidence and findings it works with.

A detector watches paths.
When one of them changed, it receives the changes and both trees and yields findings: facts, and
the changed paths that they explain.
It never opens a file, runs a program or reads the clock; it reads bytes from trees, and every byte
is untrusted.

Paths are text, relative to the root, without leading or trailing slash; bytes that are not UTF-8
are represented as surrogates.
The root of a machine's tree is its `/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from clew.model.entry import Entry, EntryKind
from clew.model.fact import Fact
from clew.model.named_tuple import NamedTuple

READ_LIMIT = 16 << 20
"""The largest file that `read` returns; larger files are reported as not analysed."""

_Once = TypeVar("_Once")


class ContentReader(Protocol):
    """Random access to the content of one file."""

    @property
    def size(self) -> int:
        """Its length in bytes."""

    def read(self, at: int, length: int) -> bytes:
        """Return bytes from an offset, fewer at the end of the file."""

    def runs(self, at: int, length: int) -> tuple[object, ...]:
        """Return where a range is stored, or () if unknown; equal answers mean equal bytes."""


class Tree(Protocol):
    """A read-only view of one filesystem tree."""

    def entry(self, path: str) -> Entry | None:
        """Return the entry at a path; the empty path is the root."""

    def entries(self, directory: str) -> Mapping[str, Entry]:
        """Return the entries of a directory by name; empty if there is no such directory."""

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        """Return the bytes of a regular file, or None if there is none; links are not followed.

        Raises `TooLarge` for a file above `limit`.
        """

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of a regular file in pieces, without a size limit."""

    def reader(self, path: str) -> ContentReader | None:
        """Return random access to a regular file of any size, or None if there is none."""

    def xattrs(self, path: str) -> Mapping[bytes, bytes]:
        """Return the extended attributes of the entry at a path."""


class TooLarge(Exception):
    """A file exceeds the read limit of a detector."""

    def __init__(self, path: str, size: int) -> None:
        super().__init__(f"too large to look into ({size:,} bytes)")
        self.path = path


class PathChange(NamedTuple):
    """One path that differs between the trees; `old` or `new` is None where it is absent."""

    path: str
    old: Entry | None
    new: Entry | None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def parent(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def is_added(self) -> bool:
        return self.old is None

    @property
    def is_deleted(self) -> bool:
        return self.new is None

    @property
    def is_content(self) -> bool:
        """Return whether more than metadata changed."""
        return self.old is None or self.new is None or not self.old.same_content(self.new)

    @property
    def is_directory(self) -> bool:
        """Return whether the path is a directory on every side where it exists."""
        old, new = self.old, self.new
        return (old is None or old.kind == EntryKind.DIRECTORY) and (
            new is None or new.kind == EntryKind.DIRECTORY
        )


class WatchedPaths(NamedTuple):
    """The changed paths that a detector receives.

    They are looked up in an index, not matched, so the cost does not grow with the number of paths
    that a detector watches.
    """

    paths: tuple[str, ...] = ()
    """Exact paths from the root: `etc/passwd`."""
    below: tuple[str, ...] = ()
    """Directories from the root: `etc/systemd` covers everything below it."""
    names: tuple[str, ...] = ()
    """File names in any directory: `package.json`."""
    suffixes: tuple[str, ...] = ()
    """File name suffixes, from the last dot: `.ipynb`."""
    heads: tuple[str, ...] = ()
    """File name prefixes, up to the second dot: `.env` matches `.env` and `.env.local`."""
    directories: tuple[str, ...] = ()
    """Directory names at any depth: `site-packages` covers everything below each of them."""
    everything: bool = False
    """Every changed path that is not a directory."""
    existed: bool = False
    """The detector runs only if one of its paths existed before: it is about edits and deletions."""
    own: bool = False
    """The detector runs only if one of its paths was not installed by a package manager."""


class Finding(NamedTuple):
    """Facts that form one line of the story, and the changed paths they explain."""

    facts: tuple[Fact, ...]
    claims: Collection[str] = ()
    text: str = ""
    """The line to print if there is no fact: `package lists refreshed (apt)`."""


class Detector(Protocol):
    """Reports facts of one kind of subject."""

    @property
    def name(self) -> str:
        """The stable, path-like name that `detector.failed` shows: `os/dpkg`."""

    @property
    def version(self) -> int:
        """Incremented when the same trees yield other facts: older stories are derived again."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of fact it may report."""

    @property
    def watch(self) -> WatchedPaths:
        """The changed paths that it receives."""

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        """Yield the findings that explain the watched `changes`."""


class Evidence:
    """Both trees, all changes between them, and the results of the detectors that ran before."""

    def __init__(
        self,
        old: Tree,
        new: Tree,
        changes: Mapping[str, PathChange],
        *,
        machine: bool = False,
        scratch: str | None = None,
    ) -> None:
        self.old = old
        self.new = new
        self.changes = changes
        """By path, in tree walk order."""
        self.machine = machine
        """Whether the root is the root of a whole machine."""
        self.scratch = scratch
        """A private directory on disk, for formats that can only be read from files."""
        self.owners: dict[str, str] = {}
        """Changed paths that a package installed in this interval: `usr/bin/sudo` → `sudo`."""
        self.facts: list[Fact] = []
        """Facts of the detectors that ran before."""
        self.claimed: set[str] = set()
        """Changed paths that are explained already."""
        self.problems: list[tuple[str, str]] = []
        """Paths that could not be read, with the reason; each becomes a line of the story."""
        self._once: dict[object, object] = {}

    def own(self, paths: Collection[str], package: str) -> None:
        """Record that `package` ships these paths, which suppresses warnings about them."""
        for path in paths:
            if path in self.changes:
                self.owners.setdefault(path, package)

    def unclaimed(self, paths: Collection[str]) -> list[str]:
        """Return the changed paths among `paths` that no detector has claimed."""
        return [path for path in paths if path in self.changes and path not in self.claimed]

    def below(self, directory: str) -> list[PathChange]:
        """Return every change at or below a directory."""
        prefix = directory + "/" if directory else ""
        return [
            change
            for path, change in self.changes.items()
            if path.startswith(prefix) or path == directory
        ]

    def problem(self, path: str, why: str) -> None:
        """Record that a path was not analysed."""
        self.problems.append((path, why))

    @contextmanager
    def guarded(self, path: str) -> Iterator[None]:
        """Turn any exception about one file into one line of the story."""
        try:
            yield
        except TooLarge as error:
            self.problem(error.path, str(error))
        except RecursionError:
            self.problem(path, "nested too deeply")
        except MemoryError:
            self.problem(path, "needs too much memory")
        except Exception as error:  # noqa: BLE001 - untrusted bytes may raise anything
            self.problem(path, f"cannot be read ({type(error).__name__})")

    def once(self, make: Callable[[Evidence], _Once]) -> _Once:
        """Return `make(self)`, computed once and shared by all detectors."""
        found = self._once.get(make)
        if found is None:
            found = self._once[make] = make(self)
        return found  # type: ignore[return-value]  # this is what `make` returned
