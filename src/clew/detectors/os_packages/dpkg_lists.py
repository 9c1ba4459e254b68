"""Changed files that packages installed or removed, by their file lists.

A configuration file that differs from the shipped one was edited: it is not attributed to the
package, even if both happened in the same interval.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.detectors.detector import Evidence, PathChange, Tree
from clew.detectors.os_packages.conffiles import is_edited
from clew.detectors.os_packages.dpkg_status import (
    STATUS,
    DpkgPackage,
    diversions,
    listed,
    real,
    root_links,
)
from clew.detectors.os_packages.dpkg_steps import DpkgStep, PackageSteps

_BACKUP_SUFFIXES = (".dpkg-new", ".dpkg-dist", ".dpkg-old", ".dpkg-tmp")


def shipped_files(evidence: Evidence, steps: PackageSteps) -> dict[str, str]:
    """Return the changed paths that packages installed or removed, with the package names."""
    found: dict[str, str] = {}
    old, new = _Lists(evidence.old), _Lists(evidence.new)
    for step in steps.moved.values():
        with evidence.guarded(STATUS):
            found.update(_removed(evidence, old, step))
    for step in steps.moved.values():
        with evidence.guarded(STATUS):
            found.update(_installed(evidence, new, step))
    return found


def _removed(evidence: Evidence, lists: _Lists, step: DpkgStep) -> Iterator[tuple[str, str]]:
    """Yield the deleted files of the old list; one with other content has another owner."""
    if step.old is not None:
        for path in lists.paths(step.old):
            change = evidence.changes.get(path)
            if change is not None and (change.is_deleted or _lost_permissions(change)):
                yield path, step.name
            yield from _backups(evidence, path, step)


def _lost_permissions(change: PathChange) -> bool:
    """Return whether a file only lost permissions, as the init script of a removed service does."""
    old, new = change.old, change.new
    return bool(
        old and new and old.is_file and not change.is_content and old.mode | new.mode == old.mode
    )


def _installed(evidence: Evidence, lists: _Lists, step: DpkgStep) -> Iterator[tuple[str, str]]:
    """Yield the changed files of the new list; lists also name shared directories."""
    if step.new is not None and step.is_present:
        for path in lists.paths(step.new):
            change = evidence.changes.get(path)
            if (
                change is not None
                and change.new is not None
                and (change.is_added or not change.new.is_directory)
                and not is_edited(evidence, path)
            ):
                yield path, step.name
            yield from _backups(evidence, path, step)


def _backups(evidence: Evidence, path: str, step: DpkgStep) -> Iterator[tuple[str, str]]:
    """Yield other versions of a configuration file, which dpkg leaves next to it."""
    if path.startswith("etc/"):
        for ending in _BACKUP_SUFFIXES:
            if path + ending in evidence.changes:
                yield path + ending, step.name


class _Lists:
    """File lists in one tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._links = root_links(tree)
        self._diverted = {start: (end, owner) for start, end, owner in diversions(tree)}

    def paths(self, package: DpkgPackage) -> Iterator[str]:
        """Yield the real paths of a package's files."""
        for path in listed(self._tree, package):
            end, owner = self._diverted.get(path, ("", ""))
            if end and owner == package.name:
                yield real(end, self._links)  # where the diverted file was moved
            yield real(end if end and owner != package.name else path, self._links)
