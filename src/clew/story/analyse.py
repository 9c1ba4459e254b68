"""Analysis: runs the detectors one after the other; each changed path is claimed once.

Detectors of an ecosystem come first.  Sorters then classify the unclaimed paths: source files,
build output, logs, data; never git's own files, which are bookkeeping if the git detector failed.
The remaining paths are rolled up (`rollup.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from clew.detectors.detector import Detector, Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.dispatch import Dispatch
from clew.detectors.repositories.git_places import is_inside_git
from clew.model.fact import SEVERITY_RANK
from clew.model.named_tuple import NamedTuple
from clew.model.vocabulary import KINDS


class DetectorResult(NamedTuple):
    """The result of one detector."""

    name: str
    findings: tuple[Finding, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    """What it could not read, and why."""
    owners: tuple[tuple[str, str], ...] = ()
    """Paths that a package installed, with the package."""


Run = Callable[[Detector, Evidence, Sequence[PathChange]], DetectorResult]
"""Runs one detector; the worker adds a time limit here."""


def ask(detector: Detector, evidence: Evidence, changes: Sequence[PathChange]) -> DetectorResult:
    """Run one detector; a failure becomes one line of the story."""
    evidence.problems = []
    before = len(evidence.owners)
    findings: list[Finding] = []
    with evidence.guarded(""):
        for finding in detector.find(evidence, changes):
            if all(fact.kind in KINDS and fact.severity in SEVERITY_RANK for fact in finding.facts):
                findings.append(finding)
            else:
                evidence.problem("", "states a fact that is not in the vocabulary")
    owners = tuple(evidence.owners.items())[before:]
    return DetectorResult(detector.name, tuple(findings), tuple(evidence.problems), owners)


def analyse(
    evidence: Evidence,
    detectors: Sequence[Detector],
    sorters: Sequence[Detector],
    run: Run = ask,
    known: dict[str, DetectorResult] | None = None,
) -> Iterator[DetectorResult]:
    """Yield the result of each detector, in order; `known` has results from an earlier run."""
    known = known or {}
    narrow = [sorter for sorter in sorters if not sorter.watch.everything]
    shares = Dispatch([*detectors, *narrow]).share(evidence.changes.values())  # one pass for all
    for detector, share in zip(detectors, shares, strict=False):
        if _concerns(detector.watch, evidence, share):
            yield _with_claims(evidence, known.get(detector.name) or run(detector, evidence, share))
    watched = dict(zip((sorter.name for sorter in narrow), shares[len(detectors) :], strict=True))
    files = [change for change in evidence.changes.values() if not change.is_directory]
    for sorter in sorters:
        share = [
            change
            for change in watched.get(sorter.name, files)
            if change.path not in evidence.claimed and not is_inside_git(change.path)
        ]
        if share:
            yield _with_claims(evidence, known.get(sorter.name) or run(sorter, evidence, share))


def _concerns(watch: WatchedPaths, evidence: Evidence, share: Sequence[PathChange]) -> bool:
    """Return whether a detector may have something to say; loading it takes longer than asking."""
    if watch.existed and all(change.old is None for change in share):
        return False
    if watch.own and all(change.path in evidence.owners for change in share):
        return False
    return bool(share)


def _with_claims(evidence: Evidence, result: DetectorResult) -> DetectorResult:
    """Register facts and claims of a result: the first detector to claim a path owns it."""
    for path, package in result.owners:
        evidence.owners.setdefault(path, package)
    for finding in result.findings:
        evidence.facts += finding.facts
        for path in finding.claims:
            if path in evidence.changes:
                evidence.claimed.add(path)
    return result
