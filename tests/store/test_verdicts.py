"""Verdicts: which run is shown for a state, and which checkpoint is good."""

from __future__ import annotations

from clew.model.checkpoint import Checkpoint
from clew.model.ids import StateId
from clew.model.verdict import Details, RunEnd, Verdict
from tests.store.scratch import Scratch

PASS = Verdict("make test", 0, 5, "fine", 6, "workspace", StateId(bytes(32)))
FAIL = PASS._replace(exit_code=1)
HANG = PASS._replace(exit_code=None, end_reason=RunEnd.TIMEOUT)
CUT = PASS._replace(exit_code=None, end_reason=RunEnd.INTERRUPTED)
SKIP = PASS._replace(exit_code=125, end_reason=RunEnd.SKIPPED)
DISTURBED = PASS._replace(changed_count=2, details=Details(changed=(b"a", b"b")))


def saved(scratch: Scratch, content: str, *runs: Verdict) -> Checkpoint:
    """Save some content and add runs on it, oldest first."""
    scratch.write("file", content)
    checkpoint = scratch.save()
    for run in runs:
        kept = run._replace(state=checkpoint.record.state)
        scratch.store.verdicts.add(checkpoint.id, kept)
    return scratch.context.find(checkpoint.id)


def word(checkpoint: Checkpoint) -> tuple[str, str]:
    assert checkpoint.verdict is not None
    return checkpoint.verdict.command, checkpoint.verdict.status


def good(scratch: Scratch) -> bytes | None:
    found = scratch.store.checkpoints.latest_passing(scratch.context.workspace)
    return found.id if found is not None else None


def test_everything_about_a_run_is_kept(scratch: Scratch) -> None:
    details = Details((b"a\xff",), 3, "own", ("the home directory is the live one",))
    run = DISTURBED._replace(details=details, ran_in="private copy", output="é\n")
    checkpoint = saved(scratch, "1", run)

    assert checkpoint.verdict == run._replace(state=checkpoint.record.state)


def test_the_latest_run_speaks(scratch: Scratch) -> None:
    lint = FAIL._replace(command="lint")

    assert word(saved(scratch, "1", PASS, lint)) == ("lint", "failing")
    assert word(saved(scratch, "2", lint, PASS)) == ("make test", "passing")


def test_the_workspaces_own_check_speaks_before_others(scratch: Scratch) -> None:
    scratch.store.settings.set(scratch.context.workspace, "verify", "make test")
    lint = FAIL._replace(command="lint")

    assert word(saved(scratch, "1", PASS, lint)) == ("make test", "passing")
    assert word(saved(scratch, "2", lint)) == ("lint", "failing")


def test_runs_that_tell_nothing_take_no_word_away(scratch: Scratch) -> None:
    for number, run in enumerate((CUT, SKIP, DISTURBED._replace(exit_code=1))):
        assert word(saved(scratch, str(number), PASS, run)) == ("make test", "passing")


def test_a_run_that_hangs_does(scratch: Scratch) -> None:
    assert word(saved(scratch, "1", PASS, HANG)) == ("make test", "unknown")


def test_where_no_run_tells_the_latest_is_shown(scratch: Scratch) -> None:
    assert word(saved(scratch, "1", SKIP, CUT._replace(command="lint"))) == ("lint", "unknown")


def test_telling_runs_that_disagree_are_flaky_and_others_are_not(scratch: Scratch) -> None:
    lint = FAIL._replace(command="lint")

    assert word(saved(scratch, "1", PASS, FAIL)) == ("make test", "flaky")
    assert word(saved(scratch, "2", FAIL, PASS, HANG)) == ("make test", "flaky")
    assert word(saved(scratch, "3", lint, PASS)) == ("make test", "passing")
    assert word(saved(scratch, "4", FAIL, DISTURBED)) == ("make test", "failing")
    assert word(saved(scratch, "5", PASS, HANG)) == ("make test", "unknown")


def test_runs_on_other_states_are_no_contradiction(scratch: Scratch) -> None:
    saved(scratch, "1", FAIL)

    assert word(saved(scratch, "2", PASS)) == ("make test", "passing")


def test_equal_states_share_what_was_said(scratch: Scratch) -> None:
    first = saved(scratch, "1", PASS)
    saved(scratch, "2")
    again = saved(scratch, "1")

    assert again.id != first.id
    assert again.verdict == first.verdict


def test_runs_come_newest_first_and_by_command(scratch: Scratch) -> None:
    lint = FAIL._replace(command="lint")
    state = saved(scratch, "1", PASS, lint, FAIL).record.state
    verdicts = scratch.store.verdicts

    assert [run.command for run in verdicts.of_state(state)] == ["make test", "lint", "make test"]
    assert [run.exit_code for run in verdicts.of_state(state, "make test")] == [1, 0]
    assert verdicts.of_state(state, "make") == []


def test_nothing_is_good_before_something_passed(scratch: Scratch) -> None:
    for number, run in enumerate((FAIL, HANG, CUT, SKIP, DISTURBED)):
        saved(scratch, str(number), run)
    saved(scratch, "flaky", FAIL, PASS)

    assert good(scratch) is None


def test_the_newest_that_passes_is_good(scratch: Scratch) -> None:
    saved(scratch, "1", PASS)
    second = saved(scratch, "2", PASS)
    saved(scratch, "3", FAIL)
    saved(scratch, "4", DISTURBED)
    saved(scratch, "5")

    assert good(scratch) == second.id


def test_only_the_workspaces_own_check_makes_good(scratch: Scratch) -> None:
    first = saved(scratch, "1", PASS)
    lint = saved(scratch, "2", PASS._replace(command="lint"))
    assert good(scratch) == lint.id

    scratch.store.settings.set(scratch.context.workspace, "verify", "make test")

    assert good(scratch) == first.id


def test_a_check_of_the_whole_store_counts_unless_the_workspace_has_its_own(
    scratch: Scratch,
) -> None:
    first = saved(scratch, "1", PASS)
    second = saved(scratch, "2", PASS._replace(command="lint"))

    scratch.store.settings.set(b"", "verify", "make test")
    assert good(scratch) == first.id

    scratch.store.settings.set(scratch.context.workspace, "verify", "lint")
    assert good(scratch) == second.id
