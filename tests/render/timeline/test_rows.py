from __future__ import annotations

import itertools

from clew.model.checkpoint import Checkpoint, Labels
from clew.model.failed_call import FailedCall
from clew.model.ids import CheckpointId
from clew.model.position import Position
from clew.model.record import Origin
from clew.model.results import Branches, ForkPoint, Log
from clew.render.timeline.rows import (
    CheckpointRow,
    FailureRow,
    FoldedRow,
    ForkRow,
    GapRow,
    HeadingRow,
    HereRow,
    Row,
    rows,
)
from tests.cli import samples

ONE, OTHER = b"1" * 16, b"2" * 16


def step(number: int, intent: str = "", prompt: str = "", session: bytes = ONE) -> Checkpoint:
    found = samples.checkpoint(
        number, Labels(intent, prompt=prompt), origin=Origin.HOOK, minutes_ago=60 - number
    )
    position = Position(session=session, agent="claude-code") if session else Position()
    return found._replace(record=found.record._replace(position=position))


def straight(*checkpoints: Checkpoint, **more: object) -> Log:
    parents = {newer.id: older.id for newer, older in itertools.pairwise(checkpoints)}
    branches = Branches(parents)._replace(**more)  # type: ignore[arg-type]
    return Log(None, checkpoints, branches)


def failure(call: str, before: int, after: int, session: bytes = ONE) -> FailedCall:
    return FailedCall(call, "exit 1", samples.NOW, session, numbered(before), numbered(after))


def numbered(number: int) -> CheckpointId:
    return CheckpointId(bytes([number]) * 32)


def outline(found: list[Row]) -> list[str]:
    """Return a word for each row."""
    words = []
    for row in found:
        match row:
            case CheckpointRow(checkpoint, failures, is_headed):
                words.append(
                    f"{checkpoint.record.sequence}"
                    f"{' failed' if failures else ''}{' headed' if is_headed else ''}"
                )
            case FoldedRow(checkpoints):
                words.append(f"folded {[one.record.sequence for one in checkpoints]}")
            case FailureRow(failures):
                words.append(f"failure {', '.join(one.call for one in failures)}")
            case ForkRow(fork):
                words.append(f"fork {fork.name}")
            case HeadingRow(checkpoint, count):
                words.append(f"heading {checkpoint.labels.prompt!r} {count}")
            case GapRow(count):
                words.append(f"gap {count}")
            case HereRow(checkpoint):
                words.append(f"here {checkpoint.record.sequence}")
    return words


def test_a_run_of_one_session_and_prompt_has_a_heading() -> None:
    log = straight(
        step(6, prompt="ship it"),
        step(5, prompt="ship it"),
        step(4, prompt="fix it"),
        step(3, session=b""),
        step(2, prompt="fix it"),
        step(1, prompt="fix it", session=OTHER),
    )

    assert outline(rows(log, fold=True)) == [
        "heading 'ship it' 2", "6 headed", "5 headed", "heading 'fix it' 1", "4 headed", "3",
        "heading 'fix it' 1", "2 headed", "heading 'fix it' 1", "1 headed",
    ]  # fmt: skip


def test_work_of_a_person_has_no_heading() -> None:
    log = straight(step(2, session=b""), step(1, session=b""))

    assert outline(rows(log, fold=True)) == ["2", "1"]


def test_a_rescue_belongs_to_no_prompt() -> None:
    rescue = step(2)
    rescue = rescue._replace(record=rescue.record._replace(origin=Origin.RESCUE))

    assert outline(rows(straight(step(3), rescue, step(1)), fold=True)) == ["3", "2", "1"]


def test_routine_steps_are_folded_from_three_on() -> None:
    steps = [step(number) for number in (7, 6, 5, 4, 3, 2, 1)]
    routine = frozenset(numbered(number) for number in (7, 6, 4, 3, 2))
    log = straight(*steps, routine=routine)

    assert outline(rows(log, fold=True)) == [
        "heading '' 7", "7 headed", "6 headed", "5 headed", "folded [4, 3, 2]", "1 headed",
    ]  # fmt: skip
    assert len(rows(log, fold=False)) == 8


def test_steps_without_a_session_are_folded_too() -> None:
    steps = [step(number, session=b"") for number in (4, 3, 2, 1)]
    routine = frozenset(numbered(number) for number in (4, 3, 2))

    assert outline(rows(straight(*steps, routine=routine), fold=True)) == ["folded [4, 3, 2]", "1"]


def test_steps_of_two_branches_are_not_folded_together() -> None:
    steps = [step(number) for number in (4, 3, 2, 1)]
    routine = frozenset(one.id for one in steps)
    log = straight(*steps, routine=routine)
    assert log.branches is not None
    crossed = {numbered(4): numbered(2), numbered(3): numbered(1)}

    assert "folded" not in str(
        outline(rows(log._replace(branches=log.branches._replace(parents=crossed)), fold=True))
    )


def test_a_failed_call_that_changed_nothing_is_above_the_state_in_which_it_failed() -> None:
    log = straight(step(2), step(1), failures=(failure("make", 1, 1),))

    assert outline(rows(log, fold=True)) == ["heading '' 2", "2 headed", "failure make", "1 headed"]


def test_a_failed_call_that_changed_files_is_marked_at_its_checkpoint() -> None:
    log = straight(step(2, "make"), step(1), failures=(failure("make", 1, 2),))

    assert outline(rows(log, fold=True)) == ["heading '' 2", "2 failed headed", "1 headed"]


def test_a_failed_call_before_another_one_that_changed_files_has_its_own_row() -> None:
    log = straight(step(2, "npm ci"), step(1), failures=(failure("make", 1, 2),))

    assert outline(rows(log, fold=True)) == ["heading '' 2", "2 headed", "failure make", "1 headed"]


def test_many_failed_calls_take_three_rows() -> None:
    failures = tuple(failure(str(number), 1, 1) for number in range(9))
    log = straight(step(1), failures=failures)

    assert outline(rows(log, fold=True))[1:] == [
        "failure 0", "failure 1", "failure 2, 3, 4, 5, 6, 7, 8", "1 headed",
    ]  # fmt: skip


def test_a_fork_stands_where_its_last_work_was_and_above_its_base() -> None:
    now = samples.NOW
    forks = (
        ForkPoint("late", b"l", numbered(1), now, 1),
        ForkPoint("clock", b"c", numbered(2), 0, 1),
    )
    log = straight(step(3), step(2), step(1), forks=forks)

    assert outline(rows(log, fold=True)) == [
        "fork late", "3", "fork clock", "heading '' 2", "2 headed", "1 headed",
    ]  # fmt: skip


def test_the_current_checkpoint_is_last_if_it_is_older() -> None:
    log = straight(step(9), here=step(3), unlisted_count=5)
    assert outline(rows(log, fold=True)) == ["9", "gap 5", "here 3"]

    assert outline(rows(straight(step(4), here=step(3)), fold=True)) == ["4", "here 3"]


def test_without_branches_there_are_checkpoints_and_headings_only() -> None:
    log = Log(None, (step(2), step(1)))

    assert outline(rows(log, fold=True)) == ["heading '' 2", "2 headed", "1 headed"]
