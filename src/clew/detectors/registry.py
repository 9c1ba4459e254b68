"""Registry of all detectors, in the order in which they run; each is imported on first use."""

from __future__ import annotations

from clew.detectors import module_paths
from clew.detectors.detector import Detector
from clew.detectors.lazy import LazyDetector

DETECTORS: tuple[Detector, ...] = tuple(map(LazyDetector, module_paths.DETECTORS))
"""Detectors of one subject each: packages, services, databases, repositories."""

SORTERS: tuple[Detector, ...] = tuple(map(LazyDetector, module_paths.SORTERS))
"""Detectors that classify the paths that no other detector claimed."""
