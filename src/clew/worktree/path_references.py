"""Path references: files that name an absolute path, and git metadata that names another repository.

A copy of a directory has the paths that programs wrote into it: shebangs and `pyvenv.cfg` of a virtual
environment, build files, absolute symlinks.  They lead to the directory that was copied.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from clew.filenames import normal_path
from clew.model.fork_results import GitLink, PathReferences, ReferenceGroup

_HEAD_BYTES = 64 << 10
"""Bytes of each file that are searched: what names a path usually does so near its start."""
_NAME_BYTES = re.compile(rb"[\w\-+@%~\x80-\xff]")
"""Bytes that continue a file name: `/srv/app` is not named by `/srv/app2` nor by `/opt/srv/app`."""
_BEFORE = re.compile(rb"[\w\-+@%~.*)}\]\x80-\xff]")
_FLAG = re.compile(rb"(?:^|[\s\"'`,;(])-[A-Za-z]{1,8}$")
"""A compiler's option without a space, `-I/srv/app`."""
_FLAG_BYTES = 10
_PATHS_LISTED = 10
_COMPILED = b".pyc"
"""Names its source only for tracebacks."""
_OBJECTS = b"objects"
"""Contents of a git repository, compressed."""
_WORKTREE = re.compile(rb'^[ \t]*worktree[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t]*$', re.MULTILINE)


def find_references(root: bytes, copied_from: Sequence[bytes]) -> PathReferences:
    """Return the files below `root` that name one of the paths `copied_from`, and links of git.

    The first path is that of the original.  A file that cannot be read is left out.
    """
    named: list[bytes] = []
    links: list[GitLink] = []
    waiting = [b""]
    while waiting:
        above = waiting.pop()
        for entry in _entries(os.path.join(root, above)):
            path = os.path.join(above, entry.name)
            if entry.name == b".git":
                links += _git_links(root, path, copied_from)
            if entry.is_symlink():
                found = _target(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if not (entry.name == _OBJECTS and os.path.basename(above) == b".git"):
                    waiting.append(path)
                continue
            elif entry.is_file(follow_symlinks=False) and not path.endswith(_COMPILED):
                found = _head(entry.path)
            else:
                continue
            if any(names_path(found, one) for one in copied_from):
                named.append(path)
    return PathReferences(copied_from[0], tuple(_groups(named)), tuple(sorted(links)))


def _groups(paths: Iterable[bytes]) -> list[ReferenceGroup]:
    """Return paths by their top directory, the largest group first."""
    by_top: dict[bytes, list[bytes]] = {}
    for path in sorted(paths):
        top, slash, _ = path.partition(b"/")
        by_top.setdefault(top if slash else b"", []).append(path)
    groups = [
        ReferenceGroup(top, len(found), tuple(found[:_PATHS_LISTED]))
        for top, found in by_top.items()
    ]
    return sorted(groups, key=lambda group: (-group.files, group.directory))


def names_path(content: bytes, path: bytes) -> bool:
    """Return whether `content` names `path` or anything below it."""
    at = content.find(path)
    while at >= 0:
        end = at + len(path)
        is_longer = _NAME_BYTES.match(content, end) or (
            content[end : end + 1] == b"." and _NAME_BYTES.match(content, end + 1)
        )
        is_part = at and _BEFORE.match(content, at - 1)
        if not is_longer and (not is_part or _FLAG.search(content[max(at - _FLAG_BYTES, 0) : at])):
            return True
        at = content.find(path, at + 1)
    return False


def _git_links(root: bytes, git: bytes, copied_from: Sequence[bytes]) -> Iterator[GitLink]:
    """Yield the files of git at `git` that name something outside the original."""
    place = os.path.join(root, git)
    found = [(git, _head(place).partition(b"gitdir:")[2])]  # of a linked worktree, or a submodule
    if os.path.isdir(place):
        setting = _WORKTREE.search(_head(os.path.join(place, b"config")))
        # Relative to the repository; the paths in other files are relative to the file.
        found = [(os.path.join(git, b"config"), setting[1] if setting else b"")]
        for entry in _entries(os.path.join(place, b"worktrees")):
            path = os.path.join(git, b"worktrees", entry.name, b"gitdir")
            found.append((path, _head(os.path.join(root, path))))
    for path, text in found:
        if text.strip():
            above = os.path.join(copied_from[0], os.path.dirname(path))
            target = normal_path(os.path.join(above, text.strip()))
            if not any(_is_within(target, one) for one in copied_from):
                yield GitLink(path, target)


def _is_within(path: bytes, directory: bytes) -> bool:
    return path == directory or path.startswith(directory.rstrip(b"/") + b"/")


def _entries(directory: bytes) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(directory) as found:
            return list(found)
    except OSError:
        return []


def _target(path: bytes) -> bytes:
    try:
        return os.readlink(path)
    except OSError:
        return b""


def _head(path: bytes) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _HEAD_BYTES)
    except OSError:
        return b""  # a directory
    finally:
        os.close(descriptor)
