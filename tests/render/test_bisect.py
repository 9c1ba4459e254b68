"""Every end of a bisect is said plainly, with what to do next."""

from __future__ import annotations

import pytest

from clew.model.bisect_search import BisectMark, BisectOutcome, BisectResult
from clew.model.checkpoint import Labels
from clew.model.verdict import RunEnd, Verdict
from clew.render.bisect import answer, ended, question
from clew.render.style import Style
from tests.cli import samples

PLAIN = Style(samples.NOW, lambda _: 0, 100, colour=False)
HOSTILE = samples.checkpoint(9, Labels(samples.HOSTILE, samples.HOSTILE))


def text(found: BisectResult) -> list[str]:
    return list(ended(found, PLAIN))


def test_what_was_found_is_a_card_with_its_story_and_the_way_back() -> None:
    assert text(samples.BISECTED) == [
        "The first bad checkpoint is",
        "●  04040404  checkpoint-4  11:00  ← here",
        "  try the new login",
        "",
        "  ! git will run something new: pre-commit; changed flask 2.3.3 → 3.0.0 (pip in .venv)",
        "  Warnings",
        "    ⚠ git will run something new: pre-commit",
        "  Packages",
        "    installed blinker 1.8.2; changed flask 2.3.3 → 3.0.0 (pip in .venv)",
        "  Files",
        "    src/app.py changed",
        "  Running",
        "    · ports: 0.0.0.0:8000 opened (flask run)",
        "  ≠ not mentioned in the intent: git will run something new: pre-commit",
        "",
        "  last good    02020202 (before-auth · before the auth refactor)",
        "  check        npm test",
        "  searched     64 states, 7 runs, 1 known before",
        "`clew restore 02020202` restores the last good one",
        "`clew show 04040404 --paths` lists every path that changed",
    ]


def test_a_range_is_named_in_full() -> None:
    between = samples.BISECTED._replace(
        outcome=BisectOutcome.BETWEEN,
        suspects=(samples.RESCUE, samples.LATEST),
        skipped=(samples.RESCUE,),
        deleted=2,
    )

    lines = text(between)

    assert lines[:3] == [
        "The first bad checkpoint is one of these; the check cannot judge those before the last",
        "    03030303 (↩ rescue before restoring before-auth)",
        "    04040404 (try the new login)",
    ]
    assert lines[-7:] == [
        "  check        npm test",
        "  searched     64 states, 7 runs, 1 known before",
        "               2 deleted checkpoints skipped",
        "  skipped      1 not judged",
        "    03030303 (↩ rescue before restoring before-auth)",
        "`clew restore 02020202` restores the last good one",
        "`clew show 04040404 --paths` lists every path that changed",
    ]


NOTHING = samples.BISECTED._replace(first_bad=None, last_good=None, details=None, known=0)


@pytest.mark.parametrize(
    ("found", "first", "last"),
    [
        (
            NOTHING._replace(outcome=BisectOutcome.ALL_GOOD, last_good=samples.LATEST),
            "All good: the check passes on 04040404 (try the new login)",
            "To search further, give a checkpoint that fails: `clew bisect GOOD BAD`",
        ),
        (
            NOTHING._replace(outcome=BisectOutcome.ALL_BAD, first_bad=samples.FIRST),
            "All bad: the check fails even on 01010101 (checkpoint-1)",
            "It is the first checkpoint, so the check never passed",
        ),
        (
            NOTHING._replace(outcome=BisectOutcome.ALL_BAD, first_bad=samples.NAMED),
            "All bad: the check fails even on 02020202 (before-auth · before the auth refactor)",
            "To search further, give an older checkpoint that passes: `clew bisect GOOD`",
        ),
        (
            NOTHING._replace(outcome=BisectOutcome.UNDECIDED, skipped=(samples.LATEST,)),
            "Undecided: the check cannot judge 04040404 (try the new login)",
            "To search further, give others: `clew bisect GOOD BAD`",
        ),
        (
            NOTHING._replace(outcome=BisectOutcome.UNDECIDED, flaky=(samples.LATEST,)),
            "Undecided: the check both passes and fails on 04040404 (try the new login)",
            "To search further, give others: `clew bisect GOOD BAD`",
        ),
        (
            NOTHING._replace(outcome=BisectOutcome.UNDECIDED, first_bad=samples.LATEST),
            "Undecided: the check cannot judge any before 04040404 (try the new login), which is bad",
            "To search further, give others: `clew bisect GOOD BAD`",
        ),
    ],
    ids=["all good", "never good", "all bad", "skipped", "flaky", "nothing before it"],
)
def test_where_nothing_was_found_it_says_so_and_what_to_try(
    found: BisectResult, first: str, last: str
) -> None:
    lines = text(found)

    assert (lines[0], lines[-1]) == (first, last)


def test_a_checkpoint_of_another_workspace_is_not_offered_by_its_id() -> None:
    record = samples.NAMED.record._replace(workspace=bytes(16))
    elsewhere = samples.NAMED._replace(record=record)
    found = samples.BISECTED._replace(first_bad=elsewhere, last_good=elsewhere)

    assert text(found)[-2:] == [
        "  searched     64 states, 7 runs, 1 known before",
        "It is a checkpoint of the workspace that this one was forked from",
    ]


def test_long_lists_are_cut() -> None:
    many = tuple(samples.checkpoint(number) for number in range(1, 15))
    lines = text(samples.BISECTED._replace(skipped=many))

    assert "    and 4 more; --json lists all" in lines


def test_hostile_words_are_spelled_out() -> None:
    found = samples.BISECTED._replace(
        outcome=BisectOutcome.BETWEEN,
        suspects=(HOSTILE,),
        last_good=HOSTILE,
        command=samples.HOSTILE,
    )

    assert all(line.isprintable() for line in [*text(found), question(HOSTILE, 2)])


def test_a_question_says_how_many_may_follow() -> None:
    assert question(samples.NAMED, 3) == (
        "Checking 02020202 (before-auth · before the auth refactor), about 3 more"
    )
    assert question(samples.FIRST, 0) == "Checking 01010101 (checkpoint-1)"


def run(exit_code: int | None, how: str = RunEnd.EXITED) -> Verdict:
    return samples.verdict(exit_code)._replace(end_reason=how)


@pytest.mark.parametrize(
    ("word", "verdict", "line"),
    [
        (BisectMark.GOOD, run(0), "✔ passing, 2.1 s"),
        (BisectMark.BAD, run(3), "✘ failing, exit 3, 2.1 s"),
        (
            BisectMark.SKIPPED,
            run(125, RunEnd.SKIPPED),
            "? skipped: the check returned 125, 2.1 s",
        ),
        (BisectMark.SKIPPED, run(None, RunEnd.TIMEOUT), "? skipped: it timed out, 2.1 s"),
        (BisectMark.SKIPPED, run(None, RunEnd.FAILED), "? skipped: it could not be started, 2.1 s"),
        (BisectMark.SKIPPED, None, "? skipped"),
        (
            BisectMark.FLAKY,
            run(1),
            "~ flaky: it passes and fails on the same files, skipped",
        ),
    ],
)
def test_an_answer_is_one_line(word: str, verdict: Verdict | None, line: str) -> None:
    assert answer(word, verdict) == line
