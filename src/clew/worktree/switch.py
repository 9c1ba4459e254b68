"""Restore switch: exchanges staged files with the live ones without losing anything.

Each file is exchanged with the live one in one system call (RENAME_EXCHANGE).  The displaced file
is compared with what the rescue captured, and put back if it differs.  Displaced files stay in the
stage until the end and are checked again before they are deleted; see `displaced.py`.

Every step opens its parent beneath the root, without following links or crossing mounts, so
nothing outside is touched even if a process swaps directories for symlinks or mounts over them.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable

from clew.model import path as paths
from clew.model.entry import Entry, EntryKind
from clew.model.named_tuple import NamedTuple
from clew.model.restore_results import SkippedPath, SkipReason
from clew.worktree import lease
from clew.worktree.displaced import delete, identity, put_back
from clew.worktree.fail_point import FailPoint, no_fail_point
from clew.worktree.metadata import BLOCKING_FLAGS, MetadataWriter, set_flags
from clew.worktree.processes import being_written
from clew.worktree.read import EntryReader, StatKey, stat_key
from clew.worktree.root import Root
from clew.worktree.stage import Stage
from clew.worktree.steps import RestoreStep, Steps
from clew.worktree.syscalls import (
    RENAME_EXCHANGE,
    RENAME_NOREPLACE,
    get_inode_flags,
    rename,
    set_inode_flags,
)
from clew.worktree.unlock import Unlocker

SeenKey = Callable[[os.stat_result, bytes], StatKey | None]
"""Returns the stat key that the rescue's scan saw for a name in a directory, if it was trusted."""

_UNREACHABLE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)


class Counts(NamedTuple):
    """How many paths were touched."""

    created: int = 0
    replaced: int = 0
    deleted: int = 0
    metadata: int = 0


class Switch:
    """Carries out the steps of one restore."""

    def __init__(
        self,
        root: Root,
        stage: Stage,
        metadata: MetadataWriter,
        reader: EntryReader,
        seen_key: SeenKey,
        unlocker: Unlocker,
        fail_point: FailPoint = no_fail_point,
    ) -> None:
        self._fail_point = fail_point
        self._root = root
        self._stage = stage
        self._metadata = metadata
        self._reader = reader
        self._seen_key = seen_key
        self._unlocker = unlocker
        self.skipped: list[SkippedPath] = []
        self.problems: list[SkippedPath] = []
        self._untrusted: set[bytes] = set()
        """Paths with an untrusted stat key, such as a file that is open for writing."""
        self.held_open: list[bytes] = []
        """Replaced or deleted while a program had them open: what it writes now is lost."""
        self._displaced: dict[int, _Displaced] = {}
        self._placed: dict[bytes, os.stat_result] = {}
        """Stat of each file exchanged into place, taken right after the exchange."""
        self._created = self._replaced = self._deleted = self._changed = 0

    @property
    def counts(self) -> Counts:
        return Counts(self._created, self._replaced, self._deleted, self._changed)

    def run(self, steps: Steps, unstaged: set[bytes]) -> None:
        """Carry out every step; list the steps that fail and continue with the rest."""
        first_deleted = len(steps.put)
        for number, step in enumerate(steps.delete, first_deleted):
            self._fail_point("restore.delete")
            self._run_step(step, self._delete, number)
        for step in steps.remove_directories:
            self._run_step(step, self._remove_directory, 0)
        for step in steps.make_directories:
            self._fail_point("restore.make-directory")
            self._run_step(step, self._make_directory, 0)
        for number, step in enumerate(steps.put):
            if step.path not in unstaged:
                self._fail_point("restore.put")
                self._run_step(step, self._put, number)
        for step in steps.metadata:
            self._fail_point("restore.metadata")
            self._run_step(step, self._change_metadata, 0)
        self._fail_point("restore.let-go")
        self._let_go()
        self._fail_point("restore.flags")
        self._set_forbidding_flags([*steps.put, *steps.metadata])

    def finish_directories(self, directories: Iterable[RestoreStep]) -> None:
        """Apply directory metadata, deepest first, once nothing in them changes any more."""
        for step in directories:
            self._run_step(step, self._finish_directory, 0)

    def _run_step(
        self, step: RestoreStep, act: Callable[[RestoreStep, int, int], None], number: int
    ) -> None:
        """Open the step's parent, act in it, and report an error as a line of the result."""
        try:
            parent = self._root.open_directory(paths.parent_of(step.path))
        except OSError as error:
            self._fail(step.path, error)
            return
        try:
            act(step, number, parent)
        except OSError as error:
            refused = error.errno in (errno.EPERM, errno.EACCES)
            if refused and self._unlocker.unlock(paths.parent_of(step.path), parent):
                try:
                    act(step, number, parent)
                except OSError as again:
                    self._fail(step.path, again)
            else:
                self._fail(step.path, error)
        finally:
            os.close(parent)

    # Steps

    def _delete(self, step: RestoreStep, number: int, parent: int) -> None:
        name = paths.name_of(step.path)
        try:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return  # another process deleted it
        if stat.S_ISDIR(found.st_mode) or not self._is_as_rescued(step, parent, found):
            self._leave_alone(step.path, SkipReason.EDITED)
            return
        stage = self._stage.directory_for(paths.parent_of(step.path))
        if step.old is not None:
            self._clear_forbidding(step.old, parent, name)
        rename(parent, name, stage, b"%d" % number, RENAME_NOREPLACE)
        if self._verify_displaced(step, number, stage, found):
            self._deleted += 1

    def _put(self, step: RestoreStep, number: int, parent: int) -> None:
        name = paths.name_of(step.path)
        stage = self._stage.directory_for(paths.parent_of(step.path))
        item = b"%d" % number
        try:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            rename(stage, item, parent, name, RENAME_NOREPLACE)
            self._created += 1
            return
        if step.old is None:
            self._leave_alone(step.path, SkipReason.APPEARED)
            return
        if stat.S_ISDIR(found.st_mode) or not self._is_as_rescued(step, parent, found):
            self._leave_alone(step.path, SkipReason.EDITED)
            return
        self._clear_forbidding(step.old, parent, name)
        staged = os.stat(item, dir_fd=stage, follow_symlinks=False)
        rename(stage, item, parent, name, RENAME_EXCHANGE)
        self._remember_placed(step.path, staged, parent, name)
        if self._verify_displaced(step, number, stage, found):
            self._replaced += 1

    def _remember_placed(
        self, path: bytes, staged: os.stat_result, parent: int, name: bytes
    ) -> None:
        try:
            placed = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except OSError:
            return
        if identity(placed) == identity(staged):
            self._placed[path] = placed

    def _remove_directory(self, step: RestoreStep, _: int, parent: int) -> None:
        name = paths.name_of(step.path)
        try:
            if step.old is not None:
                if not self._has_metadata_of(step.path, step.old):
                    self._leave_alone(step.path, SkipReason.METADATA_EDITED)
                    return
                self._clear_forbidding(step.old, parent, name)
            os.rmdir(name, dir_fd=parent)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EBUSY):
                raise
            self._leave_alone(step.path, SkipReason.NOT_EMPTY)
            return
        self._deleted += 1

    def _make_directory(self, step: RestoreStep, _: int, parent: int) -> None:
        name = paths.name_of(step.path)
        try:
            os.mkdir(name, 0o700, dir_fd=parent)
        except FileExistsError:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
            if not stat.S_ISDIR(found.st_mode):
                self._leave_alone(step.path, SkipReason.APPEARED)
            return
        self._created += 1

    def _change_metadata(self, step: RestoreStep, _: int, parent: int) -> None:
        name = paths.name_of(step.path)
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if not self._is_as_rescued(step, parent, found):
            self._leave_alone(step.path, SkipReason.EDITED)
            return
        assert step.new is not None
        assert step.old is not None
        self._clear_forbidding(step.old, parent, name)
        if step.new.kind == EntryKind.SYMLINK:
            self._metadata.apply(parent, name, step.new, self._problem(step.path))
        else:
            pinned = self._root.open_in(parent, name, os.O_PATH)
            try:
                if os.fstat(pinned).st_ino != found.st_ino:
                    self._leave_alone(step.path, SkipReason.EDITED)
                    return
                self._metadata.apply_pinned(pinned, step.new, self._problem(step.path))
            finally:
                os.close(pinned)
        self._changed += 1

    def _finish_directory(self, step: RestoreStep, _: int, __: int) -> None:
        if step.new is None:
            return
        is_old = step.old is not None and step.old.is_directory
        if is_old and not self._has_metadata_of(step.path, step.old, step.new):
            self._leave_alone(step.path, SkipReason.METADATA_EDITED)
            return
        descriptor = self._root.open_directory(step.path)
        problem = self._problem(step.path)
        try:
            if (get_inode_flags(descriptor) or 0) & BLOCKING_FLAGS:
                set_flags(descriptor, 0, BLOCKING_FLAGS, problem)
            self._metadata.apply_open(descriptor, step.new, problem)
            set_flags(descriptor, step.new.flags, ~0, problem)
        finally:
            os.close(descriptor)
        differs = step.old is not None and not step.old.same_metadata(step.new, mtimes=False)
        if differs:
            self._changed += 1

    def _has_metadata_of(self, path: bytes, *entries: Entry | None) -> bool:
        """Return whether a directory has the metadata of one of `entries`, ignoring times."""
        descriptor = self._root.open_directory(path)
        try:
            found = self._reader.directory(descriptor, b"", os.fstat(descriptor))
        finally:
            os.close(descriptor)
        return any(
            found.same_metadata(self._unlocker.as_unlocked(path, entry), mtimes=False)
            for entry in entries
            if entry is not None
        )

    # Displaced files

    def _is_as_rescued(self, step: RestoreStep, parent: int, found: os.stat_result) -> bool:
        """Return whether a path is what the rescue captured: by its stat key, else by reading it."""
        name = paths.name_of(step.path)
        seen = self._seen_key(os.fstat(parent), name)
        if seen is not None and seen == stat_key(found):
            return True
        if step.old is None:
            return False
        self._untrusted.add(step.path)
        try:
            read = self._reader.read_settled(parent, name, found)
        except OSError:
            return False
        # Ignore flags: a first attempt may already have cleared them.
        found_now = read.entry._replace(flags=step.old.flags)
        same = found_now.same_content(step.old) and found_now.same_metadata(step.old, mtimes=True)
        return read.stable and same

    def _verify_displaced(
        self, step: RestoreStep, number: int, stage: int, expected: os.stat_result
    ) -> bool:
        """Check that the displaced file is the one that was compared; otherwise put it back."""
        item = b"%d" % number
        found = os.stat(item, dir_fd=stage, follow_symlinks=False)
        if identity(found) == identity(expected):
            self._displaced[number] = _Displaced(step, found)
            return True
        self._put_back(step, item)
        return False

    def _let_go(self) -> None:
        """Delete the displaced files; put back those written to since, or being written to."""
        is_open = {number for number in self._displaced if self._is_open_for_writing(number)}
        written = being_written() if is_open else frozenset()
        for number, (step, before) in sorted(self._displaced.items()):
            stage = self._stage.directory_for(paths.parent_of(step.path))
            item = b"%d" % number
            found = os.stat(item, dir_fd=stage, follow_symlinks=False)
            if (found.st_dev, found.st_ino) in written:
                self._put_back(step, item)
                continue
            is_proved = step.path not in self._untrusted
            is_held = (
                is_proved and before.st_ctime_ns == found.st_ctime_ns
            ) or self._is_as_captured(step, stage, item)
            if (
                identity(before) != identity(found)
                or not is_held
                or not delete(stage, item, found, self._fail_point)
            ):
                self._put_back(step, item)
            elif number in is_open:
                self.held_open.append(step.path)

    def _is_open_for_writing(self, number: int) -> bool:
        """Return whether a program can still write to a displaced file."""
        step, before = self._displaced[number]
        if not stat.S_ISREG(before.st_mode):
            return False
        stage = self._stage.directory_for(paths.parent_of(step.path))
        try:
            found = os.open(b"%d" % number, os.O_RDONLY | os.O_NONBLOCK, dir_fd=stage)
        except OSError:
            return False  # unreadable for us, so the kernel would not grant a lease
        try:
            return lease.check_writers(found)[0] == lease.OPEN
        finally:
            os.close(found)

    def _is_as_captured(self, step: RestoreStep, stage: int, item: bytes) -> bool:
        """Return, by reading, whether a displaced file still is what the rescue captured.

        The ctime of a file with several names changes when another name is renamed or deleted.  And
        a write that began before the check changes no times when it ends.
        """
        found = os.stat(item, dir_fd=stage, follow_symlinks=False)
        if step.old is None or stat.S_ISDIR(found.st_mode):
            return False
        read = self._reader.read(stage, item, found)
        entry = read.entry._replace(flags=step.old.flags)
        return (
            read.stable
            and entry.same_content(step.old)
            and entry.same_metadata(step.old, mtimes=True)
        )

    def _put_back(self, step: RestoreStep, item: bytes) -> None:
        placed = self._placed.get(step.path)

        def is_ours(_: int, __: bytes, found: os.stat_result) -> bool:
            if placed is None or identity(found) != identity(placed):
                return False
            # The ctime of a file with several names changes as each name is put in place.
            return found.st_nlink > 1 or found.st_ctime_ns == placed.st_ctime_ns

        region = self._stage.region_of(paths.parent_of(step.path))
        put_back(self._root, self._stage, region, item, step.path, is_ours, self._fail_point)
        self._leave_alone(step.path, SkipReason.EDITED)

    # Permission

    def _clear_forbidding(self, old: Entry, parent: int, name: bytes) -> None:
        if not old.flags & BLOCKING_FLAGS:
            return
        descriptor = self._root.open_in(parent, name, os.O_RDONLY | os.O_NONBLOCK)
        try:
            set_inode_flags(descriptor, (get_inode_flags(descriptor) or 0) & ~BLOCKING_FLAGS)
        finally:
            os.close(descriptor)

    def _set_forbidding_flags(self, steps: list[RestoreStep]) -> None:
        alone = {item.path for item in self.skipped}
        for step in steps:
            if step.new is None or not step.new.is_file or step.path in alone:
                continue
            old_flags = step.old.flags if step.old is not None else 0
            if not step.new.flags and not old_flags:
                continue
            try:
                descriptor = self._root.open(step.path, os.O_RDONLY | os.O_NONBLOCK)
            except OSError as error:
                self._fail(step.path, error)
                continue
            try:
                set_flags(descriptor, step.new.flags, ~0, self._problem(step.path))
            finally:
                os.close(descriptor)

    # Reporting

    def _problem(self, path: bytes) -> Callable[[str], None]:
        return lambda text: self.problems.append(SkippedPath(path, text))

    def _leave_alone(self, path: bytes, why: str) -> None:
        self.skipped.append(SkippedPath(path, why))

    def _fail(self, path: bytes, error: OSError) -> None:
        if error.errno in _UNREACHABLE:
            self._leave_alone(path, SkipReason.EDITED)
        elif error.errno == errno.EEXIST:
            self._leave_alone(path, SkipReason.APPEARED)
        else:
            self.problems.append(SkippedPath(path, error.strerror or str(error)))


class _Displaced(NamedTuple):
    """A file that was moved out of its place."""

    step: RestoreStep
    stat: os.stat_result
    """Taken after the rename, which changes the ctime."""
