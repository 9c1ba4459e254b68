"""Import of a detector by its module path."""

from __future__ import annotations

from importlib import import_module

from clew.detectors.detector import Detector


def load(place: str) -> Detector:
    """Return a new detector of the class named by `place`: `data.sqlite:Sqlite`."""
    module, _, name = place.partition(":")
    found: Detector = getattr(import_module(f"clew.detectors.{module}"), name)()
    return found
