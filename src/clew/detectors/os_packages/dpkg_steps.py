"""State changes of Debian packages.

A package moves if its files may differ: it was added, removed, upgraded, unpacked or rebuilt.
A hold or a mark as requested moves nothing; then no file change is attributed to it.
"""

from __future__ import annotations

from collections.abc import Mapping

from clew.detectors.detector import Evidence, Tree
from clew.detectors.os_packages.dpkg_footprint import did_dpkg_run, info_of
from clew.detectors.os_packages.dpkg_status import (
    EXTENDED_STATES,
    INFO,
    DpkgPackage,
    automatic,
    differing,
)
from clew.model.named_tuple import NamedTuple


class DpkgStep(NamedTuple):
    """One package before and after; None if dpkg has no record of it."""

    old: DpkgPackage | None
    new: DpkgPackage | None
    rebuilt: frozenset[str] = frozenset()
    """Suffixes of its changed info files: `.md5sums`, `.postinst`."""
    was_automatic: bool = False
    """Whether it was only a dependency."""
    is_automatic: bool = False
    is_lost: bool = False
    """Whether its record is deleted, but not its file list, which dpkg would remove first."""

    @property
    def name(self) -> str:
        package = self.new or self.old
        return package.name if package else ""

    @property
    def was_present(self) -> bool:
        return self.old is not None and self.old.is_present

    @property
    def is_present(self) -> bool:
        return self.new is not None and self.new.is_present

    @property
    def is_purged(self) -> bool:
        """Return whether only the configuration of a removed package was deleted."""
        is_leftover = self.old is not None and self.old.state == "config-files"
        return is_leftover and (self.new is None or self.new.state == "not-installed")

    @property
    def is_moved(self) -> bool:
        """Return whether its files may differ."""
        old, new = self.old, self.new
        if not (old and new and self.was_present and self.is_present):
            return self.was_present or self.is_present or self.is_purged
        is_other = old.version != new.version or old.is_broken != new.is_broken
        return bool(self.rebuilt) or is_other

    @property
    def is_marked(self) -> bool:
        """Return whether its selection or its automatic mark changed."""
        old, new = self.old, self.new
        if not (old and new and self.was_present and self.is_present):
            return False
        return old.is_held != new.is_held or self.was_automatic != self.is_automatic


class PackageSteps(NamedTuple):
    """State changes of all packages."""

    by_subject: Mapping[str, DpkgStep]
    moved: Mapping[str, DpkgStep]
    """Those whose files may differ."""
    names: frozenset[str]
    """The names of those."""


def package_steps(evidence: Evidence) -> PackageSteps:
    """Return every package that changed; use `evidence.once`."""
    rebuilt = _rebuilt(evidence) if did_dpkg_run(evidence) else {}
    was, now = _automatic(evidence, evidence.old), _automatic(evidence, evidence.new)
    names = {stem.partition(":")[0] for stem in {*rebuilt, *(was ^ now)}}
    found = differing(evidence.old, evidence.new, names)
    was, now = (_names(subjects, found.native) for subjects in (was, now))
    steps = {}
    for subject in sorted({*found.old, *found.new}):
        old, new = found.old.get(subject), found.new.get(subject)
        step = DpkgStep(old, new, _endings(rebuilt, new), subject in was, subject in now)
        if step.is_moved or step.is_marked:
            steps[subject] = step._replace(is_lost=_is_lost(evidence, step))
    moved = {subject: step for subject, step in steps.items() if step.is_moved}
    return PackageSteps(steps, moved, frozenset(step.name for step in moved.values()))


def _rebuilt(evidence: Evidence) -> dict[str, set[str]]:
    """Return the suffixes of changed info files, by `name` or `name:architecture`."""
    found: dict[str, set[str]] = {}
    for path in evidence.changes:
        info = info_of(path)
        if info is not None and info[1] != ".list":
            found.setdefault(info[0], set()).add(info[1])
    return found


def _endings(rebuilt: Mapping[str, set[str]], package: DpkgPackage | None) -> frozenset[str]:
    """Return the changed suffixes of one package; another architecture is another package."""
    if package is None:
        return frozenset()
    stems = package.name, f"{package.name}:{package.architecture}"
    return frozenset(ending for stem in stems for ending in rebuilt.get(stem, ()))


def _is_lost(evidence: Evidence, step: DpkgStep) -> bool:
    if step.new is not None or step.old is None or not step.was_present:
        return False
    stems = step.name, f"{step.name}:{step.old.architecture}"
    return any(evidence.new.entry(f"{INFO}/{stem}.list") is not None for stem in stems)


def _automatic(evidence: Evidence, tree: Tree) -> set[str]:
    """Return `name:architecture` of what apt installed only as dependencies."""
    found: set[str] = set()
    with evidence.guarded(EXTENDED_STATES):
        found.update(automatic(tree))
    return found


def _names(subjects: set[str], native: str) -> set[str]:
    return {subject.removesuffix(f":{native}").removesuffix(":all") for subject in subjects}
