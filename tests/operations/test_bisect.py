"""Bisect looks at the right checkpoints, in the right order, and asks nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew import opening
from clew.errors import ObjectMissing, WrongWayRound
from clew.model.bisecting import BisectResult, Outcome
from clew.model.checkpoint import Checkpoint
from clew.model.record import Origin
from clew.model.verdict import Ended, Verdict
from clew.monitor import RecordingMonitor
from clew.operations.bisect import (
    BisectOptions,
    bisect,
    is_vouched_for,
    notice_unsaved,
    with_story,
)
from clew.operations.bisect_range import Range, range_between, range_to
from clew.workspace import Workspace
from tests.operations.quiet import Machine, quiet

__all__ = ["quiet"]

OPTIONS = BisectOptions("check", 60.0)


class Bench:
    """A workspace whose only file holds a number, and a check that fails from some number on."""

    def __init__(self, ws: Workspace, project: Path) -> None:
        self.ws = ws
        self.file = project / "number"
        self.asked: list[int] = []
        self.answers: dict[int, list[tuple[int | None, str]]] = {}
        self.first_bad = 1 << 30
        self.monitor = RecordingMonitor()

    def save(self, number: int) -> Checkpoint:
        self.file.write_text(str(number))
        return self.ws.save(f"number {number}", origin=Origin.HOOK).checkpoint  # no story

    def line(self, *numbers: int) -> list[Checkpoint]:
        return [self.save(number) for number in numbers]

    def judge(self, checkpoint: Checkpoint) -> Verdict:
        """Say what the check would, and keep it."""
        number = self.number(checkpoint)
        self.asked.append(number)
        answers = self.answers.get(number) or [(int(number >= self.first_bad), Ended.EXITED)]
        code, how = answers.pop(0) if len(answers) > 1 else answers[0]
        verdict = Verdict(
            OPTIONS.command, code, 61 * 10**9 if how == Ended.TIMEOUT else 10**6, "", 0,
            "private copy", checkpoint.record.state, how,
        )  # fmt: skip
        self.ws._store.verdicts.add(checkpoint.id, verdict)
        return verdict

    def find(self, options: BisectOptions = OPTIONS, line: Range | None = None) -> BisectResult:
        context = self.ws._context
        here = self.ws.resolve("@")
        line = line or range_to(context, here, is_vouched_for(context, options))
        return with_story(context, bisect(context, line, options, self.judge, self.monitor))

    def number(self, checkpoint: Checkpoint | None) -> int:
        assert checkpoint is not None
        if checkpoint.labels.intent.startswith("forked from"):
            return int(checkpoint.labels.intent.split()[-1].rstrip(")"))
        return int(checkpoint.labels.intent.removeprefix("number "))


def sequences(found: BisectResult) -> tuple[int, int]:
    """Return which checkpoints are the last good and the first bad one, counted from 1."""
    assert found.last_good is not None
    assert found.first_bad is not None
    return found.last_good.record.sequence, found.first_bad.record.sequence


@pytest.fixture
def bench(ws: Workspace, project: Path, quiet: Machine) -> Bench:
    return Bench(ws, project)


def test_the_first_bad_one_is_found_and_its_story_told(bench: Bench) -> None:
    bench.line(*range(1, 12))
    bench.first_bad = 8
    found = bench.find()

    assert found.outcome == Outcome.FOUND
    assert (bench.number(found.last_good), bench.number(found.first_bad)) == (7, 8)
    assert (found.candidates, found.runs, found.known) == (11, len(bench.asked), 0)
    assert found.runs <= 6
    assert found.told is not None
    assert found.told.checkpoint.labels.intent == "number 8"
    assert found.told.story.headline == "number changed"


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
    bench.ws._store.verdicts._database.execute("DELETE FROM verdicts")
    bench.asked.clear()
    bench.answers[order[4]] = [(None, Ended.INTERRUPTED), (int(order[4] >= 40), Ended.EXITED)]

    with pytest.raises(KeyboardInterrupt):
        bench.find()
    rest = bench.find()

    assert bench.asked == [*order[:5], *order[4:]]
    assert bench.number(rest.first_bad) == bench.number(whole.first_bad) == 40
    assert (
        "What was found out is kept: the same command goes on from there" in bench.monitor.notices
    )


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
        bench.ws._store.verdicts.add(saved.id, other)
    bench.first_bad = 0
    found = bench.find()

    assert (found.outcome, found.known) == (Outcome.ALL_BAD, 0)
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

    assert (found.outcome, bench.asked) == (Outcome.ALL_GOOD, [3])
    assert found.told is None


def test_all_bad_takes_two(bench: Bench) -> None:
    bench.line(1, 2, 3)
    bench.first_bad = 0
    found = bench.find()

    assert (found.outcome, bench.asked) == (Outcome.ALL_BAD, [3, 1])
    assert bench.number(found.first_bad) == 1


@pytest.mark.parametrize(
    "how",
    [(125, Ended.SKIPPED), (None, Ended.TIMEOUT), (None, Ended.FAILED)],
    ids=lambda how: how[1],
)
def test_what_cannot_be_judged_makes_a_range(bench: Bench, how: tuple[int | None, str]) -> None:
    bench.line(*range(1, 8))
    bench.first_bad = 5
    bench.answers = {4: [how], 5: [how]}
    found = bench.find()

    assert found.outcome == Outcome.BETWEEN
    assert [bench.number(one) for one in found.suspects] == [4, 5, 6]
    assert [bench.number(one) for one in found.skipped] == [4, 5]
    assert bench.number(found.last_good) == 3
    assert found.told is not None
    assert found.told.story.headline == "number changed"


def test_what_was_skipped_is_not_tried_again(bench: Bench) -> None:
    bench.line(*range(1, 8))
    bench.first_bad = 5
    bench.answers = {4: [(125, Ended.SKIPPED)]}
    bench.find()
    bench.asked.clear()
    again = bench.find()

    assert bench.asked == []
    assert again.outcome == Outcome.BETWEEN


def test_more_time_gives_a_slow_check_another_chance(bench: Bench) -> None:
    bench.line(1, 2, 3)
    bench.first_bad = 3
    bench.answers = {2: [(None, Ended.TIMEOUT), (0, Ended.EXITED)]}
    assert bench.find().outcome == Outcome.BETWEEN

    found = bench.find(OPTIONS._replace(timeout=120.0))

    assert found.outcome == Outcome.FOUND
    assert bench.number(found.first_bad) == 3


def test_runs_that_disagree_are_flaky_and_not_believed(bench: Bench) -> None:
    bench.line(*range(1, 8))
    bench.first_bad = 5
    bench.answers = {4: [(0, Ended.EXITED), (1, Ended.EXITED)]}
    found = bench.find(OPTIONS._replace(repeat=3))

    assert found.outcome == Outcome.BETWEEN
    assert [bench.number(one) for one in found.flaky] == [4]
    assert bench.asked.count(4) == 2
    assert bench.asked.count(1) == 3


def test_a_bad_end_that_is_flaky_is_undecided(bench: Bench) -> None:
    bench.line(1, 2, 3)
    bench.answers = {3: [(0, Ended.EXITED), (1, Ended.EXITED)]}
    found = bench.find(OPTIONS._replace(repeat=2))

    assert found.outcome == Outcome.UNDECIDED
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
    bench.answers = {1: [(None, Ended.FAILED)]}
    found = bench.find(OPTIONS._replace(repeat=3))

    assert (found.outcome, bench.asked) == (Outcome.UNDECIDED, [1])


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

    assert found.outcome == Outcome.BETWEEN
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


def numbers(bench: Bench, line: Range) -> list[int]:
    return [bench.number(one) for one in line.checkpoints]


def test_the_line_leaves_out_what_was_tried_beside_it(bench: Bench) -> None:
    saved = bench.line(1, 2, 3)
    bench.ws.restore(saved[1].id.hex())
    bench.save(4)
    context = bench.ws._context
    here = bench.ws.resolve("@")

    assert numbers(bench, range_to(context, here, lambda _: False)) == [1, 2, 4]
    assert numbers(bench, range_between(context, saved[1], here)) == [2, 4]


def test_a_bad_one_that_is_known_to_pass_is_not_where_it_begins(bench: Bench) -> None:
    last = bench.line(1, 2, 3)[-1]

    assert numbers(bench, range_to(bench.ws._context, last, lambda _: True)) == [2, 3]


def test_where_no_line_leads_the_timeline_does_without_rescues(bench: Bench) -> None:
    saved = bench.line(1, 2, 3)
    bench.file.write_text("unsaved")
    bench.ws.restore(saved[0].id.hex())
    last = bench.line(4, 5)[-1]
    context = bench.ws._context

    assert any(one.is_rescue for one in bench.ws.log().checkpoints)
    assert numbers(bench, range_between(context, saved[1], last)) == [2, 3, 4, 5]


def test_on_the_timeline_the_story_is_told_since_the_last_good_one(
    bench: Bench, project: Path
) -> None:
    first = bench.save(1)
    (project / "extra").write_text("x")
    second = bench.save(2)
    bench.ws.restore(first.id.hex())
    third = bench.save(3)
    bench.first_bad = 3
    found = bench.find(line=range_between(bench.ws._context, second, third))

    assert sequences(found) == (2, 3)
    assert found.told is not None
    assert "extra" in found.told.story.headline


def test_deleted_ones_are_passed_over_and_counted(bench: Bench) -> None:
    saved = bench.line(1, 2, 3, 4, 5, 6)
    bench.ws.delete([saved[at].id.hex() for at in (1, 3, 4)])
    line = range_to(bench.ws._context, saved[5], lambda _: False)

    assert numbers(bench, line) == [1, 3, 6]
    assert line.deleted == 3


def test_what_was_deleted_before_the_oldest_is_not_between(bench: Bench) -> None:
    saved = bench.line(1, 2, 3)
    bench.ws.delete([saved[0].id.hex()])

    assert range_to(bench.ws._context, saved[2], lambda _: False).deleted == 0


def test_the_good_one_after_the_bad_one_is_refused(bench: Bench) -> None:
    saved = bench.line(1, 2)
    with pytest.raises(WrongWayRound) as refused:
        range_between(bench.ws._context, saved[1], saved[0])

    assert (refused.value.good, refused.value.bad) == (
        saved[1].id.hex()[:8],
        saved[0].id.hex()[:8],
    )


def test_the_line_of_a_fork_leads_into_the_workspace_that_it_grew_from(
    bench: Bench, tmp_path: Path
) -> None:
    bench.line(1, 2)
    bench.ws.fork("@", str(tmp_path / "fork"))
    with opening.open(tmp_path / "fork", bench.ws.store_path) as fork:
        other = Bench(fork, tmp_path / "fork")
        other.save(3)
        other.first_bad = 2
        found = other.find()

    assert sequences(found) == (1, 2)
    assert found.first_bad is not None
    assert found.first_bad.record.workspace == bench.ws.info.uuid
    assert found.candidates == 3  # the fork begins with the state that it grew from


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
    notice_unsaved(bench.ws._context, saved, bench.monitor)

    assert len(bench.monitor.notices) == notices
