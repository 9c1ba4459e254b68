"""Repository lookup: the git repository that a path belongs to.

Three layouts: a `.git` directory; a `.git` file that names a directory elsewhere (a worktree, a
submodule); and a bare repository, which is such a directory without a working tree.
Repositories nest; the innermost one owns a path.
"""

from __future__ import annotations

import posixpath

from clew.detectors.detector import Evidence, TooLarge, Tree
from clew.detectors.repositories.git_config import Config, parse_config, value_of
from clew.model.named_tuple import NamedTuple

_POINTER_LIMIT = 4096


class Repository(NamedTuple):
    """Directories of a repository; all are paths in the tree."""

    directory: str
    """The working tree; empty for the root."""
    own: str
    """Directory with HEAD and the index of this working tree."""
    common: str
    """Directory with refs, objects and configuration, which worktrees share."""

    @property
    def scope(self) -> str:
        return f"git:{self.directory or '.'}"

    def relative(self, path: str) -> str:
        return path[len(self.directory) + 1 :] if self.directory else path


class Repositories:
    """Every repository that paths lead to, found once; `evidence.once(Repositories)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._trees = (evidence.new, evidence.old)
        self._by_directory: dict[str, Repository | None] = {}
        self._git_dirs: dict[str, str | None] = {}
        self._is_one: dict[str, bool] = {}

    def of(self, path: str) -> Repository | None:
        """Return the repository whose working tree contains a path."""
        return self._at_or_above(posixpath.dirname(path))

    def git_dir(self, path: str) -> str | None:
        """Return the innermost git directory that is or contains a path: a submodule's, if any."""
        names = path.split("/")
        for at, name in enumerate(names):
            if name == ".git":
                start = "/".join(names[: at + 1])
                return self._innermost(start, names[at + 1 :])
        return self._bare(path)

    def directory_of(self, git_dir: str) -> str:
        """Return the working tree of a git directory; for a bare one, the directory itself."""
        if posixpath.basename(git_dir) == ".git":
            return posixpath.dirname(git_dir)
        for tree in self._trees:
            worktree = value_of(config_of(tree, git_dir), "core", "worktree")
            found = _joined(git_dir, worktree) if worktree else None
            if found is not None:
                return found
        return git_dir

    def _at_or_above(self, directory: str) -> Repository | None:
        missing: list[str] = []
        found: Repository | None = None
        while True:
            if directory in self._by_directory:
                found = self._by_directory[directory]
                break
            missing.append(directory)
            found = self._here(directory)
            if found is not None or not directory:
                break
            directory = posixpath.dirname(directory)
        for path in missing:
            self._by_directory[path] = found
        return found

    def _here(self, directory: str) -> Repository | None:
        dot_git = f"{directory}/.git" if directory else ".git"
        is_new = self._evidence.new.entry(dot_git) is not None
        for tree in self._trees:
            # what only the old tree has is a change: its directories need not be read
            is_worth = is_new or dot_git in self._evidence.changes
            entry = tree.entry(dot_git) if is_worth else None
            if entry is None:
                continue
            if entry.is_directory and is_git_dir(tree, dot_git):
                return Repository(directory, dot_git, dot_git)
            if entry.is_file and entry.size <= _POINTER_LIMIT:
                found = _pointed_to(tree, directory, tree.read(dot_git) or b"")
                if found is not None:
                    return Repository(directory, found, _common(tree, found))
        return None

    def _innermost(self, git_dir: str, names: list[str]) -> str | None:
        """Return the submodule's directory below `modules/`; its name may contain slashes."""
        if not self._is_git_dir(git_dir):
            return None
        while names and names[0] == "modules":
            for at in range(2, len(names) + 1):
                inner = f"{git_dir}/{'/'.join(names[:at])}"
                if self._is_git_dir(inner):
                    git_dir, names = inner, names[at:]
                    break
            else:
                break
        return git_dir

    def _bare(self, path: str) -> str | None:
        directory, missing = path, []
        found: str | None = None
        while directory:
            if directory in self._git_dirs:
                found = self._git_dirs[directory]
                break
            missing.append(directory)
            if self._is_git_dir(directory):
                found = directory
                break
            directory = posixpath.dirname(directory)
        for one in missing:
            self._git_dirs[one] = found
        return found

    def _is_git_dir(self, path: str) -> bool:
        found = self._is_one.get(path)
        if found is None:
            found = self._is_one[path] = any(is_git_dir(tree, path) for tree in self._trees)
        return found


def is_git_dir(tree: Tree, path: str) -> bool:
    """Return whether a directory has the files that git requires of a git directory."""
    names = tree.entries(path)
    return (
        "HEAD" in names
        and all(name in names and names[name].is_directory for name in ("objects", "refs"))
    ) or ("HEAD" in names and "commondir" in names)


def config_of(tree: Tree, git_dir: str) -> Config:
    return parse_config(tree.read(f"{git_dir}/config", 1 << 20))


def _pointed_to(tree: Tree, directory: str, content: bytes) -> str | None:
    """Return the directory that a `.git` file names, if it is in this tree."""
    key, colon, value = content.decode("utf-8", "surrogateescape").partition(":")
    target = value.strip()
    if key.strip() != "gitdir" or not colon or not target or "\0" in target:
        return None
    if not target.startswith("/"):
        found = _joined(directory, target)
        return found if found and is_git_dir(tree, found) else None
    # the mount point of this tree's root is unknown: use the longest suffix that exists
    names = posixpath.normpath(target).strip("/").split("/")
    for at in range(len(names)):
        end = "/".join(names[at:])
        if is_git_dir(tree, end):
            return end
    return None


def _common(tree: Tree, git_dir: str) -> str:
    try:
        content = tree.read(f"{git_dir}/commondir", _POINTER_LIMIT)
    except TooLarge:
        content = None
    target = (content or b"").decode("utf-8", "surrogateescape").strip()
    found = _joined(git_dir, target) if target and not target.startswith("/") else None
    return found or git_dir


def _joined(directory: str, relative: str) -> str | None:
    """Return a path from the root, or None if it leads outside the tree."""
    if relative.startswith("/"):
        return None
    found = posixpath.normpath(posixpath.join(directory, relative))
    if found == ".." or found.startswith("../"):
        return None
    return "" if found == "." else found
