"""The stage of a restore: new content, complete with its metadata, waiting to be moved into place.

A directory ``.clew-<id>`` inside the root (beside it may be another filesystem), one for each
filesystem that the plan touches.  Item number *n* is named ``n``; after an exchange it is what
was in place before.  The stage is never captured.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator

from clew.model import path as paths
from clew.model.content import BLOB_LIMIT
from clew.model.entry import Entry, Kind
from clew.model.ids import ObjectId
from clew.worktree.making import Maker
from clew.worktree.metadata import MetadataWriter
from clew.worktree.root import Root
from clew.worktree.steps import Step, Steps
from clew.worktree.syscalls import RENAME_NOREPLACE, rename, sync_filesystem
from clew.worktree.unlock import Unlocker

Problem = Callable[[bytes, str], None]
Content = Callable[[ObjectId, int], Iterator[bytes]]
ManyBlobs = Callable[[list[ObjectId]], Iterator[tuple[ObjectId, bytes]]]


class Stage:
    """The stage directories of one restore."""

    def __init__(
        self, root: Root, name: str, mounts: set[bytes], unlocker: Unlocker | None = None
    ) -> None:
        self._root = root
        self._unlocker = unlocker
        self.name = os.fsencode(name)
        self._mounts = mounts
        self._regions: dict[bytes, tuple[bytes, int]] = {}
        self._open: dict[bytes, int] = {}
        self._times: dict[bytes, tuple[int, int]] = {}
        """Of each region before a stage was made in it."""

    def regions(self, touched: Iterable[bytes]) -> list[bytes]:
        """Return the directories that will hold a stage, for the paths that a plan touches."""
        return sorted({self._region(paths.parent_of(path))[0] for path in touched})

    def directory_for(self, parent: bytes) -> int:
        """Return the open stage on the filesystem of the directory `parent`, making it if needed."""
        region, _ = self._region(parent)
        descriptor = self._open.get(region)
        if descriptor is None:
            descriptor = self._open[region] = self._make(region)
        return descriptor

    def open_existing(self, regions: list[bytes]) -> None:
        """Open the stages that a restore which was cut short left behind."""
        for region in regions:
            try:
                self._open[region] = self._root.open_directory(paths.join(region, self.name))
            except OSError:
                continue

    def items(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Yield (region, stage descriptor, item name) for everything in the stages."""
        for region, descriptor in list(self._open.items()):
            for name in os.listdir(descriptor):
                yield region, descriptor, os.fsencode(name)

    def sync(self) -> None:
        for descriptor in self._open.values():
            sync_filesystem(descriptor)

    def remove(self) -> None:
        """Remove the stages, which must be empty by now of everything worth keeping."""
        for region, descriptor in self._open.items():
            for name in os.listdir(descriptor):
                os.unlink(name, dir_fd=descriptor)
            os.close(descriptor)
            parent = self._root.open_directory(region)
            try:
                os.rmdir(self.name, dir_fd=parent)
            finally:
                os.close(parent)
        self._open.clear()

    def abandon(self) -> None:
        """Remove the stages of a restore that changed nothing, as if they had never been there."""
        self.remove()
        for region, times in self._times.items():
            parent = self._root.open_directory(region)
            try:
                os.utime(parent, ns=times)
            finally:
                os.close(parent)

    def close(self) -> None:
        """Close without removing: what is in there may be needed yet."""
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def _make(self, region: bytes) -> int:
        parent = self._root.open_directory(region)
        try:
            before = os.fstat(parent)
            self._times.setdefault(region, (before.st_atime_ns, before.st_mtime_ns))
            try:
                os.mkdir(self.name, 0o700, dir_fd=parent)
            except PermissionError:
                if self._unlocker is None or not self._unlocker.unlock(region, parent):
                    raise
                os.mkdir(self.name, 0o700, dir_fd=parent)
        finally:
            os.close(parent)
        return self._root.open_directory(paths.join(region, self.name))

    def _region(self, directory: bytes) -> tuple[bytes, int]:
        """Return the topmost directory on the same filesystem, and the device; see `st_dev`."""
        missing: list[bytes] = []
        while directory not in self._regions:
            missing.append(directory)
            if not directory:
                break
            directory = paths.parent_of(directory)
        for path in reversed(missing):
            above = self._regions.get(paths.parent_of(path)) if path else None
            device = self._device(path)
            if above is not None and (device in (None, above[1])) and path not in self._mounts:
                self._regions[path] = above
            else:
                self._regions[path] = (path, device or 0)
        return self._regions[missing[0] if missing else directory]

    def _device(self, path: bytes) -> int | None:
        try:
            descriptor = self._root.open_directory(path)
        except OSError:
            return None  # not there yet: it will be made on the filesystem above it
        try:
            return os.fstat(descriptor).st_dev
        finally:
            os.close(descriptor)


def keep_aside(root: Root, stage: int, item: bytes, path: bytes) -> bytes:
    """Put something that has lost its place into the root under a free name, and return that."""
    name = paths.name_of(path)[:200] + b".kept-" + os.urandom(4).hex().encode()
    rename(stage, item, root.descriptor, name, RENAME_NOREPLACE)
    return name


class Stager:
    """Fills a stage with what a plan will put in place, every object proved on the way."""

    def __init__(
        self, stage: Stage, metadata: MetadataWriter, blobs: ManyBlobs, content: Content
    ) -> None:
        self._stage = stage
        self._maker = Maker(metadata)
        self._blobs = blobs
        self._content = content
        self.unstaged: set[bytes] = set()
        """Paths that could not be made, as a device without root."""

    def fill(self, steps: Steps, problem: Problem, progress: Callable[[int, int], None]) -> None:
        """Stage every step of `steps.put`."""
        leaders = {path: group[0] for group in steps.groups for path in group[1:]}
        numbers = {step.path: number for number, step in enumerate(steps.put)}
        small: dict[ObjectId, list[int]] = {}
        done = 0
        for number, step in enumerate(steps.put):
            entry = _new(step)
            if step.path in leaders:
                continue
            if entry.kind == Kind.FILE and entry.size <= BLOB_LIMIT:
                small.setdefault(entry.content, []).append(number)
                continue
            self._make_one(number, step, problem)
            done += 1
            progress(done, len(steps.put))
        for identifier, content in self._blobs(list(small)):
            for number in small[identifier]:
                step = steps.put[number]
                self._write_file(number, step, iter((content,)), problem)
                done += 1
            progress(done, len(steps.put))
        for path, leader in leaders.items():
            self._link(steps.put[numbers[path]], numbers[path], numbers[leader], leader)

    def _make_one(self, number: int, step: Step, problem: Problem) -> None:
        entry = _new(step)
        if entry.kind == Kind.FILE:
            self._write_file(number, step, self._content(entry.content, entry.size), problem)
            return
        stage = self._stage.directory_for(paths.parent_of(step.path))
        name = b"%d" % number
        made = self._maker.make_special(stage, name, entry, lambda text: problem(step.path, text))
        if not made:
            self.unstaged.add(step.path)

    def _write_file(
        self, number: int, step: Step, pieces: Iterator[bytes], problem: Problem
    ) -> None:
        stage = self._stage.directory_for(paths.parent_of(step.path))
        name = b"%d" % number
        self._maker.make_file(
            stage, name, _new(step), pieces, lambda text: problem(step.path, text)
        )

    def _link(self, step: Step, number: int, leader: int, leader_path: bytes) -> None:
        stage = self._stage.directory_for(paths.parent_of(step.path))
        origin = self._stage.directory_for(paths.parent_of(leader_path))
        try:
            os.link(
                b"%d" % leader, b"%d" % number, src_dir_fd=origin, dst_dir_fd=stage,
                follow_symlinks=False,
            )  # fmt: skip
        except FileNotFoundError:
            self.unstaged.add(step.path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self.unstaged.add(step.path)


def _new(step: Step) -> Entry:
    assert step.new is not None
    return step.new
