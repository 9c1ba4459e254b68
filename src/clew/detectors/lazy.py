"""Lazy detectors: each is imported when a path that it watches has changed.

Importing all of them takes longer than most saves.  `index.py` lists what each one watches;
`make docs` generates it from the detectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Detector, Evidence, Finding, PathChange
from clew.detectors.index import INDEX
from clew.detectors.loading import load


class LazyDetector:
    """A proxy that imports its detector on first use."""

    def __init__(self, module_path: str) -> None:
        """`module_path` names a module below this package and a class in it: `databases.sqlite:Sqlite`."""
        self.module_path = module_path
        self.name, self.version, self.kinds, self.watch = INDEX[module_path]

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        return self.load().find(evidence, changes)

    def load(self) -> Detector:
        """Return the detector."""
        return load(self.module_path)
