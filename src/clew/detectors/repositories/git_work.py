"""Work of a commit that the files lack: for resets, deleted branches and dropped stashes.

A file has the work of a commit if its content is the same, or if it has most of the lines that the
commit added: it may have been merged with something else, or edited since.
"""

from __future__ import annotations

from clew.detectors.detector import TooLarge, Tree
from clew.detectors.repositories.git_checkout import blob_id, differing_files
from clew.detectors.repositories.git_objects import Objects, TreeEntry
from clew.model.entry import EntryKind

_FILE_LIMIT = 4 << 20
_MAX_BYTES = 16 << 20
"""The total size of the blobs whose lines are compared."""
_ENOUGH = 0.8
"""The share of added lines that must be there."""
_LFS = b"version https://git-lfs.github.com/spec/"
_GITLINK = 0o160000


class FilesOfWork:
    """The working tree of a repository, compared with its commits."""

    def __init__(self, tree: Tree, directory: str, objects: Objects, id_size: int) -> None:
        self._tree = tree
        self._directory = directory
        self._objects = objects
        self._id_size = id_size
        self._bytes_left = _MAX_BYTES

    def have(self, commit: str, base: str | None) -> bool:
        """Return whether the files have what a commit changed since `base`; False if unknown."""
        return self.lack(commit, base) == []

    def lack(self, commit: str, base: str | None) -> list[str] | None:
        """Return the files without the changes of a commit since `base`; None if unknown."""
        files = differing_files(self._objects, commit, base)
        if files is None:
            return None
        return sorted(path for path, pair in files.items() if not self._has(path, *pair))

    def _has(self, path: str, wanted: TreeEntry | None, was: TreeEntry | None) -> bool:
        if any(entry is not None and entry.mode == _GITLINK for entry in (wanted, was)):
            return True  # a submodule has its own history
        place = f"{self._directory}/{path}" if self._directory else path
        content = self._content(place)
        if wanted is None or content is None:
            return wanted is None and content is None
        return blob_id(content, self._id_size) == wanted.id or self._has_lines(content, wanted, was)

    def _content(self, path: str) -> bytes | None:
        entry = self._tree.entry(path)
        if entry is None:
            return None
        if entry.kind == EntryKind.SYMLINK:
            return entry.target
        try:
            return self._tree.read(path, _FILE_LIMIT) if entry.is_file else None
        except TooLarge:
            return b""

    def _has_lines(self, content: bytes, wanted: TreeEntry, was: TreeEntry | None) -> bool:
        after = self._objects.blob(wanted.id)
        before = self._objects.blob(was.id) if was is not None else b""
        if after is None or before is None:
            return False
        self._bytes_left -= len(after) + len(before)
        if self._bytes_left < 0 or b"\0" in after[:8_000]:
            return False
        if after.startswith(_LFS):
            return True  # the file has the contents, the commit a pointer to them
        added = _lines(after) - _lines(before)
        if not added:
            return not _lines(before) - _lines(after) & _lines(content)
        return len(added & _lines(content)) >= _ENOUGH * len(added)


def _lines(content: bytes) -> set[bytes]:
    return {stripped for line in content.split(b"\n") if (stripped := line.strip())}
