"""Recoverable files: whether anything can make a deleted file again.

* **git** tracked it, in a repository that still exists, or has that very content; so for Mercurial
  and Subversion, as far as their lists of files tell;
* a **copy** of its content is elsewhere in the new tree, moved or left there;
* it was **built**: output of a build, or what compilers write where git ignores it, while the
  repository or the manifest that makes it is still there;
* something **replaces** it (`replacements.py`): it was packed, unpacked or converted;
* it is **disposable** (`disposable.py`): caches, temporary files, logs;
* it is **known**: another detector explains its deletion, such as a package manager's;
* it is **kept** out of this tree: its directory is now excluded, a mount, or a link elsewhere.

Everything else is lost.  That git ignores a file decides nothing by itself.

Deleted files are judged by directory, because most of these questions have one answer for all
files of a directory, and up to a limit: a detector has half a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.losses.builders import (
    Builders,
    is_built,
    is_compiled,
    is_of_output,
    is_of_people,
)
from clew.detectors.losses.copies import Copies
from clew.detectors.losses.data_kinds import (
    ARCHIVE,
    AUDIT,
    BACKUP,
    DATABASE,
    OTHER,
    SECRET,
    STATE,
    VALUABLE,
)
from clew.detectors.losses.names import NOTHING, what_is
from clew.detectors.losses.places import Place, Places
from clew.detectors.losses.replacements import Replacements
from clew.detectors.losses.rotated_copies import RotatedCopies
from clew.detectors.repositories.git_contents import GitContents
from clew.detectors.repositories.git_tracking import GitTracking
from clew.detectors.repositories.other_histories import OtherHistories
from clew.model.entry import EntryKind
from clew.policy.generated_names import IGNORED

_NEVER_BUILT = (SECRET, DATABASE, STATE, AUDIT)
_MAY_BE_OLDER = (ARCHIVE, BACKUP)
_MAX_IGNORE_QUESTIONS = 5_000
_FEW = 20
"""So many lost files are looked for in git by their hash, even if git stored nothing meanwhile."""


class DirectoryFate:
    """Deleted files of one directory, by what became of their content."""

    __slots__ = ("copies", "elsewhere", "files", "git", "lost", "path", "size", "total")

    def __init__(self, path: str, files: Sequence[PathChange]) -> None:
        self.path = path
        self.files = files
        """All its deleted files."""
        self.total = len(files)
        self.size = sum([change.old.size for change in files if change.old is not None])
        self.lost: list[tuple[PathChange, str]] = []
        """What nothing can make again, with its kind of data."""
        self.git: list[PathChange] = []
        self.copies = 0
        self.elsewhere = 0
        """Files whose directory is now a link, a mount or excluded."""


MAX_DELETED = 60_000
"""How many deleted files are judged; the others are only counted."""


def deleted_by_directory(changes: Iterable[PathChange]) -> dict[str, list[PathChange]]:
    """Return deleted files by their directory, up to a limit."""
    found: dict[str, list[PathChange]] = {}
    left = MAX_DELETED
    for change in changes:
        path, old, new = change
        if new is None and old is not None and old.kind != EntryKind.DIRECTORY:
            parent = path.rpartition("/")[0]
            known = found.get(parent)
            if known is None:
                found[parent] = [change]
            else:
                known.append(change)
            left -= 1
            if not left:
                break
    return found


def fates(
    evidence: Evidence, deleted: Mapping[str, Sequence[PathChange]]
) -> dict[str, DirectoryFate]:
    """Return every directory with deleted files; files inside git directories are left out."""
    judge = _Judge(evidence)
    found = {
        parent: judge.directory(parent, files)
        for parent, files in deleted.items()
        if "/.git/" not in f"/{parent}/" and "/.hg/" not in f"/{parent}/"
    }
    judge.reconsider(found)
    return found


class _Judge:
    """Judges deleted files, directory by directory."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._written = evidence.once(Copies).written
        self._places = evidence.once(Places)
        self._builders = evidence.once(Builders)
        self._git = evidence.once(GitContents)
        self._tracking = evidence.once(GitTracking)
        self._questions = _MAX_IGNORE_QUESTIONS
        self._ignored: dict[str, list[DirectoryFate]] = {}
        """Directories with deleted files by the topmost directory that git ignores."""

    def directory(self, parent: str, files: Sequence[PathChange]) -> DirectoryFate:
        """Judge the deleted files of one directory."""
        fate = DirectoryFate(parent, files)
        claimed = self._evidence.claimed
        if claimed and all(change.path in claimed for change in files):
            return fate  # a package manager's, mostly
        place = self._places.of(parent)
        if place.is_others:
            return fate
        if self._places.is_elsewhere(parent):
            written = self._written
            fate.elsewhere = sum(bool(one.old and one.old.content not in written) for one in files)
            return fate
        if place.is_made:
            keeper = place.keeper
            fate.git = [one for one in files if keeper is not None and keeper.tracked(one)]
            return fate
        self._files(fate, place)
        group = place.group
        if group is not None and group.kind == IGNORED and group.directory:
            self._ignored.setdefault(group.directory, []).append(fate)
        return fate

    def _files(self, fate: DirectoryFate, place: Place) -> None:
        """Judge each file, one question after the other; this is hot, therefore flat."""
        written, claimed, owners = self._written, self._evidence.claimed, self._evidence.owners
        left = [
            one for one in fate.files if one.old and one.old.kind == EntryKind.FILE and one.old.size
        ]
        if written:
            others = [one for one in left if one.old and one.old.content not in written]
            fate.copies, left = len(left) - len(others), others
        if claimed or owners:
            left = [one for one in left if one.path not in claimed and one.path not in owners]
        keeper = place.keeper
        if keeper is not None:
            fate.git = [one for one in left if keeper.tracked(one)]
            kept = {one.path for one in fate.git}
            left = [one for one in left if one.path not in kept] if kept else left
        start = len(place.path) + 1 if place.path else 0
        for change in left:
            kind = what_is(place, change.path[start:])
            if kind == AUDIT and self._evidence.once(RotatedCopies).has(change.path):
                continue
            if kind in VALUABLE or (kind != NOTHING and not self._was_built(place, change, kind)):
                fate.lost.append((change, kind))

    def _was_built(self, place: Place, change: PathChange, kind: str) -> bool:
        if change.old is None or (place.keeper is None and kind != OTHER):
            return False
        name = change.path.rpartition("/")[2]
        if is_compiled(name, change.old):
            return self._builders.can_build(change.path)
        if place.keeper is None or not is_built(name, kind, change.old):
            return False
        if place.group is not None and is_of_people(place.path):
            return False
        self._questions -= 1
        return self._questions >= 0 and self._tracking.ignores(change.path)

    def reconsider(self, found: Mapping[str, DirectoryFate]) -> None:
        """Drop from what seems lost what was built, has a copy, or is in git under another name."""
        for directory, parts in self._ignored.items():
            if is_of_output(directory) or self._is_mostly_built(directory, parts):
                for fate in parts:
                    if not is_of_people(fate.path):
                        fate.lost = [one for one in fate.lost if one[1] in _NEVER_BUILT]
        losses = [fate for fate in found.values() if fate.lost]
        wanted = {
            change.old.content
            for fate in losses
            for change, _ in fate.lost
            if change.old is not None
        }
        if not wanted:
            return
        self._look_for_replacements(losses)
        self._look_in_other_histories(losses)
        copied = self._evidence.once(Copies).find(wanted)
        for fate in losses if copied else ():
            left = [one for one in fate.lost if one[0].old and one[0].old.content not in copied]
            fate.copies += len(fate.lost) - len(left)
            fate.lost = left
        self._look_in_git(losses)

    def _look_for_replacements(self, losses: Sequence[DirectoryFate]) -> None:
        if not self._written and not any(
            kind in _MAY_BE_OLDER for fate in losses for _, kind in fate.lost
        ):
            return  # nothing was written
        replacements = self._evidence.once(Replacements)
        for fate in losses:
            left = [one for one in fate.lost if not replacements.has(*one)]
            fate.copies += len(fate.lost) - len(left)
            fate.lost = left

    def _look_in_other_histories(self, losses: Sequence[DirectoryFate]) -> None:
        histories = self._evidence.once(OtherHistories)
        for fate in losses:
            if fate.lost and histories.has_list(fate.path):
                kept = [change for change, _ in fate.lost if histories.track(change.path)]
                paths = {change.path for change in kept}
                fate.git += kept
                fate.lost = [one for one in fate.lost if one[0].path not in paths]

    def _is_mostly_built(self, directory: str, parts: Sequence[DirectoryFate]) -> bool:
        lost = sum(len(fate.lost) for fate in parts)
        files = sum(fate.total for fate in parts)
        return 2 * lost <= files and self._builders.can_build(directory)

    def _look_in_git(self, losses: Sequence[DirectoryFate]) -> None:
        """Find lost files in git by their hash, as after `git stash -u`."""
        losses = [fate for fate in losses if self._places.of(fate.path).keeper is not None]
        number = sum(len(fate.lost) for fate in losses)
        if number > _FEW and not self._evidence.once(_has_new_objects):
            return
        hashed = stored = 0
        for fate in losses:
            left = []
            for one in fate.lost:
                is_stored = self._git.stores(one[0])
                hashed += self._git.was_hashed
                stored += is_stored
                # if git has all that could be hashed, it has what was too much to hash
                if is_stored or (not self._git.was_hashed and stored == hashed >= _FEW):
                    fate.git.append(one[0])
                else:
                    left.append(one)
            fate.lost = left


def _has_new_objects(evidence: Evidence) -> str:
    """Return a path of a git object that is new, or ""."""
    for path, change in evidence.changes.items():
        if change.old is None and "/objects/" in path and ".git/" in path:
            return path
    return ""
