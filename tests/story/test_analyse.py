"""A third-party detector may state unknown facts; the rest of the story is not affected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.model.fact import Fact
from tests.kit.moments import story

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
