"""A detector that is loaded when something it watches has changed.

Loading all of them takes longer than most saves; what each of them watches stands in `index.py`,
which `make docs` writes from the detectors themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Detector, Evidence, Finding, PathChange
from clew.detectors.index import INDEX
from clew.detectors.loading import load


class Lazy:
    """Stands for a detector until it is asked."""

    def __init__(self, place: str) -> None:
        """`place` is a module below this package and a class in it: `data.sqlite:Sqlite`."""
        self.place = place
        self.name, self.version, self.kinds, self.watch = INDEX[place]

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        return self.load().find(evidence, changes)

    def load(self) -> Detector:
        """Return the detector itself."""
        return load(self.place)
