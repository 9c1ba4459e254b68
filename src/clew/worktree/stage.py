"""Restore stage: new content, complete with metadata, prepared before it is moved into place.

A stage is a directory ``.clew-<id>`` inside the root (a directory beside the root may be on another
filesystem), one for each filesystem that the plan touches.  Item number *n* is named ``n``; after
an exchange it is the displaced file.  The stage is never captured.

A stage item is deleted only if clew created it.  Anything another process put there is set aside:
moved next to its path under a free name, and listed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress

from clew.model import path as paths
from clew.model.content import BLOB_LIMIT
from clew.model.entry import Entry, EntryKind
from clew.model.ids import ObjectId
from clew.model.restore_results import SkippedPath, SkipReason
from clew.worktree.create_entry import Maker
from clew.worktree.listing import name_bytes, open_listing
from clew.worktree.metadata import MetadataWriter
from clew.worktree.root import Root
from clew.worktree.steps import RestoreStep, Steps
from clew.worktree.syscalls import RENAME_NOREPLACE, rename, sync_filesystem
from clew.worktree.unlock import Unlocker

Problem = Callable[[bytes, str], None]
Content = Callable[[ObjectId, int], Iterator[bytes]]
ManyBlobs = Callable[[list[ObjectId]], Iterator[tuple[ObjectId, bytes]]]

_TRIES = 3
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY


class Stage:
    """The stage directories of one restore."""

    def __init__(
        self, root: Root, name: str, mounts: Collection[bytes], unlocker: Unlocker | None = None
    ) -> None:
        self._root = root
        self._unlocker = unlocker
        self.name = os.fsencode(name)
        self._mounts = mounts
        self._regions: dict[bytes, tuple[bytes, int]] = {}
        self._open: dict[bytes, int] = {}
        self._parents: dict[bytes, int] = {}
        """The region directories, held open: a mount may cover one before its stage is removed."""
        self._times: dict[bytes, tuple[int, int]] = {}
        """Times of each region before its stage was created."""
        self.kept: list[SkippedPath] = []
        """Files moved aside, by their new path."""

    def regions(self, touched: Iterable[bytes]) -> list[bytes]:
        """Return the directories that need a stage, for the paths that a plan touches."""
        return sorted({self._region(paths.parent_of(path))[0] for path in touched})

    def directory_for(self, parent: bytes) -> int:
        """Return the open stage on the filesystem of directory `parent`; create it if needed."""
        region, _ = self._region(parent)
        descriptor = self._open.get(region)
        if descriptor is None:
            descriptor = self._open[region] = self._make(region)
        return descriptor

    def open_existing(self, regions: list[bytes]) -> None:
        """Open the stages that an interrupted restore left behind."""
        for region in regions:
            try:
                parent = self._root.open_directory(region)
            except OSError:
                continue
            try:
                self._open[region] = self._root.open_in(parent, self.name, _DIRECTORY)
            except OSError:
                os.close(parent)
                continue
            self._parents[region] = parent

    def items(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Yield (region, stage descriptor, item name) for every item in the stages."""
        for region, descriptor in list(self._open.items()):
            for name in _names_in(descriptor):
                yield region, descriptor, name

    def sync(self) -> None:
        for descriptor in self._open.values():
            sync_filesystem(descriptor)

    def keep_aside(self, region: bytes, item: bytes, path: bytes) -> None:
        """Move an item out of the stage, to a free name next to `path`, and list it.

        If that directory is deleted, or is now on another filesystem, move it next to the stage.
        """
        name = paths.name_of(path)[:200] + b".kept-" + os.urandom(4).hex().encode()
        directory = paths.parent_of(path)
        try:
            target = self._root.open_directory(directory)
            try:
                rename(self._open[region], item, target, name, RENAME_NOREPLACE)
            finally:
                os.close(target)
        except OSError:
            directory = region
            rename(self._open[region], item, self._parents[region], name, RENAME_NOREPLACE)
        self.kept.append(SkippedPath(paths.join(directory, name), SkipReason.KEPT_ASIDE))

    def descriptor(self, region: bytes) -> int:
        """Return the open stage of a region that has one."""
        return self._open[region]

    def region_of(self, directory: bytes) -> bytes:
        """Return the directory that holds the stage for entries of `directory`."""
        return self._region(directory)[0]

    def remove(self) -> None:
        """Remove the stages with their items; set aside anything clew did not create."""
        for region in list(self._open):
            for left in reversed(range(_TRIES)):
                self._empty(region)
                try:
                    with suppress(FileNotFoundError):  # already removed by another process
                        os.rmdir(self.name, dir_fd=self._parents[region])
                    break
                except OSError as error:  # another process added an entry
                    if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or not left:
                        raise
            os.close(self._open.pop(region))
            os.close(self._parents.pop(region))

    def abandon(self) -> bool:
        """Remove the stages of a restore that changed nothing, and reset the regions' times.

        Errors are suppressed: they would hide why the restore was abandoned.  Return whether
        everything was removed.
        """
        try:
            self.remove()
        except OSError:
            self.close()
            return False
        for region, times in self._times.items():
            with suppress(OSError):
                parent = self._root.open_directory(region)
                try:
                    os.utime(parent, ns=times)
                finally:
                    os.close(parent)
        return True

    def close(self) -> None:
        """Close without removing: the items may still be needed."""
        for descriptor in (*self._open.values(), *self._parents.values()):
            os.close(descriptor)
        self._open.clear()
        self._parents.clear()

    def _make(self, region: bytes) -> int:
        parent = self._root.open_directory(region)
        try:
            before = os.fstat(parent)
            try:
                os.mkdir(self.name, 0o700, dir_fd=parent)
            except PermissionError:
                if self._unlocker is None or not self._unlocker.unlock(region, parent):
                    raise
                os.mkdir(self.name, 0o700, dir_fd=parent)
            self._times.setdefault(region, (before.st_atime_ns, before.st_mtime_ns))
            try:
                made = self._root.open_in(parent, self.name, _DIRECTORY)
            except OSError:
                os.rmdir(self.name, dir_fd=parent)  # not registered yet, so nothing else removes it
                raise
        except BaseException:
            os.close(parent)
            raise
        self._parents[region] = parent
        return made

    def _empty(self, region: bytes) -> None:
        descriptor = self._open[region]
        for name in _names_in(descriptor):
            if _is_item(descriptor, name):
                os.unlink(name, dir_fd=descriptor)
            else:
                self.keep_aside(region, name, paths.join(region, name))

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
            return None  # does not exist yet: it will be created on its parent's filesystem
        try:
            return os.fstat(descriptor).st_dev
        finally:
            os.close(descriptor)


def _names_in(directory: int) -> list[bytes]:
    with open_listing(directory) as entries:
        return [name_bytes(entry) for entry in entries]


def _is_item(stage: int, name: bytes) -> bool:
    """Return whether a name in a stage can be an item: a number, and not a directory."""
    if not name.isdigit():
        return False
    return not stat.S_ISDIR(os.stat(name, dir_fd=stage, follow_symlinks=False).st_mode)


class Stager:
    """Fills a stage with the new content of a plan; every object is verified as it is read."""

    def __init__(
        self, stage: Stage, metadata: MetadataWriter, blobs: ManyBlobs, content: Content
    ) -> None:
        self._stage = stage
        self._maker = Maker(metadata)
        self._blobs = blobs
        self._content = content
        self.unstaged: set[bytes] = set()
        """Paths that could not be created, such as a device without root."""

    def fill(self, steps: Steps, problem: Problem, progress: Callable[[int, int], None]) -> None:
        """Stage every step of `steps.put`."""
        leaders = {path: group[0] for group in steps.groups for path in group[1:]}
        numbers = {step.path: number for number, step in enumerate(steps.put)}
        small: dict[ObjectId, list[int]] = {}
        done = 0
        for number, step in enumerate(steps.put):
            entry = _new_entry(step)
            if step.path in leaders:
                continue
            if entry.kind == EntryKind.FILE and entry.size <= BLOB_LIMIT:
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

    def _make_one(self, number: int, step: RestoreStep, problem: Problem) -> None:
        entry = _new_entry(step)
        if entry.kind == EntryKind.FILE:
            self._write_file(number, step, self._content(entry.content, entry.size), problem)
            return
        stage = self._stage.directory_for(paths.parent_of(step.path))
        name = b"%d" % number
        made = self._maker.make_special(stage, name, entry, lambda text: problem(step.path, text))
        if not made:
            self.unstaged.add(step.path)

    def _write_file(
        self, number: int, step: RestoreStep, pieces: Iterator[bytes], problem: Problem
    ) -> None:
        stage = self._stage.directory_for(paths.parent_of(step.path))
        name = b"%d" % number
        self._maker.make_file(
            stage, name, _new_entry(step), pieces, lambda text: problem(step.path, text)
        )

    def _link(self, step: RestoreStep, number: int, leader: int, leader_path: bytes) -> None:
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


def _new_entry(step: RestoreStep) -> Entry:
    assert step.new is not None
    return step.new
