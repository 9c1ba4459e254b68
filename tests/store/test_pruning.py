"""Pruning keeps what matters and removes the rest."""

from __future__ import annotations

import pytest

from clew.errors import BadOption
from clew.model.checkpoint import Checkpoint
from clew.model.record import Origin
from clew.model.results import PruneResult
from clew.model.verdict import Verdict
from clew.operations.journal_plan import JournalPlan, TrailMove
from clew.operations.prune import SLACK, is_due, prune
from tests.store.scratch import QUIET, Scratch

HOUR = 3600 * 1_000_000_000
MIB = 1 << 20


def saves(scratch: Scratch, number: int) -> list[Checkpoint]:
    found = []
    for count in range(number):
        scratch.write("file", f"{count} of {number}")
        found.append(scratch.save())
    return found


def off_the_trail(scratch: Scratch) -> None:
    """Leave only *here* on the trail, so that other rules can be seen."""
    scratch.store.database.execute(
        "DELETE FROM trail WHERE position <> (SELECT cursor FROM workspaces)"
    )


def removed(scratch: Scratch, result: PruneResult) -> set[bytes]:
    for checkpoint in result.removed:
        del scratch.moments[checkpoint.id]
    scratch.assert_whole()
    return {checkpoint.id for checkpoint in result.removed}


def test_the_newest_are_kept_and_the_oldest_go(scratch: Scratch) -> None:
    found = saves(scratch, 8)
    off_the_trail(scratch)
    result = prune(scratch.context, keep_last=3, monitor=QUIET)

    assert [one.id for one in result.removed] == [one.id for one in found[:5]]
    assert result.kept == (("here", 1), ("newest", 2))
    assert not result.dry_run
    assert result.freed_bytes > 0
    assert result.store_bytes == scratch.store.size()
    removed(scratch, result)


def test_the_young_are_kept(scratch: Scratch) -> None:
    found = saves(scratch, 5)
    off_the_trail(scratch)
    later = found[2].record.time_ns + HOUR
    result = prune(scratch.context, keep_last=0, keep_within=HOUR + 1, now_ns=later, monitor=QUIET)

    assert [one.id for one in result.removed] == [found[0].id, found[1].id]
    assert dict(result.kept)["recent"] == 2


def test_named_and_pinned_ones_are_kept_and_do_not_count(scratch: Scratch) -> None:
    scratch.write("file", "named")
    named = scratch.save(name="good-one")
    found = saves(scratch, 4)
    labels = found[0].labels._replace(pinned=True)
    with scratch.store.database.transaction():
        scratch.store.checkpoints.label(found[0].id, labels)
    off_the_trail(scratch)
    result = prune(scratch.context, keep_last=2, monitor=QUIET)

    assert removed(scratch, result) == {found[1].id}
    assert result.kept == (("named", 1), ("pinned", 1), ("here", 1), ("newest", 1))
    assert named.id in scratch.moments


def test_ten_steps_of_undo_and_every_redo_are_kept(scratch: Scratch) -> None:
    found = saves(scratch, 16)
    scratch.store.trails.move(scratch.context.workspace, 14)
    result = prune(scratch.context, keep_last=0, monitor=QUIET)

    assert removed(scratch, result) == {one.id for one in found[:3]}
    assert result.kept == (("here", 1), ("trail", 12))


def test_undo_passes_over_what_was_deleted(scratch: Scratch) -> None:
    found = saves(scratch, 14)
    scratch.bury(found[8])
    result = prune(scratch.context, keep_last=0, monitor=QUIET)

    assert removed(scratch, result) == {one.id for one in found[:2]}


def test_a_rescue_is_kept_for_a_day(scratch: Scratch) -> None:
    scratch.write("file", "rescued")
    rescue = scratch.save(origin=Origin.RESCUE)
    saves(scratch, 2)
    off_the_trail(scratch)
    soon, later = rescue.record.time_ns + HOUR, rescue.record.time_ns + 25 * HOUR
    first = prune(scratch.context, keep_last=1, now_ns=soon, monitor=QUIET)
    second = prune(scratch.context, keep_last=1, now_ns=later, monitor=QUIET)

    assert rescue.id not in {one.id for one in first.removed}
    assert ("rescue", 1) in first.kept
    assert [one.id for one in second.removed] == [rescue.id]


def test_the_last_passing_one_is_kept(scratch: Scratch) -> None:
    found = saves(scratch, 5)
    for checkpoint, code in ((found[0], 0), (found[1], 0), (found[2], 1)):
        scratch.store.verdicts.add(
            checkpoint.id,
            Verdict("check", code, 1, "", 1, "workspace", checkpoint.record.state),
        )
    off_the_trail(scratch)
    result = prune(scratch.context, keep_last=1, monitor=QUIET)

    assert removed(scratch, result) == {found[0].id, found[2].id, found[3].id}
    assert ("passing", 1) in result.kept


def test_what_an_unfinished_restore_needs_is_kept(scratch: Scratch) -> None:
    found = saves(scratch, 5)
    off_the_trail(scratch)
    plan = JournalPlan(found[0].id, found[1].id, found[2].id, (), TrailMove(), ())
    scratch.store.journal.begin(scratch.context.workspace, ".clew-x", plan.encode())
    result = prune(scratch.context, keep_last=0, monitor=QUIET)

    assert removed(scratch, result) == {found[3].id}
    assert ("restoring", 3) in result.kept


def test_a_budget_takes_the_oldest_until_it_fits(scratch: Scratch) -> None:
    found = []
    for number in range(8):
        scratch.noise(f"noise {number}", MIB)
        found.append(scratch.save())
        scratch.remove(f"noise {number}")
    scratch.write("file", "last")
    scratch.save(name="last-one")
    off_the_trail(scratch)
    result = prune(scratch.context, max_bytes=5 * MIB, monitor=QUIET)

    assert scratch.store.size() <= 5 * MIB
    assert [one.id for one in result.removed] == [one.id for one in found[: len(result.removed)]]
    assert 3 <= len(result.removed) < 8
    assert result.max_bytes == 5 * MIB
    removed(scratch, result)


def test_a_budget_never_takes_what_is_protected(scratch: Scratch) -> None:
    scratch.noise("file", MIB)
    scratch.save(name="kept")
    scratch.noise("other", MIB)
    scratch.save()
    result = prune(scratch.context, max_bytes=1000, monitor=QUIET)

    assert result.removed == ()
    assert result.store_bytes > 2 * MIB
    scratch.assert_whole()


def test_a_budget_collects_before_it_deletes(scratch: Scratch) -> None:
    scratch.noise("file", 2 * MIB)
    doomed = scratch.save()
    scratch.remove("file")
    scratch.write("file", "small")
    scratch.save()
    scratch.write("file", "smaller")
    scratch.save()
    scratch.bury(doomed)
    off_the_trail(scratch)
    result = prune(scratch.context, max_bytes=MIB, monitor=QUIET)

    assert result.removed == ()
    assert scratch.store.size() < MIB


def test_a_dry_run_changes_nothing_and_tells_what_it_would_free(scratch: Scratch) -> None:
    for number in range(5):
        scratch.noise(f"noise {number}", MIB)
        scratch.save()
        scratch.remove(f"noise {number}")
    off_the_trail(scratch)
    before = scratch.store.database.execute("SELECT * FROM checkpoints")
    foreseen = prune(scratch.context, keep_last=1, dry_run=True, monitor=QUIET)
    after = scratch.store.database.execute("SELECT * FROM checkpoints")
    really = prune(scratch.context, keep_last=1, monitor=QUIET)

    assert after == before
    assert foreseen.dry_run
    assert foreseen.removed == really.removed
    assert foreseen.kept == really.kept
    assert foreseen.freed_bytes == pytest.approx(really.freed_bytes, rel=0.1)


def test_settings_say_what_is_kept_by_default(scratch: Scratch) -> None:
    saves(scratch, 6)
    off_the_trail(scratch)
    scratch.store.settings.set(scratch.context.workspace, "keep-last", "4")
    result = prune(scratch.context, monitor=QUIET)

    assert len(result.removed) == 2
    assert result.max_bytes == 20_000_000_000


def test_other_workspaces_are_left_alone(scratch: Scratch) -> None:
    found = saves(scratch, 3)
    off_the_trail(scratch)
    other = scratch.store.workspaces.add(b"/elsewhere", 1, machine=False)
    record = found[0].record._replace(workspace=other.uuid)
    with scratch.store.writing() as writer:
        theirs = scratch.store.commit(writer, record, lambda _: None)
    result = prune(scratch.context, keep_last=0, monitor=QUIET)

    assert removed(scratch, result) == {found[0].id, found[1].id}
    assert scratch.store.checkpoints.get(theirs) is not None


def test_a_negative_number_is_refused(scratch: Scratch) -> None:
    with pytest.raises(BadOption, match="0 or more"):
        prune(scratch.context, keep_last=-1, monitor=QUIET)


def test_pruning_is_due_when_much_has_gathered(scratch: Scratch) -> None:
    saves(scratch, 3)
    settings = scratch.store.settings
    due = [is_due(scratch.context)]
    settings.set(scratch.context.workspace, "max-bytes", "1")
    due.append(is_due(scratch.context))
    settings.unset(scratch.context.workspace, "max-bytes")
    settings.set(scratch.context.workspace, "keep-last", "0")
    due.append(is_due(scratch.context))
    saves(scratch, SLACK)
    due.append(is_due(scratch.context))

    assert due == [False, True, False, True]
