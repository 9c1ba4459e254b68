"""Filling directories: what a tree holds becomes files beneath a root, by several processes.

Nothing is followed and nothing is replaced: every name is new.
What only root may give back (an owner, a device) is told as a problem, and the rest goes on.
Nothing is synced: whoever keeps what is made here must be able to make it again.
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
from clew.worktree.metadata import FORBIDDING, MetadataWriter, set_flags
from clew.worktree.open_directories import OpenDirectories
from clew.worktree.progress import Report, SharedProgress
from clew.worktree.root import Root
from clew.worktree.side_by_side import Numbers, processors, side_by_side

_RUN = 256
"""Files that one process takes at a time."""
_WORTH_IT = 2000
"""Files below which a fork costs more than it gives."""

Trouble = tuple[bytes, str]
"""A path, and what could not be given back."""


class ContentSource(NamedTuple):
    """Where objects come from, each proved against its id."""

    get: Callable[[ObjectId], bytes]
    get_many: Callable[[list[ObjectId]], Iterator[tuple[ObjectId, bytes]]]
    content: Callable[[ObjectId, int], Iterator[bytes]]
    in_order: Callable[[list[ObjectId]], list[ObjectId]]
    """Sorts ids so that neighbours are read together."""
    reopened: Callable[[], ContentSource]
    """The same for a forked process."""


class PendingEntry(NamedTuple):
    """One name that is no directory, and the directory it belongs into."""

    directory: bytes
    entry: Entry

    @property
    def path(self) -> bytes:
        return paths.join(self.directory, self.entry.name)


def fill(
    root: Root, batch: list[PendingEntry], source: ContentSource, progress: SharedProgress
) -> list[Trouble]:
    """Make everything in `batch`, whose directories are there, and return what was refused."""
    runs = _in_runs(batch, source)
    size = processors() if len(batch) >= _WORTH_IT else 1
    troubles: list[Trouble] = []
    failures: list[int] = []

    def here(numbers: Numbers) -> list[Trouble]:
        return _fill_runs(root, runs, numbers, source, progress.report)

    def there(helper: int, numbers: Numbers) -> tuple[list[Trouble], int]:
        try:
            report = progress.reporter(helper)
            return _fill_runs(root, runs, numbers, source.reopened(), report), 0
        except OSError as error:  # a full disk, say: it is raised here as if it were our own
            return [], error.errno or errno.EIO

    def adopt(share: tuple[list[Trouble], int]) -> None:
        troubles.extend(share[0])
        failures.append(share[1])

    troubles += side_by_side(size, len(runs), here, there, adopt)
    for number in filter(None, failures):
        raise OSError(number, os.strerror(number))
    return troubles


def _in_runs(batch: list[PendingEntry], source: ContentSource) -> list[list[PendingEntry]]:
    """Share out a batch: large files first, one by one, then the rest in the order of the packs."""
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
) -> list[Trouble]:
    files = size = 0
    with Filler(root, source) as filler:
        for number in numbers:
            filler.make(runs[number])
            files += len(runs[number])
            size += sum(wanted.entry.size for wanted in runs[number])
            report(files, size)
        return filler.troubles


class Filler:
    """Makes things beneath a root, in one process."""

    def __init__(self, root: Root, source: ContentSource) -> None:
        self._root = root
        self._source = source
        self._open = OpenDirectories(root)
        self._metadata = MetadataWriter(lambda key: decode_xattrs(source.get(ObjectId(key))))
        self._maker = Maker(self._metadata)
        self.troubles: list[Trouble] = []

    def __enter__(self) -> Filler:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def make_directory(self, path: bytes) -> None:
        """Make a directory that is open to us alone until it is finished."""
        parent = self._open.get(paths.parent_of(path))
        os.mkdir(paths.name_of(path), 0o700, dir_fd=parent)

    def make(self, run: list[PendingEntry]) -> None:
        """Make everything of one run."""
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
        """Give what was made as `leader` another name; make it once more where that cannot be."""
        try:
            os.link(
                paths.name_of(leader),
                wanted.entry.name,
                src_dir_fd=self._open.get(paths.parent_of(leader)),
                dst_dir_fd=self._open.get(wanted.directory),
                follow_symlinks=False,
            )
        except OSError as error:
            self.troubles.append((wanted.path, f"hard link: {error.strerror}"))
            self.make([wanted])

    def forbid(self, wanted: PendingEntry) -> None:
        """Set the flags of a file after which it cannot be changed any more."""
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
        """Give a directory its metadata, after which what is in it may be out of reach."""

        def problem(text: str) -> None:
            self.troubles.append((path, text))

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
        return lambda text: self.troubles.append((wanted.path, text))


def is_forbidding(entry: Entry) -> bool:
    """Tell whether nothing can be done to a file once it has its flags."""
    return bool(entry.flags & FORBIDDING)
