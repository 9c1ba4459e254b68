"""Comparison of working tree files with a commit, for resets and edited files."""

from __future__ import annotations

from clew.detectors.detector import TooLarge, Tree
from clew.detectors.repositories.git_objects import Objects, TreeEntry, object_id
from clew.model.git_pack import RawObject

_MAX_PATHS = 500
_MAX_TREES = 2_000
_FILE_LIMIT = 4 << 20


def blob_id(content: bytes, id_size: int) -> str:
    """Return the git object id of a file's content."""
    return object_id(RawObject("blob", content), id_size)


class CommitFiles:
    """Files of one commit, looked up by path."""

    def __init__(self, objects: Objects, commit: str | None) -> None:
        self._objects = objects
        found = objects.commit(commit) if commit else None
        self._root = found.tree if found else None

    @property
    def is_known(self) -> bool:
        return self._root is not None and self._objects.listing(self._root) is not None

    def find(self, path: str) -> TreeEntry | None:
        """Return the commit's entry at a path, or None; `LookupError` if a tree cannot be read."""
        at = TreeEntry(0o040000, self._root or "")
        for name in path.split("/"):
            if not at.is_directory:
                return None
            listing = self._objects.listing(at.id)
            if listing is None:
                raise LookupError(at.id)
            if name not in listing:
                return None
            at = listing[name]
        return at


def changed_files(objects: Objects, old: str, new: str) -> dict[str, TreeEntry | None] | None:
    """Return every path that differs between two commits, with the entry of the first.

    None if a tree cannot be read, or if too many paths differ.
    """
    commits = objects.commit(old), objects.commit(new)
    if commits[0] is None or commits[1] is None:
        return None
    found: dict[str, TreeEntry | None] = {}
    waiting: list[tuple[str, str | None, str | None]] = [("", commits[0].tree, commits[1].tree)]
    for _ in range(_MAX_TREES):
        if not waiting or len(found) > _MAX_PATHS:
            break
        prefix, left, right = waiting.pop()
        pair = [objects.listing(tree) if tree else {} for tree in (left, right)]
        if pair[0] is None or pair[1] is None:
            return None
        for name in sorted({*pair[0], *pair[1]}):
            was, now = pair[0].get(name), pair[1].get(name)
            if was == now:
                continue
            trees = [one.id if one and one.is_directory else None for one in (was, now)]
            if any(trees):
                waiting.append((f"{prefix}{name}/", trees[0], trees[1]))
            if any(one and not one.is_directory for one in (was, now)):
                found[prefix + name] = was if was and not was.is_directory else None
    return found if not waiting and len(found) <= _MAX_PATHS else None


def holds(tree: Tree, directory: str, files: dict[str, TreeEntry | None], id_size: int) -> bool:
    """Return whether all `files` below `directory` match; None means that the file is absent."""
    for path, wanted in files.items():
        place = f"{directory}/{path}" if directory else path
        try:
            content = tree.read(place, _FILE_LIMIT)
        except TooLarge:
            return False
        if wanted is None:
            if content is not None:
                return False
        elif content is None or blob_id(content, id_size) != wanted.id:
            return False
    return True
