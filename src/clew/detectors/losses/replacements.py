"""Replacements: deleted files whose content is in another file that was written in the same interval.

* `shop.sql` was packed or encrypted: `shop.sql.gz`, `shop.sql.gpg`; a directory became `photos.zip`;
* `data.zip` was unpacked: `data/` or `data.csv` is there;
* `logo.png` was converted: `logo.webp`;
* `report.docx` was moved and edited: the only other file of that name is new, of similar size;
* `app.py.bak` is an older version of `app.py`, which is there.

Content is not compared: it differs.  So these are judged by name, kind and size.
"""

from __future__ import annotations

from clew.detectors.detector import Evidence, PathChange
from clew.detectors.losses.data_kinds import (
    ARCHIVE,
    BACKUP,
    IMAGE,
    OTHER,
    RECORDING,
    SOURCE,
    TABLE,
    kind_of,
)

_PACKED = (".gz", ".xz", ".bz2", ".zst", ".zip", ".7z", ".lz4", ".tar", ".tgz", ".tbz2", ".txz",
           ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".gpg", ".age", ".enc", ".asc")  # fmt: skip
_OLDER = (".bak", ".old", ".backup", ".save", ".prev", ".bkp")
_CONVERTED = (IMAGE, RECORDING, TABLE)
_NOT_TELLING = (OTHER, SOURCE)
"""Kinds whose names are too common to say that a file was moved."""


class Replacements:
    """Files that were added, by path and by name; `evidence.once(Replacements)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._packed: set[str] = set()
        self._stems: set[tuple[str, str]] = set()
        """Path without suffix, and kind."""
        self._names: dict[str, list[int]] = {}
        """Sizes of added files by name."""
        for path, change in evidence.changes.items():
            new = change.new
            if change.old is None and new is not None and new.is_file and new.size:
                self._add(path, new.size)

    def _add(self, path: str, size: int) -> None:
        name = path.rpartition("/")[2]
        if name.endswith(_PACKED):
            self._packed.add(path)
        kind = kind_of(name)
        if kind in _CONVERTED:
            self._stems.add((path[: path.rfind(".")], kind))
        if kind not in _NOT_TELLING:
            self._names.setdefault(name, []).append(size)

    def has(self, change: PathChange, kind: str) -> bool:
        """Return whether something replaces a deleted file."""
        path, old = change.path, change.old
        if old is None:
            return False
        if self._packed and self._is_packed(path):
            return True
        if kind in (ARCHIVE, BACKUP) and self._is_unpacked(path):
            return True
        if kind in _CONVERTED and (path[: path.rfind(".")], kind) in self._stems:
            return True
        sizes = self._names.get(change.name, [])
        return len(sizes) == 1 and sizes[0] <= 2 * old.size and old.size <= 2 * sizes[0]

    def _is_packed(self, path: str) -> bool:
        """Return whether a file, or a directory around it, was packed under its own name."""
        while path:
            if any(path + ending in self._packed for ending in _PACKED):
                return True
            path = path.rpartition("/")[0]
        return False

    def _is_unpacked(self, path: str) -> bool:
        """Return whether what an archive or an older version is named after is there."""
        for ending in (*_PACKED, *_OLDER):
            if path.endswith(ending) and self._evidence.new.entry(path[: -len(ending)]) is not None:
                return True
        return False
