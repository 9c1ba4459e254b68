"""dpkg detector: Debian packages installed, removed, changed, held, or half-configured.

`var/lib/dpkg/status` lists installed packages, apt's `extended_states` which were requested, and
the lists next to it the files of each.
Only the lists of changed packages are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.os_packages.alternatives import alternative_findings
from clew.detectors.os_packages.dpkg_footprint import (
    BOOKKEEPING_BELOW,
    BOOKKEEPING_PATHS,
    SCRIPTS,
    is_bookkeeping,
    is_refresh,
    written_by_scripts,
)
from clew.detectors.os_packages.dpkg_lists import shipped_files
from clew.detectors.os_packages.dpkg_settings import setting_facts
from clew.detectors.os_packages.dpkg_status import (
    EXTENDED_STATES,
    STATUS,
    STATUS_DIRECTORY,
    DpkgPackage,
)
from clew.detectors.os_packages.dpkg_steps import DpkgStep, PackageSteps, package_steps
from clew.detectors.os_packages.dpkg_versions import is_older
from clew.detectors.os_packages.maintainer_scripts import script_paths
from clew.model.fact import Fact, Severity

SCOPE = "apt"
_NO_SETTINGS = ("etc/systemd/", "etc/rc")
"""Directories of links that start services; those were removed with the services."""


class Dpkg:
    """Reports Debian packages added, removed or changed, and claims the files involved."""

    name = "os/dpkg"
    version = 1
    kinds: tuple[str, ...] = (
        "package.added",
        "package.changed",
        "package.removed",
        "config.added",
        "config.changed",
        "config.removed",
    )
    watch = WatchedPaths(paths=BOOKKEEPING_PATHS, below=BOOKKEEPING_BELOW)

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        with evidence.guarded(STATUS):
            steps = evidence.once(package_steps)
            facts = tuple(_facts(evidence, steps))
            settings = tuple(setting_facts(evidence, did_packages_move=bool(steps.moved)))
            if settings:
                yield Finding(settings, [fact.subject for fact in settings])
            claims = [change.path for change in changes if is_bookkeeping(change, steps.names)]
            if steps.moved:
                claims += _explained(evidence, steps)
            if facts or claims:
                yield Finding(facts, claims, "" if facts else _text(steps, claims))
            yield from alternative_findings(evidence, changes, set(claims))


def _explained(evidence: Evidence, steps: PackageSteps) -> list[str]:
    """Return all paths that changed packages installed or removed, in any way."""
    shipped = shipped_files(evidence, steps)
    along = evidence.once(script_paths)
    shipped.update(along.removed_links(evidence))
    shipped.update(along.ucf_files(evidence))
    written = written_by_scripts(evidence, shipped)
    for path, package in (shipped | written).items():
        if package:
            evidence.own((path,), package)
    purged = {step.name for step in steps.moved.values() if step.is_purged}
    owned = [path for path, package in shipped.items() if not _is_setting(path, package, purged)]
    return [*owned, *written, *along.trivial_paths(evidence, shipped)]


def _is_setting(path: str, package: str, purged: set[str]) -> bool:
    """Return whether this is a setting of a package that was removed earlier and now purged."""
    return package in purged and path.startswith("etc/") and not path.startswith(_NO_SETTINGS)


def _facts(evidence: Evidence, steps: PackageSteps) -> Iterator[Fact]:
    for subject, step in steps.by_subject.items():
        if not step.was_present and not step.is_present:
            continue
        shown = STATUS if STATUS in evidence.changes else f"{STATUS_DIRECTORY}/{step.name}"
        if not step.is_moved and step.was_automatic != step.is_automatic:
            shown = EXTENDED_STATES
        yield _fact(subject, step, shown)


def _fact(subject: str, step: DpkgStep, shown: str) -> Fact:
    before = step.old.version if step.old and step.was_present else None
    after = step.new.version if step.new and step.is_present else None
    word = "changed" if step.was_present else "added"
    marks, severity = _marks(step, before, after)
    return Fact(
        f"package.{word if step.is_present else 'removed'}",
        SCOPE,
        subject,
        before,
        after,
        direct=step.is_marked or not (step.is_automatic if step.is_present else step.was_automatic),
        severity=severity,
        evidence=(shown,),
        marks=marks,
    )


def _marks(step: DpkgStep, before: str | None, after: str | None) -> tuple[tuple[str, ...], str]:
    """Return the marks, and the severity."""
    old, new = step.old, step.new
    if new is None or not new.is_present:
        return (
            (("only its record is gone",), Severity.HIGH) if step.is_lost else ((), Severity.NONE)
        )
    marks, severity = [], Severity.NONE
    if before is not None and after is not None and is_older(after, before):
        marks.append("downgrade")
        severity = Severity.NOTE
    if step.rebuilt and step.was_present and before == after:
        is_scripts = step.rebuilt.issubset(SCRIPTS)
        marks.append("same version, other scripts" if is_scripts else "same version, other files")
        severity = Severity.NOTE
    if new.is_broken:
        marks.append(_broken(new))
        severity = Severity.HIGH
    elif old is not None and old.is_broken and before == after:
        marks.append("configured")
    if new.is_held:
        marks.append("on hold")
    elif old is not None and old.is_held and old.is_present:
        marks.append("no longer on hold")
    if step.was_present and step.was_automatic != step.is_automatic:
        marks.append("marked automatic" if step.is_automatic else "marked manual")
    return tuple(marks), severity


def _broken(package: DpkgPackage) -> str:
    """Return the unfinished state of a package."""
    if package.state == "unpacked":
        return "unpacked, not configured"
    return package.state if package.state != "installed" else "must be reinstalled"


def _text(steps: PackageSteps, claims: Sequence[str]) -> str:
    """Return the line if no package was added, removed or changed."""
    purged = [subject for subject, step in steps.by_subject.items() if step.is_purged]
    if purged:
        more = f" and {len(purged) - 1:,} more" if len(purged) > 1 else ""
        return f"leftover configuration of {purged[0]}{more} purged (apt)"
    if all(is_refresh(path) for path in claims):
        return "package lists refreshed (apt)"
    return "package bookkeeping changed (apt)"
