"""Every detector there is, ready to be asked; each is loaded when something it watches has changed."""

from __future__ import annotations

from clew.detectors import module_paths
from clew.detectors.detector import Detector
from clew.detectors.lazy import Lazy

DETECTORS: tuple[Detector, ...] = tuple(map(Lazy, module_paths.DETECTORS))
"""Those that know where the truth lies."""

SORTERS: tuple[Detector, ...] = tuple(map(Lazy, module_paths.SORTERS))
"""Those that sort what is left."""
