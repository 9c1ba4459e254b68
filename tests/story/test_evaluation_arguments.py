"""The command line of the evaluation: a call that selects nothing is an error, not a success."""

from __future__ import annotations

import pytest

from evaluation.__main__ import choose
from evaluation.selection import NothingSelected, select


@pytest.mark.parametrize(
    "line",
    ["--secnd", "--scen", "--fresh --second", "--busy", "--fresh --freeze x", "git", "--blind git"],
)
def test_a_wrong_call_is_refused(line: str) -> None:
    with pytest.raises(SystemExit) as refused:
        choose(line.split())
    assert refused.value.code == 2


def test_no_argument_chooses_everything() -> None:
    assert choose([]).is_all
    assert not choose(["8"]).is_all
    assert not choose(["--scenarios"]).is_all


def test_a_word_that_selects_nothing_is_an_error() -> None:
    names = ["git: reset", "npm: install"]
    assert select(names, ["git"]) == ["git: reset"]
    assert select(names, []) == names
    with pytest.raises(NothingSelected):
        select(names, ["git", "apt"])
