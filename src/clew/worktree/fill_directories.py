"""Write the entries of a tree to empty directories, with several processes.

No link is followed and no file is replaced: every name is new.
Metadata that only root may set (an owner, a device) is reported as a problem; the rest is written.
Nothing is synced: the caller must be able to write it again after a crash.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator

from clew.model import path as paths
from clew.model.content import BLOB_LIMIT
from clew.model.entry import Entry
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple
from clew.model.small_objects import decode_xattrs
from clew.worktree.create_entry import Maker
from clew.worktree.metadata import BLOCKING_FLAGS, MetadataWriter, set_flags
from clew.worktree.open_directories import OpenDirectories
from clew.worktree.progress import Report, SharedProgress
from clew.worktree.root import Root
from clew.worktree.side_by_side import Numbers, side_by_side

_RUN = 256
"""Files in one job."""
_PARALLEL_FILES = 2000
"""Minimum number of files for several processes; below it a fork costs more than it saves."""

Problem = tuple[bytes, str]
"""A path, and what could not be restored."""


class ContentSource(NamedTuple):
    """Where objects are read from; each is verified against its id."""

    get: Callable[[ObjectId], bytes]
    get_many: Callable[[list[ObjectId]], Iterator[tuple[ObjectId, bytes]]]
    content: Callable[[ObjectId, int], Iterator[bytes]]
    in_order: Callable[[list[ObjectId]], list[ObjectId]]
    """Sorts ids so that neighbours are read together."""
    reopened: Callable[[], ContentSource]
    """The same for a forked process."""


class PendingEntry(NamedTuple):
    """An entry to write, other than a directory, and the directory that contains it."""

    directory: bytes
    entry: Entry

    @property
    def path(self) -> bytes:
        return paths.join(self.directory, self.entry.name)


def fill(
    root: Root,
    batch: list[PendingEntry],
    source: ContentSource,
    progress: SharedProgress,
    processes: int,
) -> list[Problem]:
    """Write all entries of `batch`, whose directories exist, and return the problems."""
    runs = _in_runs(batch, source)
    size = processes if len(batch) >= _PARALLEL_FILES else 1
    problems: list[Problem] = []
    failures: list[int] = []

    def here(numbers: Numbers) -> list[Problem]:
        return _fill_runs(root, runs, numbers, source, progress.report)

    def there(helper: int, numbers: Numbers) -> tuple[list[Problem], int]:
        try:
            report = progress.reporter(helper)
            return _fill_runs(root, runs, numbers, source.reopened(), report), 0
        except OSError as error:  # such as a full disk: raised again in the main process
            return [], error.errno or errno.EIO

    def adopt(share: tuple[list[Problem], int]) -> None:
        problems.extend(share[0])
        failures.append(share[1])

    problems += side_by_side(size, len(runs), here, there, adopt)
    for number in filter(None, failures):
        raise OSError(number, os.strerror(number))
    return problems


def _in_runs(batch: list[PendingEntry], source: ContentSource) -> list[list[PendingEntry]]:
    """Split a batch into jobs: one for each large file, then the others in the order of the packs."""
    small: dict[ObjectId, list[PendingEntry]] = {}
    large: list[list[PendingEntry]] = []
    others: list[PendingEntry] = []
    for wanted in batch:
        entry = wanted.entry
        if not entry.is_file:
            others.append(wanted)
        elif entry.size > BLOB_LIMIT:
            large.append([wanted])
        else:
            small.setdefault(entry.content, []).append(wanted)
    ordered = source.in_order(list(small))
    rest = others + [wanted for content in ordered for wanted in small[content]]
    return large + [rest[at : at + _RUN] for at in range(0, len(rest), _RUN)]


def _fill_runs(
    root: Root,
    runs: list[list[PendingEntry]],
    numbers: Numbers,
    source: ContentSource,
    report: Report,
) -> list[Problem]:
    files = size = 0
    with Filler(root, source) as filler:
        for number in numbers:
            filler.make(runs[number])
            files += len(runs[number])
            size += sum(wanted.entry.size for wanted in runs[number])
            report(files, size)
        return filler.problems


class Filler:
    """Writes entries below a root, in one process."""

    def __init__(self, root: Root, source: ContentSource) -> None:
        self._root = root
        self._source = source
        self._open = OpenDirectories(root)
        self._metadata = MetadataWriter(lambda key: decode_xattrs(source.get(ObjectId(key))))
        self._maker = Maker(self._metadata)
        self.problems: list[Problem] = []

    def __enter__(self) -> Filler:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def make_directory(self, path: bytes) -> None:
        """Create a directory with mode 0700 until it is finished."""
        parent = self._open.get(paths.parent_of(path))
        os.mkdir(paths.name_of(path), 0o700, dir_fd=parent)

    def make(self, run: list[PendingEntry]) -> None:
        """Write all entries of one job."""
        small: dict[ObjectId, list[PendingEntry]] = {}
        for wanted in run:
            entry = wanted.entry
            if not entry.is_file:
                directory = self._open.get(wanted.directory)
                self._maker.make_special(directory, entry.name, entry, self._problem(wanted))
            elif entry.size > BLOB_LIMIT:
                self._make_file(wanted, self._source.content(entry.content, entry.size))
            else:
                small.setdefault(entry.content, []).append(wanted)
        for identifier, content in self._source.get_many(list(small)):
            for wanted in small[identifier]:
                self._make_file(wanted, (content,))

    def link(self, leader: bytes, wanted: PendingEntry) -> None:
        """Create a hard link to `leader`, or a second file if that fails."""
        try:
            os.link(
                paths.name_of(leader),
                wanted.entry.name,
                src_dir_fd=self._open.get(paths.parent_of(leader)),
                dst_dir_fd=self._open.get(wanted.directory),
                follow_symlinks=False,
            )
        except OSError as error:
            self.problems.append((wanted.path, f"hard link: {error.strerror}"))
            self.make([wanted])

    def set_blocking_flags(self, wanted: PendingEntry) -> None:
        """Set the flags of a file that block further changes (immutable, append-only)."""
        problem = self._problem(wanted)
        try:
            descriptor = self._root.open(wanted.path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            problem(f"inode flags: {error.strerror}")
            return
        try:
            set_flags(descriptor, wanted.entry.flags, ~0, problem)
        finally:
            os.close(descriptor)

    def finish_directory(self, path: bytes, entry: Entry) -> None:
        """Set the metadata of a directory, after which its entries may be inaccessible."""

        def problem(text: str) -> None:
            self.problems.append((path, text))

        descriptor = self._root.open_directory(path)
        try:
            self._metadata.apply_open(descriptor, entry, problem)
            if entry.flags:
                set_flags(descriptor, entry.flags, ~0, problem)
        finally:
            os.close(descriptor)

    def _make_file(self, wanted: PendingEntry, pieces: Iterable[bytes]) -> None:
        entry = wanted.entry
        directory = self._open.get(wanted.directory)
        self._maker.make_file(directory, entry.name, entry, pieces, self._problem(wanted))

    def _problem(self, wanted: PendingEntry) -> Callable[[str], None]:
        return lambda text: self.problems.append((wanted.path, text))


def blocks_changes(entry: Entry) -> bool:
    """Return whether the flags of a file block further changes to it."""
    return bool(entry.flags & BLOCKING_FLAGS)
