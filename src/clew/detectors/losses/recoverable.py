"""Recoverable files: whether anything can make a deleted file again.

* **git** tracked it, in a repository that still exists, or has that very content;
* a **copy** of its content is elsewhere in the new tree, moved or left there;
* it was **built**: output of a build, or what compilers write where git ignores it, while the
  repository or the manifest that makes it is still there;
* it is **disposable** (`disposable.py`): caches, temporary files, logs;
* it is **known**: another detector explains its deletion, such as a package manager's;
* it is **kept** out of this tree: its directory is now excluded, a mount, or a link elsewhere.

Everything else is lost.  That git ignores a file decides nothing by itself.

Deleted files are judged by directory, because most of these questions have one answer for all
files of a directory; 100,000 deleted files cost a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.files.generated import GeneratedGroup, GeneratedPaths
from clew.detectors.files.generated_names import BUILD, CACHE, IGNORED
from clew.detectors.losses.builders import Builders, is_built, is_of_people
from clew.detectors.losses.copies import Copies
from clew.detectors.losses.data_kinds import DATABASE, SECRET, STATE, kind_at
from clew.detectors.losses.disposable import is_disposable_directory, is_disposable_name
from clew.detectors.losses.servers import Servers
from clew.detectors.repositories.git_contents import GitContents, Keeper
from clew.detectors.repositories.git_tracking import GitTracking
from clew.model.entry import EntryKind

LOST, GIT, COPY, BUILT, DISPOSABLE, KNOWN, KEPT = (
    "lost", "git", "copy", "built", "disposable", "known", "kept",
)  # fmt: skip

_NEVER_BUILT = (SECRET, DATABASE, STATE)
_MAX_IGNORE_QUESTIONS = 5_000
_FEW = 20
"""So many lost files are looked for in git by their hash, even if git stored nothing meanwhile."""


class DirectoryFate:
    """Deleted files of one directory, by what became of their content."""

    __slots__ = ("copies", "files", "git", "lost", "path", "size", "total")

    def __init__(self, path: str, files: Sequence[PathChange]) -> None:
        self.path = path
        self.files = files
        """All its deleted files."""
        self.total = len(files)
        self.size = sum(change.old.size for change in files if change.old is not None)
        self.lost: list[tuple[PathChange, str]] = []
        """What nothing can make again, with its kind of data."""
        self.git: list[PathChange] = []
        self.copies = 0


def fates(evidence: Evidence, changes: Iterable[PathChange]) -> dict[str, DirectoryFate]:
    """Return every directory with deleted files; files inside git directories are left out."""
    by_parent: dict[str, list[PathChange]] = {}
    for change in changes:
        old = change.old
        if change.new is None and old is not None and old.kind != EntryKind.DIRECTORY:
            parent = change.path.rpartition("/")[0]
            known = by_parent.get(parent)
            if known is None:
                by_parent[parent] = [change]
            else:
                known.append(change)
    judge = _Judge(evidence)
    found = {
        parent: judge.directory(parent, files)
        for parent, files in by_parent.items()
        if "/.git/" not in f"/{parent}/"
    }
    judge.reconsider(found)
    return found


class _Judge:
    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._written = evidence.once(Copies).written
        self._generated = evidence.once(GeneratedPaths)
        self._builders = evidence.once(Builders)
        self._git = evidence.once(GitContents)
        self._tracking = evidence.once(GitTracking)
        self._servers = evidence.once(Servers)
        self._questions = _MAX_IGNORE_QUESTIONS
        self._kept: dict[str, bool] = {"": False}
        self._ignored: dict[str, list[DirectoryFate]] = {}
        """Directories with lost files by the topmost directory that git ignores."""

    def directory(self, parent: str, files: Sequence[PathChange]) -> DirectoryFate:
        """Judge the deleted files of one directory."""
        fate = DirectoryFate(parent, files)
        if is_disposable_directory(parent, is_machine=self._evidence.machine):
            return fate
        if self._is_kept_elsewhere(parent) or self._servers.own(parent):
            return fate
        keeper = self._git.keeper(parent)
        group = self._generated.directory_group(parent)
        if group is not None and self._can_be_made(group):
            fate.git = [one for one in files if keeper is not None and keeper.tracked(one)]
            return fate
        for change in files:
            self._file(fate, change, keeper)
        if group is not None and group.kind == IGNORED and fate.lost:
            self._ignored.setdefault(group.directory, []).append(fate)
        return fate

    def _file(self, fate: DirectoryFate, change: PathChange, keeper: Keeper | None) -> None:
        old, path = change.old, change.path
        if old is None or not old.is_file or not old.size:
            return
        if old.content in self._written:
            fate.copies += 1
            return
        if path in self._evidence.claimed or path in self._evidence.owners:
            return
        if keeper is not None and keeper.tracked(change):
            fate.git.append(change)
            return
        name = change.name
        if is_disposable_name(fate.path, name):
            return
        if is_built(name, old) and self._is_ignored(path) and self._builders.can_build(path):
            return
        fate.lost.append((change, kind_at(fate.path, name)))

    def _is_ignored(self, path: str) -> bool:
        self._questions -= 1
        return self._questions >= 0 and self._tracking.ignores(path)

    def _can_be_made(self, group: GeneratedGroup) -> bool:
        if group.kind == CACHE:
            return True
        return group.kind == BUILD and self._builders.can_build(group.directory)

    def _is_kept_elsewhere(self, directory: str) -> bool:
        """Return whether a directory is now excluded from the tree, or a link."""
        missing: list[str] = []
        while directory not in self._kept:
            missing.append(directory)
            entry = self._evidence.new.entry(directory)
            if entry is not None:
                self._kept[directory] = not entry.is_covered or entry.kind == EntryKind.SYMLINK
                break
            directory = directory.rpartition("/")[0]
        found = self._kept[directory]
        self._kept.update(dict.fromkeys(missing, found))
        return found

    def reconsider(self, found: Mapping[str, DirectoryFate]) -> None:
        """Drop from what seems lost what was built, has a copy, or is in git under another name."""
        for directory, parts in self._ignored.items():
            if not is_of_people(directory) and self._is_mostly_built(directory, parts):
                for fate in parts:
                    fate.lost = [one for one in fate.lost if one[1] in _NEVER_BUILT]
        losses = [fate for fate in found.values() if fate.lost]
        wanted = {
            change.old.content for fate in losses for change, _ in fate.lost if change.old is not None
        }
        if not wanted:
            return
        copied = self._evidence.once(Copies).find(wanted)
        for fate in losses:
            if copied:
                left = [one for one in fate.lost if one[0].old and one[0].old.content not in copied]
                fate.copies += len(fate.lost) - len(left)
                fate.lost = left
        self._look_in_git(losses)

    def _is_mostly_built(self, directory: str, parts: Sequence[DirectoryFate]) -> bool:
        lost = sum(len(fate.lost) for fate in parts)
        files = sum(fate.total for fate in parts)
        return 2 * lost < files and self._builders.can_build(directory)

    def _look_in_git(self, losses: Sequence[DirectoryFate]) -> None:
        """Find lost files in git by their hash, as after `git stash -u`."""
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
