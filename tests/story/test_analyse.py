"""A third-party detector may state unknown facts; the rest of the story is not affected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.model.fact import Fact
from clew.story.analyse import analyse
from tests.kit.moments import Moment, evidence, story

GOOD = Fact("env.added", ".env", "A")


class Stranger:
    """States two facts, the first of them as given."""

    name = "their/detector"
    version = 1
    kinds: tuple[str, ...] = ()
    watch = WatchedPaths(everything=True)

    def __init__(self, fact: Fact) -> None:
        self._fact = fact

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield Finding((self._fact,), ("a",))
        yield Finding((GOOD,), ("b",))


@pytest.mark.parametrize(
    "fact", [Fact("weather.changed", "x", "rain"), GOOD._replace(severity="loud")]
)
def test_a_fact_that_is_not_in_the_vocabulary_costs_one_line(fact: Fact) -> None:
    told = story([Stranger(fact)], {}, {"a": b"", "b": b""})

    assert [one.kind for one in told.facts] == ["env.added", "detector.failed"]
    assert sorted(path for line in told.lines for path in line.paths) == ["a", "b"]


class _Asked:
    """A detector that tells that it was asked."""

    name = "test/asked"
    version = 1
    kinds = ("data.changed",)

    def __init__(self, watch: WatchedPaths) -> None:
        self.watch = watch

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield Finding((Fact("data.changed", "test", "."),))


class _Installer(_Asked):
    """A package manager that installed all of it."""

    name = "test/installer"

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        evidence.owners.update({change.path: "package" for change in changes})
        return iter(())


@pytest.mark.parametrize(
    ("watch", "old", "installed", "is_asked"),
    [
        (WatchedPaths(everything=True), {}, True, True),
        (WatchedPaths(everything=True, existed=True), {}, False, False),
        (WatchedPaths(everything=True, existed=True), {"b": b"1"}, False, True),
        (WatchedPaths(everything=True, own=True), {}, False, True),
        (WatchedPaths(everything=True, own=True), {}, True, False),
    ],
)
def test_a_detector_is_asked_only_about_what_concerns_it(
    watch: WatchedPaths, old: Moment, installed: bool, is_asked: bool
) -> None:
    installers = [_Installer(WatchedPaths(everything=True))] if installed else []

    results = analyse(evidence(old, {"a": b"1"}), [*installers, _Asked(watch)], [])

    assert ("test/asked" in [result.name for result in results]) == is_asked
