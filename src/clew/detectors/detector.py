"""What a detector is, and what it works with.

A detector watches some paths.
When one of them changed, it is given the changes and both trees, and it yields findings: facts,
and the changed paths that they explain.
It never opens a file, runs a program or looks at the clock; it reads bytes out of trees, and every
one of those bytes is hostile.

A path is text here, relative to the root, without a slash at either end; bytes that are no UTF-8
are kept as surrogates.
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
"""The largest file that `read` gives; what is larger is said to be not analysed."""

_Once = TypeVar("_Once")


class Tree(Protocol):
    """One moment, to be read."""

    def entry(self, path: str) -> Entry | None:
        """Return what is at a path; the empty path is the root."""

    def entries(self, directory: str) -> Mapping[str, Entry]:
        """Return what a directory holds, by name; nothing where there is none."""

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        """Return the bytes of a regular file, None where there is none; links are not followed.

        `TooLarge` for a file above `limit`.
        """

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of a regular file piece by piece, however large it is."""

    def xattrs(self, path: str) -> Mapping[bytes, bytes]:
        """Return the extended attributes of what is at a path."""


class TooLarge(Exception):
    """A file is larger than a detector is willing to read."""

    def __init__(self, path: str, size: int) -> None:
        super().__init__(f"too large to look into ({size:,} bytes)")
        self.path = path


class PathChange(NamedTuple):
    """One path that differs; `old` and `new` are None where it was or is absent."""

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
        """Tell whether more than metadata changed."""
        return self.old is None or self.new is None or not self.old.same_content(self.new)

    @property
    def is_directory(self) -> bool:
        """Tell whether neither side is anything but a directory."""
        old, new = self.old, self.new
        return (old is None or old.kind == EntryKind.DIRECTORY) and (
            new is None or new.kind == EntryKind.DIRECTORY
        )


class WatchedPaths(NamedTuple):
    """Which changed paths concern a detector.

    These are looked up, not matched, so a detector that watches much costs no more than one that
    watches little.
    """

    paths: tuple[str, ...] = ()
    """Exact paths from the root: `etc/passwd`."""
    below: tuple[str, ...] = ()
    """Directories from the root: `etc/systemd` stands for everything under it."""
    names: tuple[str, ...] = ()
    """Names of files, wherever they are: `package.json`."""
    suffixes: tuple[str, ...] = ()
    """What a name ends in, from its last dot: `.ipynb`."""
    heads: tuple[str, ...] = ()
    """What a name begins with, up to its second dot: `.env` stands for `.env.local`, and `.env`."""
    directories: tuple[str, ...] = ()
    """Names of directories, wherever they are: `site-packages` stands for everything under one."""
    everything: bool = False
    """Every changed path that is no directory."""


class Finding(NamedTuple):
    """Facts that belong into one line of the story, and the changed paths they explain."""

    facts: tuple[Fact, ...]
    claims: Collection[str] = ()
    text: str = ""
    """What to say where there is no fact: `package lists refreshed (apt)`."""


class Detector(Protocol):
    """Notices one sort of thing."""

    @property
    def name(self) -> str:
        """What `detector.failed` calls it; path-like and stable: `os/dpkg`."""

    @property
    def version(self) -> int:
        """Counted up when its facts would be others: stories of an older one are made again."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of fact it may state."""

    @property
    def watch(self) -> WatchedPaths:
        """Which changed paths it wants to be asked about."""

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        """Yield what the watched `changes` mean."""


class Evidence:
    """Two moments, everything that differs, and what detectors before this one found out."""

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
        """By path, in the order of a walk."""
        self.machine = machine
        """Whether the root is a whole machine's."""
        self.scratch = scratch
        """A private directory of the real machine, for what can only be read from files."""
        self.owners: dict[str, str] = {}
        """Changed paths that a package brought along in this interval: `usr/bin/sudo` → `sudo`."""
        self.claimed: set[str] = set()
        """Changed paths that are explained already."""
        self.problems: list[tuple[str, str]] = []
        """What could not be read, and why; each becomes a line of the story."""
        self._once: dict[object, object] = {}

    def own(self, paths: Collection[str], package: str) -> None:
        """Note that a package ships these, so that they warn nobody."""
        for path in paths:
            if path in self.changes:
                self.owners.setdefault(path, package)

    def unclaimed(self, paths: Collection[str]) -> list[str]:
        """Return the changed paths among `paths` that nobody has explained yet."""
        return [path for path in paths if path in self.changes and path not in self.claimed]

    def below(self, directory: str) -> list[PathChange]:
        """Return every change at or under a directory."""
        prefix = directory + "/" if directory else ""
        return [
            change
            for path, change in self.changes.items()
            if path.startswith(prefix) or path == directory
        ]

    def problem(self, path: str, why: str) -> None:
        """Say that something was not analysed."""
        self.problems.append((path, why))

    @contextmanager
    def guarded(self, path: str) -> Iterator[None]:
        """Turn whatever goes wrong about one file into one line of the story."""
        try:
            yield
        except TooLarge as error:
            self.problem(error.path, str(error))
        except RecursionError:
            self.problem(path, "nested too deeply")
        except MemoryError:
            self.problem(path, "needs too much memory")
        except Exception as error:  # noqa: BLE001 - hostile bytes raise whatever they like
            self.problem(path, f"cannot be read ({type(error).__name__})")

    def once(self, make: Callable[[Evidence], _Once]) -> _Once:
        """Return what `make` makes of this evidence, made once for all detectors."""
        found = self._once.get(make)
        if found is None:
            found = self._once[make] = make(self)
        return found  # type: ignore[return-value]  # it is what this very function returned
