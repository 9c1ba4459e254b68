"""Files of a commit, and those that differ between two commits."""

from __future__ import annotations

from clew.detectors.repositories.git_objects import Objects, TreeEntry, object_id
from clew.model.git_pack import RawObject

_MAX_PATHS = 500
_MAX_TREES = 2_000


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


Pair = tuple[TreeEntry | None, TreeEntry | None]


def differing_files(objects: Objects, one: str, other: str | None) -> dict[str, Pair] | None:
    """Return every path that differs between two commits, with its entry in each.

    None for the second is a commit without files.
    Returns None if a tree cannot be read, or if too many paths differ.
    """
    commit, base = objects.commit(one), objects.commit(other) if other else None
    if commit is None or (other is not None and base is None):
        return None
    found: dict[str, Pair] = {}
    waiting: list[tuple[str, str | None, str | None]] = [
        ("", commit.tree, base.tree if base is not None else None)
    ]
    for _ in range(_MAX_TREES):
        if not waiting or len(found) > _MAX_PATHS:
            break
        prefix, left, right = waiting.pop()
        pair = [objects.listing(tree) if tree else {} for tree in (left, right)]
        if pair[0] is None or pair[1] is None:
            return None
        for name in sorted({*pair[0], *pair[1]}):
            entries = pair[0].get(name), pair[1].get(name)
            if entries[0] == entries[1]:
                continue
            trees = [entry.id if entry and entry.is_directory else None for entry in entries]
            if any(trees):
                waiting.append((f"{prefix}{name}/", trees[0], trees[1]))
            files = [entry if entry and not entry.is_directory else None for entry in entries]
            if any(files):
                found[prefix + name] = files[0], files[1]
    return found if not waiting and len(found) <= _MAX_PATHS else None
