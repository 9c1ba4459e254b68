"""Import of a detector by its module path."""

from __future__ import annotations

from importlib import import_module

from clew.detectors.detector import Detector


def load(module_path: str) -> Detector:
    """Return a new detector of the class named by `module_path`: `databases.sqlite:Sqlite`."""
    module, _, name = module_path.partition(":")
    found: Detector = getattr(import_module(f"clew.detectors.{module}"), name)()
    return found
