"""Bisect search: correct for every line, within its bound, with skipped candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import NamedTuple

import pytest

from clew.model.bisect_search import (
    BisectMark,
    BisectOutcome,
    End,
    Try,
    candidates_of,
    next_step,
    word_of,
)
from clew.model.ids import StateId
from clew.model.verdict import RunEnd, Verdict
from tests.cli.samples import checkpoint

LARGEST = 200
SECOND = 1_000_000_000

Words = list[str | None]


class Search(NamedTuple):
    """The outcome of a search, and the candidates it tried."""

    end: End
    tried: list[int]
    promised: list[int]
    """The maximum number of further tries, after each try."""


def search(truth: Callable[[int], str], words: Words) -> Search:
    """Run a search to its end; `truth` is the result of the check on each candidate."""
    tried: list[int] = []
    promised: list[int] = []
    while isinstance(step := next_step(words), Try):
        assert words[step.at] is None, "tried what was known"
        tried.append(step.at)
        promised.append(step.more)
        words[step.at] = truth(step.at)
    return Search(step, tried, promised)


def bad_from(first: int, skipped: Iterable[int] = ()) -> Callable[[int], str]:
    passed = frozenset(skipped)
    return lambda at: (
        BisectMark.SKIPPED if at in passed else BisectMark.GOOD if at < first else BisectMark.BAD
    )


def bound(count: int) -> int:
    """Return ⌈log2 n⌉ + 2."""
    return (count - 1).bit_length() + 2


@pytest.mark.parametrize("count", range(2, LARGEST + 1))
def test_every_first_bad_one_is_found_within_the_bound(count: int) -> None:
    for first in range(1, count):
        found = search(bad_from(first), [None] * count)

        assert found.end == End(BisectOutcome.FOUND, first - 1, first)
        assert len(found.tried) <= bound(count)
        assert found.tried[:2] == [count - 1, 0]
        left = range(len(found.tried) - 1, -1, -1)
        assert all(real <= said for real, said in zip(left, found.promised, strict=True))


@pytest.mark.parametrize("count", [1, 2, 3, 64, LARGEST])
def test_nothing_bad_takes_one_run_and_nothing_good_two(count: int) -> None:
    good = search(bad_from(count), [None] * count)
    bad = search(bad_from(0), [None] * count)

    assert good.end == End(BisectOutcome.ALL_GOOD, last_good=count - 1)
    assert len(good.tried) == 1
    assert bad.end == End(BisectOutcome.ALL_BAD, first_bad=0)
    assert len(bad.tried) == min(count, 2)


@pytest.mark.parametrize("count", range(2, 10))
def test_with_every_set_of_skips_the_truth_is_never_missed(count: int) -> None:
    for first in range(1, count):
        for flags in product((False, True), repeat=count):
            skipped = {at for at, is_skipped in enumerate(flags) if is_skipped}
            found = search(bad_from(first, skipped), [None] * count)

            assert found.end == expected_end(count, first, skipped)
            judged = [at for at in found.tried if at not in skipped]
            assert len(judged) <= bound(count)


def expected_end(count: int, first: int, skipped: set[int]) -> End:
    """Return the expected outcome, from all candidates."""
    if count - 1 in skipped:
        return End(BisectOutcome.UNDECIDED)
    bad = min(at for at in range(first, count) if at not in skipped)
    good = max((at for at in range(first) if at not in skipped), default=None)
    if good is not None:
        return End(BisectOutcome.FOUND if bad == good + 1 else BisectOutcome.BETWEEN, good, bad)
    if bad == count - 1:
        return End(BisectOutcome.UNDECIDED, first_bad=bad)
    return End(BisectOutcome.ALL_BAD, first_bad=bad)


@pytest.mark.parametrize("count", [31, 50, 63, 64, 65])
@pytest.mark.parametrize("broken", [1, 5, 20])
def test_a_stretch_that_cannot_be_judged_does_not_spoil_the_bound(count: int, broken: int) -> None:
    for first in range(1, count):
        for start in range(1, count - broken - 1, 3):
            skipped = set(range(start, start + broken))
            found = search(bad_from(first, skipped), [None] * count)

            assert found.end == expected_end(count, first, skipped)
            assert len([at for at in found.tried if at not in skipped]) <= bound(count)


def test_a_stretch_that_cannot_be_judged_is_jumped_over() -> None:
    skipped = set(range(22, 43))
    found = search(bad_from(10, skipped), [None] * 64)

    assert len([at for at in found.tried if at in skipped]) <= len(skipped) // 2


@pytest.mark.parametrize("count", [2, 3, 17, 64, 200])
def test_what_is_known_is_not_tried_again(count: int) -> None:
    """The known marks are enough to continue an interrupted search."""
    for first in range(1, count):
        whole = search(bad_from(first), [None] * count)
        for already in range(len(whole.tried) + 1):
            words: Words = [None] * count
            for at in whole.tried[:already]:
                words[at] = bad_from(first)(at)
            rest = search(bad_from(first), words)

            assert rest.end == whole.end
            assert rest.tried == whole.tried[already:]


def test_a_good_one_that_is_known_spares_the_oldest() -> None:
    words: Words = [None] * 64
    words[40] = BisectMark.GOOD
    found = search(bad_from(50), words)

    assert found.end == End(BisectOutcome.FOUND, 49, 50)
    assert min(found.tried) > 40


def test_of_several_changes_from_good_to_bad_the_newest_is_found() -> None:
    words: Words = [
        BisectMark.GOOD,
        BisectMark.BAD,
        None,
        BisectMark.GOOD,
        None,
        BisectMark.BAD,
        BisectMark.BAD,
    ]
    found = search(bad_from(4), words)

    assert found.end == End(BisectOutcome.FOUND, 3, 4)
    assert found.tried == [4]


def test_flaky_ones_are_passed_over_like_skipped_ones() -> None:
    words: Words = [BisectMark.GOOD, BisectMark.FLAKY, BisectMark.BAD]

    assert next_step(words) == End(BisectOutcome.BETWEEN, 0, 2)
    assert next_step([BisectMark.GOOD, BisectMark.FLAKY]) == End(BisectOutcome.UNDECIDED)


def states(text: str) -> list[str]:
    """Return the candidates of a line whose checkpoints have the states that `text` spells."""
    line = []
    for number, letter in enumerate(text, 1):
        found = checkpoint(number)
        state = StateId(letter.encode() * 32)
        line.append(found._replace(record=found.record._replace(state=state)))
    return [
        "".join(str(one.record.sequence) for one in found.checkpoints)
        for found in candidates_of(line)
    ]


def test_equal_states_in_a_row_are_one_candidate() -> None:
    assert states("aabbba") == ["12", "345", "6"]


def run(exit_code: int | None = 0, ended: str = RunEnd.EXITED, *, seconds: float = 1.0) -> Verdict:
    duration = int(seconds * SECOND)
    return Verdict("check", exit_code, duration, "", 0, "copy", StateId(bytes(32)), ended)


FLAKY = run()._replace(is_flaky=True)
DISTURBED = run()._replace(changed_count=1)


@pytest.mark.parametrize(
    ("runs", "word"),
    [
        ([], None),
        ([run(0)], BisectMark.GOOD),
        ([run(1)], BisectMark.BAD),
        ([FLAKY, FLAKY], BisectMark.FLAKY),
        ([run(None, RunEnd.INTERRUPTED)], None),
        ([run(None, RunEnd.FAILED)], None),
        ([DISTURBED], None),
        ([run(None, RunEnd.INTERRUPTED), run(1)], BisectMark.BAD),
        ([run(125, RunEnd.SKIPPED)], BisectMark.SKIPPED),
        ([run(125, RunEnd.SKIPPED), run(0)], BisectMark.GOOD),
        ([run(None, RunEnd.TIMEOUT, seconds=60.1)], BisectMark.SKIPPED),
        ([run(None, RunEnd.TIMEOUT, seconds=59.9)], None),
    ],
)
def test_the_word_is_what_telling_runs_say(runs: list[Verdict], word: str | None) -> None:
    assert word_of(runs, repeat=1, timeout=60.0) == word


def test_a_check_that_is_repeated_needs_as_many_telling_runs() -> None:
    said = [word_of([run(1)] * count, repeat=3, timeout=60.0) for count in range(5)]

    assert said == [None, None, None, BisectMark.BAD, BisectMark.BAD]
