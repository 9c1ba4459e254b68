"""The analysis: detectors are asked one after the other, and each changed path is claimed once.

First those that know an ecosystem; what they explain is explained.
Then those that sort what is left: source files, build output, logs, data.
What remains after that is rolled up (`rollup.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from clew.detectors.detector import Detector, Evidence, Finding, PathChange
from clew.detectors.dispatch import Dispatch
from clew.model.fact import SEVERITY_RANK
from clew.model.named_tuple import NamedTuple
from clew.model.vocabulary import KINDS


class DetectorResult(NamedTuple):
    """What one detector had to say."""

    name: str
    findings: tuple[Finding, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    """What it could not read, and why."""
    owners: tuple[tuple[str, str], ...] = ()
    """Paths that it saw a package bring along."""


Run = Callable[[Detector, Evidence, Sequence[PathChange]], DetectorResult]
"""Asks one detector; the worker puts a limit on the time here."""


def ask(detector: Detector, evidence: Evidence, changes: Sequence[PathChange]) -> DetectorResult:
    """Ask one detector; whatever goes wrong costs one line."""
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
    """Yield what each detector says, in order; `known` holds what some have said already."""
    known = known or {}
    shares = Dispatch(detectors).share(evidence.changes.values())
    for detector, share in zip(detectors, shares, strict=True):
        if share:
            yield _settled(evidence, known.get(detector.name) or run(detector, evidence, share))
    for sorter in sorters:
        left = [change for path, change in evidence.changes.items() if path not in evidence.claimed]
        if sorter.watch.everything:  # as most sorters do; no need to look anything up
            share = [change for change in left if not change.is_directory]
        else:
            share = Dispatch([sorter]).share(left)[0]
        if share:
            yield _settled(evidence, known.get(sorter.name) or run(sorter, evidence, share))


def _settled(evidence: Evidence, result: DetectorResult) -> DetectorResult:
    """Let the claims of a result stand: the first to explain a path has it."""
    for path, package in result.owners:
        evidence.owners.setdefault(path, package)
    for finding in result.findings:
        for path in finding.claims:
            if path in evidence.changes:
                evidence.claimed.add(path)
    return result
