"""Plugins: third-party detectors, loaded only if named in the configuration.

clew config set story.detectors "mypackage.terraform:Terraform mypackage.k8s:Kubernetes"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from clew.detectors.detector import Detector, Evidence, Finding, PathChange, WatchedPaths
from clew.story.version import PLUGINS


def plugged_in(settings: Mapping[str, str]) -> list[Detector]:
    """Return the configured detectors; one that cannot be loaded reports that in each story."""
    return [_load(name) for name in settings.get(PLUGINS, "").split()]


def check_plugins(value: str) -> None:
    """Raise `ValueError` unless every detector named in `value` can be loaded."""
    for name in value.split():
        loaded = _load(name)
        if isinstance(loaded, _Missing):
            raise ValueError(f"{name}: {loaded.why}")


def _load(name: str) -> Detector:
    module, _, attribute = name.partition(":")
    try:
        found: Detector = getattr(import_module(module), attribute)()
    except Exception as error:  # noqa: BLE001 - third-party code may raise anything
        return _Missing(name, f"cannot be loaded ({type(error).__name__})")
    return found


class _Missing:
    """Placeholder for a detector that could not be loaded."""

    version = 0
    kinds: tuple[str, ...] = ()
    watch = WatchedPaths(everything=True)

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        evidence.problem("", self.why)
        return iter(())
