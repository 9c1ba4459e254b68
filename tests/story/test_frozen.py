"""Recorded scenarios of `make eval`, replayed without a network and without root.

A recording has what detectors read when the scenario ran; its facts were verified with the
ecosystem's own tools.  The largest are not stored (2, postgres; 36, all in one).  After a change
in what is read or stated, record again: `make eval ARGS="--freeze tests/story/frozen 24"`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.detectors.registry import DETECTORS, SORTERS
from clew.story.analyse import analyse
from clew.story.compose import compose
from evaluation.recording import thaw

FROZEN = sorted((Path(__file__).parent / "frozen").glob("*.json.xz"))


def test_there_are_frozen_scenarios() -> None:
    assert len(FROZEN) >= 100


@pytest.mark.parametrize("path", FROZEN, ids=[path.name.partition(".")[0] for path in FROZEN])
def test_a_frozen_scenario_is_told_as_it_was_judged(path: Path, tmp_path: Path) -> None:
    evidence, told = thaw(path, tmp_path)

    story = compose(evidence, list(analyse(evidence, DETECTORS, SORTERS)))

    disk = [fact for fact in told["facts"] if fact[7] == "disk"]
    assert [_plain(fact) for fact in story.facts] == disk
    assert sorted(path for line in story.lines for path in line.paths) == sorted(evidence.changes)


def _plain(fact: tuple[object, ...]) -> list[object]:
    return [list(part) if isinstance(part, tuple) else part for part in fact]
