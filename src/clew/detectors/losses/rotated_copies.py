"""Rotated copies: whether a log that was emptied, shortened or deleted was put aside first."""

from __future__ import annotations

from clew.detectors.detector import Evidence
from clew.detectors.files.logs import base_of

_PACKED = (".gz", ".xz", ".bz2", ".zst", ".zip", ".tgz", ".7z", ".lz4")
_PLAIN = (".log", ".old", ".bak", ".txt", ".jsonl", ".1")


class RotatedCopies:
    """Copies of logs that are new or different; `evidence.once(RotatedCopies)`."""

    def __init__(self, evidence: Evidence) -> None:
        self._bases: set[str] = set()
        self._names: list[str] = []
        for path, change in evidence.changes.items():
            new = change.new
            if new is None or not new.is_file or not new.size or not change.is_content:
                continue
            name = path.rpartition("/")[2]
            if name.endswith((*_PACKED, *_PLAIN)) or name[-1:].isdigit():
                base = base_of(path)
                if base != path:
                    self._bases.add(base)
                if change.old is None:
                    self._names.append(name.lower())

    def has(self, path: str) -> bool:
        """Return whether a copy of a log was made: beside it, or with its name elsewhere."""
        if path in self._bases:
            return True
        name = path.rpartition("/")[2].lower()
        stem = name[: name.find(".", 1)] if "." in name[1:] else name
        return any(stem in other and other != name for other in self._names)
