"""Bisect asks in the right order, believes what it may, and asks nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.errors import ObjectMissing
from clew.model.bisect_search import BisectOutcome
from clew.model.checkpoint import Checkpoint
from clew.model.verdict import RunEnd, Verdict
from clew.operations.sandbox.bisect import notice_unsaved
from tests.operations.quiet import quiet
from tests.operations.sandbox.bisecting import OPTIONS, Bench, bench, sequences

__all__ = ["bench", "quiet"]


def test_the_first_bad_one_is_found_and_its_story_told(bench: Bench) -> None:
    bench.line(*range(1, 12))
    bench.first_bad = 8
    found = bench.find()

    assert found.outcome == BisectOutcome.FOUND
    assert (bench.number(found.last_good), bench.number(found.first_bad)) == (7, 8)
    assert (found.candidates, found.runs, found.known) == (11, len(bench.asked), 0)
    assert found.runs <= 6
    assert found.details is not None
    assert found.details.checkpoint.labels.intent == "number 8"
    assert found.details.story.headline == "number changed"


def test_nothing_is_asked_twice(bench: Bench) -> None:
    bench.line(*range(1, 12))
    bench.first_bad = 8
    first = bench.find()
    bench.asked.clear()
    again = bench.find()

    assert bench.number(again.first_bad) == bench.number(first.first_bad) == 8
    assert bench.asked == []
    assert again.runs == 0
    assert again.known > 0


def test_a_search_cut_short_goes_on_where_it_was(bench: Bench) -> None:
    bench.line(*range(1, 65))
    bench.first_bad = 40
    whole = bench.find()
    order = list(bench.asked)
    bench.ws._access.store.verdicts._database.execute("DELETE FROM verdicts")
    bench.asked.clear()
    bench.answers[order[4]] = [(None, RunEnd.INTERRUPTED), (int(order[4] >= 40), RunEnd.EXITED)]

    with pytest.raises(KeyboardInterrupt):
        bench.find()
    rest = bench.find()

    assert bench.asked == [*order[:5], *order[4:]]
    assert bench.number(rest.first_bad) == bench.number(whole.first_bad) == 40
    assert "Results so far are stored; run the same command to continue" in bench.monitor.notices


def test_a_known_pass_is_where_it_begins(bench: Bench) -> None:
    saved = bench.line(*range(1, 12))
    bench.first_bad = 9
    bench.judge(saved[5])
    found = bench.find()

    assert bench.number(found.oldest) == 6
    assert found.candidates == 6
    assert bench.number(found.first_bad) == 9


def test_the_verdict_of_another_command_is_not_believed(bench: Bench) -> None:
    for saved in bench.line(1, 2):
        other = Verdict("another", 0, 1, "", 0, "workspace", saved.record.state)
        bench.ws._access.store.verdicts.add(saved.id, other)
    bench.first_bad = 0
    found = bench.find()

    assert (found.outcome, found.known) == (BisectOutcome.ALL_BAD, 0)
    assert bench.asked == [2, 1]


def test_equal_states_are_run_once_and_the_nearest_are_named(bench: Bench) -> None:
    bench.line(1, 1, 1, 2, 2, 2)
    bench.first_bad = 2
    found = bench.find()

    assert sequences(found) == (3, 4)
    assert sorted(bench.asked) == [1, 2]
    assert found.candidates == 2


def test_a_state_that_comes_back_is_run_once(bench: Bench) -> None:
    bench.line(1, 9, 1, 8, 9)
    bench.first_bad = 8
    found = bench.find()

    assert sequences(found) == (3, 4)
    assert sorted(bench.asked) == [1, 8, 9]


def test_all_good_takes_one_run(bench: Bench) -> None:
    bench.line(1, 2, 3)
    found = bench.find()

    assert (found.outcome, bench.asked) == (BisectOutcome.ALL_GOOD, [3])
    assert found.details is None


def test_all_bad_takes_two(bench: Bench) -> None:
    bench.line(1, 2, 3)
    bench.first_bad = 0
    found = bench.find()

    assert (found.outcome, bench.asked) == (BisectOutcome.ALL_BAD, [3, 1])
    assert bench.number(found.first_bad) == 1


@pytest.mark.parametrize(
    "how",
    [(125, RunEnd.SKIPPED), (None, RunEnd.TIMEOUT), (None, RunEnd.FAILED)],
    ids=lambda how: how[1],
)
def test_what_cannot_be_judged_makes_a_range(bench: Bench, how: tuple[int | None, str]) -> None:
    bench.line(*range(1, 8))
    bench.first_bad = 5
    bench.answers = {4: [how], 5: [how]}
    found = bench.find()

    assert found.outcome == BisectOutcome.BETWEEN
    assert [bench.number(one) for one in found.suspects] == [4, 5, 6]
    assert [bench.number(one) for one in found.skipped] == [4, 5]
    assert bench.number(found.last_good) == 3
    assert found.details is not None
    assert found.details.story.headline == "number changed"


def test_what_was_skipped_is_not_tried_again(bench: Bench) -> None:
    bench.line(*range(1, 8))
    bench.first_bad = 5
    bench.answers = {4: [(125, RunEnd.SKIPPED)]}
    bench.find()
    bench.asked.clear()
    again = bench.find()

    assert bench.asked == []
    assert again.outcome == BisectOutcome.BETWEEN


def test_more_time_gives_a_slow_check_another_chance(bench: Bench) -> None:
    bench.line(1, 2, 3)
    bench.first_bad = 3
    bench.answers = {2: [(None, RunEnd.TIMEOUT), (0, RunEnd.EXITED)]}
    assert bench.find().outcome == BisectOutcome.BETWEEN

    found = bench.find(OPTIONS._replace(timeout=120.0))

    assert found.outcome == BisectOutcome.FOUND
    assert bench.number(found.first_bad) == 3


def test_runs_that_disagree_are_flaky_and_not_believed(bench: Bench) -> None:
    bench.line(*range(1, 8))
    bench.first_bad = 5
    bench.answers = {4: [(0, RunEnd.EXITED), (1, RunEnd.EXITED)]}
    found = bench.find(OPTIONS._replace(repeat=3))

    assert found.outcome == BisectOutcome.BETWEEN
    assert [bench.number(one) for one in found.flaky] == [4]
    assert bench.asked.count(4) == 2
    assert bench.asked.count(1) == 3


def test_a_bad_end_that_is_flaky_is_undecided(bench: Bench) -> None:
    bench.line(1, 2, 3)
    bench.answers = {3: [(0, RunEnd.EXITED), (1, RunEnd.EXITED)]}
    found = bench.find(OPTIONS._replace(repeat=2))

    assert found.outcome == BisectOutcome.UNDECIDED
    assert [bench.number(one) for one in found.flaky] == [3]


def test_runs_known_before_count_as_repeats(bench: Bench) -> None:
    saved = bench.line(1, 2, 3)
    bench.first_bad = 3
    bench.judge(saved[1])
    found = bench.find(OPTIONS._replace(repeat=2))

    assert sequences(found) == (2, 3)
    assert sorted(bench.asked) == [2, 2, 3, 3]


def test_a_check_that_cannot_be_started_is_not_repeated(bench: Bench) -> None:
    bench.line(1)
    bench.answers = {1: [(None, RunEnd.FAILED)]}
    found = bench.find(OPTIONS._replace(repeat=3))

    assert (found.outcome, bench.asked) == (BisectOutcome.UNDECIDED, [1])


def test_a_moment_that_cannot_be_read_is_passed_over(bench: Bench) -> None:
    bench.line(1, 2, 3)
    bench.first_bad = 3
    whole = bench.judge

    def judge(checkpoint: Checkpoint) -> Verdict:
        if bench.number(checkpoint) == 2:
            raise ObjectMissing(bytes(32))
        return whole(checkpoint)

    bench.judge = judge  # type: ignore[method-assign]
    found = bench.find()

    assert found.outcome == BisectOutcome.BETWEEN
    assert [bench.number(one) for one in found.skipped] == [2]
    assert any("missing" in notice for notice in bench.monitor.notices)


def test_each_run_is_a_line_and_its_answer_another(bench: Bench) -> None:
    saved = bench.line(1, 2)
    bench.first_bad = 2
    bench.find()

    assert bench.monitor.notices == [
        f"Checking {saved[1].id.hex()[:8]} (number 2), about 1 more",
        "✘ failing, exit 1, 1 ms",
        f"Checking {saved[0].id.hex()[:8]} (number 1)",
        "✔ passing, 1 ms",
    ]


@pytest.mark.parametrize(
    ("touch", "notices"),
    [
        (lambda file: file.write_text("unsaved"), 1),
        (lambda file: file.touch(), 0),
        (lambda file: (file.unlink(), file.parent.rmdir()), 0),
    ],
    ids=["edited", "touched", "gone"],
)
def test_unsaved_work_is_mentioned(
    bench: Bench, touch: Callable[[Path], object], notices: int
) -> None:
    saved = bench.save(1)
    touch(bench.file)
    notice_unsaved(bench.ws._access.context, saved, bench.monitor)

    assert len(bench.monitor.notices) == notices
