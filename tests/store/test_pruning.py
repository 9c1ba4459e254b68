"""Pruning: which checkpoints the retention rules keep and remove."""

from __future__ import annotations

import pytest

from clew.errors import BadOption, PruneNeedsConfirmation
from clew.model.checkpoint import Checkpoint
from clew.model.fact import Severity
from clew.model.ids import CheckpointId
from clew.model.record import Origin
from clew.model.results import PruneResult
from clew.model.story import Story, StoryLine
from clew.model.verdict import Verdict
from clew.operations.forks.fork import grow_without_directory
from clew.operations.maintenance.prune import SLACK, is_due, prune
from clew.operations.maintenance.thinning import DAY, HOUR
from clew.operations.restore.journal import JournalPlan, TrailMove
from clew.store.graphs import GraphCheckpoint, GraphCheckpointKey, Graphs, Typed
from tests.store.scratch import QUIET, Scratch

MIB = 1 << 20


def saves(scratch: Scratch, number: int, origin: str = Origin.MANUAL) -> list[Checkpoint]:
    found = []
    for count in range(number):
        scratch.write("file", f"{count} of {number} {origin}")
        found.append(scratch.save(origin=origin))
    return found


def off_the_trail(scratch: Scratch) -> None:
    """Leave only *here* on the trail, so that it does not protect other checkpoints."""
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
    assert result.kept == (("current", 1), ("newest", 2))
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
    assert result.kept == (("named", 1), ("pinned", 1), ("current", 1), ("newest", 1))
    assert named.id in scratch.moments


def test_ten_steps_of_undo_and_every_redo_are_kept(scratch: Scratch) -> None:
    found = saves(scratch, 16)
    scratch.store.trails.move(scratch.context.workspace, 14)
    result = prune(scratch.context, keep_last=0, monitor=QUIET)

    assert removed(scratch, result) == {one.id for one in found[:3]}
    assert result.kept == (("current", 1), ("undo", 12))


def test_undo_passes_over_what_was_deleted(scratch: Scratch) -> None:
    found = saves(scratch, 14)
    scratch.bury(found[8])
    result = prune(scratch.context, keep_last=0, monitor=QUIET)

    assert removed(scratch, result) == {one.id for one in found[:2]}


def test_a_rescue_is_kept_for_thirty_days_whatever_the_limit(scratch: Scratch) -> None:
    scratch.write("file", "rescued")
    rescue = scratch.save(origin=Origin.RESCUE)
    saves(scratch, 2)
    off_the_trail(scratch)
    soon, later = (rescue.record.time_ns + days * DAY for days in (29, 31))
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
        found.append(scratch.save(origin=Origin.HOOK))
        scratch.remove(f"noise {number}")
    scratch.write("file", "last")
    scratch.save(name="last-one")
    off_the_trail(scratch)
    result = prune(scratch.context, max_bytes=5 * MIB, monitor=QUIET)

    assert scratch.store.size() <= 5 * MIB
    assert [one.id for one in result.removed] == [one.id for one in found[: len(result.removed)]]
    assert 3 <= len(result.removed) < 8
    assert set(result.rules) == {"max-bytes"}
    removed(scratch, result)


def test_a_budget_takes_what_was_saved_by_hand_last_and_only_with_a_yes(scratch: Scratch) -> None:
    scratch.noise("mine", MIB)
    mine = scratch.save()
    for number in range(4):
        scratch.noise("mine", MIB) if number % 2 else scratch.noise(f"noise {number}", MIB)
        scratch.write("number", str(number))
        scratch.save(origin=Origin.HOOK)
        scratch.remove("mine") if (scratch.project / "mine").exists() else None
    for name in scratch.files():
        scratch.remove(name)
    scratch.save(name="empty")
    off_the_trail(scratch)
    asked: list[PruneResult] = []

    def refuse(foreseen: PruneResult) -> bool:
        asked.append(foreseen)
        return False

    with pytest.raises(PruneNeedsConfirmation):
        prune(scratch.context, max_bytes=1, confirm=refuse, monitor=QUIET)
    left = [one.id for one in scratch.store.checkpoints.newest_first(scratch.context.workspace)]

    assert len(left) == 6
    assert asked[0].removed[-1].id == mine.id
    assert asked[0].made == 1
    result = prune(scratch.context, max_bytes=1, monitor=QUIET)
    assert result.removed[-1].id == mine.id
    removed(scratch, result)


def test_a_setting_is_a_budget_that_removes_nothing(scratch: Scratch) -> None:
    for number in range(3):
        scratch.noise("noise", MIB + number)
        scratch.save(origin=Origin.HOOK)
    off_the_trail(scratch)
    scratch.store.settings.set(scratch.context.workspace, "max-bytes", "1MB")
    result = prune(scratch.context, monitor=QUIET)

    assert result.removed == ()
    assert result.max_bytes == 1_000_000


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
    saves(scratch, SLACK)
    due.append(is_due(scratch.context))
    settings.set(scratch.context.workspace, "keep-last", "0")
    due.append(is_due(scratch.context))
    settings.unset(scratch.context.workspace, "keep-last")
    settings.set(scratch.context.workspace, "max-bytes", "1")
    due.append(is_due(scratch.context))

    assert due == [False, False, True, True]


def test_pruning_is_due_when_many_automatic_ones_share_an_hour(
    scratch: Scratch,
) -> None:
    saves(scratch, SLACK + 2, origin=Origin.HOOK)
    scratch.host.shift_ns = 12 * HOUR
    due = [is_due(scratch.context)]
    scratch.host.shift_ns = 2 * DAY
    due.append(is_due(scratch.context))
    prune(scratch.context, monitor=QUIET)
    due.append(is_due(scratch.context))

    assert due == [False, True, False]


# Thinning


def test_what_was_saved_by_hand_is_never_thinned_out(scratch: Scratch) -> None:
    found = saves(scratch, 5)
    off_the_trail(scratch)
    result = prune(scratch.context, now_ns=found[-1].record.time_ns + 400 * DAY, monitor=QUIET)

    assert result.removed == ()
    assert result.kept == (("current", 1), ("manual", 4))


def test_automatic_ones_of_one_hour_go_but_for_one(scratch: Scratch) -> None:
    found = saves(scratch, 5, origin=Origin.HOOK)
    off_the_trail(scratch)
    day, week = (found[-1].record.time_ns + days * DAY for days in (0.9, 2))
    first = prune(scratch.context, now_ns=int(day), monitor=QUIET)
    second = prune(scratch.context, now_ns=int(week), monitor=QUIET)
    third = prune(scratch.context, now_ns=int(week), monitor=QUIET)

    assert first.removed == ()
    assert dict(first.kept)["recent"] == 4
    assert len(second.removed) >= 3  # two hours may have been touched
    assert set(second.rules) == {"hourly"}
    assert third.removed == ()
    removed(scratch, second)


def test_the_one_with_the_verdict_stays_then_the_warning_then_the_larger_story(
    scratch: Scratch,
) -> None:
    scratch.write("file", "x")
    plain = scratch.save(origin=Origin.HOOK)
    for number in range(9):
        scratch.write(f"many {number}", "x")
    large = scratch.save(origin=Origin.HOOK)
    scratch.write("file", "y")
    loud = scratch.save(origin=Origin.HOOK)
    scratch.write("file", "z")
    newest = scratch.save(origin=Origin.HOOK)
    scratch.write("file", "here")
    scratch.save()
    off_the_trail(scratch)
    later = newest.record.time_ns + 40 * DAY
    stories, context = scratch.store.stories, scratch.context
    for one in (plain, large, newest):
        stories.put(one.id, None, "1", Story("quiet"))
    line = StoryLine("Secrets", "a key was added", Severity.HIGH)
    stories.put(loud.id, None, "1", Story("loud", lines=(line,)))

    def winner() -> set[CheckpointId]:
        gone = {one.id for one in prune(context, now_ns=later, dry_run=True, monitor=QUIET).removed}
        return {one.id for one in (plain, large, loud, newest)} - gone

    by_warning = winner()
    stories.put(loud.id, None, "1", Story("quiet too"))
    by_size = winner()
    # The verdict is on a state that two checkpoints share; the other one was verified.
    verdict = Verdict("check", 1, 1, "", 1, "workspace", plain.record.state)
    scratch.store.verdicts.add(newest.id, verdict)
    by_verdict = winner()

    assert by_warning == {loud.id}
    assert by_size == {large.id}
    assert by_verdict == {plain.id, newest.id}  # the one that was verified itself is protected


def test_stories_that_nobody_asked_for_are_told_before_they_decide(scratch: Scratch) -> None:
    scratch.write(".env", "A=1\n")
    scratch.save()
    found = saves(scratch, 3, origin=Origin.HOOK)
    scratch.write("file", "here")
    scratch.save()
    off_the_trail(scratch)
    untold = scratch.store.stories.severities(scratch.context.workspace)
    later = found[-1].record.time_ns + 40 * DAY
    prune(scratch.context, now_ns=later, dry_run=True, monitor=QUIET)

    assert untold == {}
    assert {one.id for one in found} <= set(
        scratch.store.stories.severities(scratch.context.workspace)
    )


def test_verified_ones_stay_whatever_the_check_said(scratch: Scratch) -> None:
    found = saves(scratch, 4, origin=Origin.HOOK)
    for checkpoint, code in ((found[0], 1), (found[1], 0)):
        scratch.store.verdicts.add(
            checkpoint.id,
            Verdict("check", code, 1, "", 1, "workspace", checkpoint.record.state),
        )
    off_the_trail(scratch)
    later = found[-1].record.time_ns + 40 * DAY
    result = prune(scratch.context, now_ns=later, monitor=QUIET)

    assert removed(scratch, result) == {found[2].id}
    assert result.kept == (("current", 1), ("passing", 1), ("verified", 1))


def test_what_a_fork_grew_from_stays(scratch: Scratch) -> None:
    found = saves(scratch, 4, origin=Origin.HOOK)
    grow_without_directory(scratch.context, found[1], "try")
    off_the_trail(scratch)
    later = found[-1].record.time_ns + 40 * DAY
    thin = prune(scratch.context, now_ns=later, dry_run=True, monitor=QUIET)
    limit = prune(scratch.context, keep_last=0, now_ns=later, dry_run=True, monitor=QUIET)

    assert found[1].id not in {one.id for one in (*thin.removed, *limit.removed)}
    assert ("fork", 1) in thin.kept


def test_what_a_graph_names_stays_unless_somebody_sets_a_limit(scratch: Scratch) -> None:
    found = saves(scratch, 4, origin=Origin.HOOK)
    off_the_trail(scratch)
    graphs = Graphs(scratch.store.layout, scratch.context.workspace)
    body = Typed("json", b"{}")
    moment = GraphCheckpoint(
        GraphCheckpointKey("one", "", "1"), None, found[0].id.hex(), body, body
    )
    graphs.put(moment, {}, run=None, stands=True)
    later = found[-1].record.time_ns + 40 * DAY
    before = prune(scratch.context, now_ns=later, dry_run=True, monitor=QUIET)
    limit = prune(scratch.context, keep_last=0, now_ns=later, dry_run=True, monitor=QUIET)
    graphs.delete_thread("one")
    after = prune(scratch.context, now_ns=later, dry_run=True, monitor=QUIET)
    graphs.close()

    assert ("graph", 1) in before.kept
    assert found[0].id not in {one.id for one in before.removed}
    assert limit.made == 1
    assert found[0].id in {one.id for one in after.removed}


def test_a_limit_that_is_set_counts_as_the_yes(scratch: Scratch) -> None:
    saves(scratch, 6)
    off_the_trail(scratch)
    scratch.store.settings.set(scratch.context.workspace, "keep-last", "2")
    result = prune(scratch.context, confirm=lambda _: False, monitor=QUIET)

    assert len(result.removed) == 4
    assert set(result.rules) == {"keep-last"}


def test_keep_within_alone_keeps_the_newest_hundred_as_it_did(scratch: Scratch) -> None:
    found = saves(scratch, 6)
    off_the_trail(scratch)
    scratch.store.settings.set(scratch.context.workspace, "keep-within", "1d")
    later = found[-1].record.time_ns + 40 * DAY

    assert prune(scratch.context, now_ns=later, monitor=QUIET).removed == ()


def test_an_asked_for_limit_asks_and_without_a_yes_removes_nothing(scratch: Scratch) -> None:
    found = saves(scratch, 3, origin=Origin.HOOK) + saves(scratch, 3)
    off_the_trail(scratch)
    with pytest.raises(PruneNeedsConfirmation) as refused:
        prune(scratch.context, keep_last=1, confirm=lambda _: False, monitor=QUIET)
    left = list(scratch.store.checkpoints.newest_first(scratch.context.workspace))

    assert refused.value.preview.made == 2
    assert len(left) == len(found)


def test_an_asked_for_limit_on_automatic_ones_needs_no_yes(scratch: Scratch) -> None:
    saves(scratch, 5, origin=Origin.HOOK)
    off_the_trail(scratch)
    result = prune(scratch.context, keep_last=1, confirm=lambda _: False, monitor=QUIET)

    assert len(result.removed) == 4


def test_a_tombstone_says_when_and_by_which_rule(scratch: Scratch) -> None:
    found = saves(scratch, 3, origin=Origin.HOOK)
    off_the_trail(scratch)
    prune(scratch.context, now_ns=found[-1].record.time_ns + 2 * DAY, monitor=QUIET)
    gone = scratch.store.checkpoints.tombstone(found[0].id)

    assert gone is not None
    assert gone.rule == "hourly"
    assert gone.removed_ns > found[-1].record.time_ns
    assert gone.is_pruned
