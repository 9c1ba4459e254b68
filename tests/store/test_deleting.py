"""Deleting and purging checkpoints, and the report on remaining bytes."""

from __future__ import annotations

import pytest

from clew.errors import CheckpointInUse
from clew.model.ids import short
from clew.model.verdict import Verdict
from clew.operations.history.stats import stats
from clew.operations.maintenance.delete import delete
from clew.operations.maintenance.gc import collect
from clew.operations.restore.journal import JournalPlan, TrailMove
from clew.store.backup import backup
from clew.testing import Died, DyingTransport, use_transport
from tests.store.scratch import QUIET, Scratch

MIB = 1 << 20


def test_a_deleted_checkpoint_is_gone_and_its_space_is_free(scratch: Scratch) -> None:
    scratch.noise("big", 2 * MIB)
    doomed = scratch.save("doomed", name="named-too")
    scratch.remove("big")
    scratch.save()
    result = delete(scratch.context, [doomed.id, doomed.id], False, QUIET)

    assert [found.id for found in result.deleted] == [doomed.id]
    assert result.deleted[0].labels.name == "named-too"
    assert result.freed_bytes > 2 * MIB
    assert result.still_held == ()
    assert scratch.store.checkpoints.get(doomed.id) is None
    del scratch.moments[doomed.id]
    scratch.assert_whole()


def test_children_find_their_nearest_surviving_ancestor(scratch: Scratch) -> None:
    ids = []
    for number in range(3):
        scratch.write("file", f"{number}")
        ids.append(scratch.save().id)
    delete(scratch.context, [ids[1]], False, QUIET)

    assert scratch.store.checkpoints.surviving(ids[1]) == (ids[0], 1)


def test_here_is_refused_and_nothing_is_deleted(scratch: Scratch) -> None:
    scratch.write("file", "1")
    first = scratch.save()
    scratch.write("file", "2")
    here = scratch.save()
    with pytest.raises(CheckpointInUse, match="it is the current one") as refused:
        delete(scratch.context, [first.id, here.id], False, QUIET)

    assert refused.value.checkpoint == short(here.id)
    scratch.assert_whole()


def test_what_an_unfinished_restore_needs_is_refused(scratch: Scratch) -> None:
    scratch.write("file", "1")
    first = scratch.save()
    scratch.write("file", "2")
    second = scratch.save()
    plan = JournalPlan(first.id, second.id, None, (), TrailMove(), ())
    scratch.store.journal.begin(scratch.context.workspace, ".clew-x", plan.encode())
    with pytest.raises(CheckpointInUse, match="interrupted restore"):
        delete(scratch.context, [first.id], False, QUIET)

    scratch.assert_whole()


def test_a_purge_leaves_no_trace(scratch: Scratch) -> None:
    scratch.noise("shared", 200_000)
    scratch.noise("secret", 3000)
    content = (scratch.project / "secret").read_bytes()[100:200]
    doomed = scratch.save("the intent is secret as well")
    scratch.store.verdicts.add(
        doomed.id,
        Verdict("check", 1, 1, "output that is secret", 1, "workspace", doomed.record.state),
    )
    scratch.remove("secret")
    scratch.save()
    backup(scratch.store)
    texts = (content, b"the intent is secret", b"output that is secret")
    assert all(scratch.holds(text) for text in texts)
    delete(scratch.context, [doomed.id], True, QUIET)
    del scratch.moments[doomed.id]

    assert not any(scratch.holds(text) for text in texts)
    assert not scratch.store.is_purge_unfinished
    scratch.assert_whole()


def test_a_purge_says_who_still_holds_what(scratch: Scratch) -> None:
    scratch.write("secret", "in all of them")
    scratch.write("shared", "also in all of them")
    scratch.write("empty", "")
    first = scratch.save()
    scratch.write("secret", "only here")
    doomed = scratch.save()
    scratch.write("secret", "changed")
    third = scratch.save()
    result = delete(scratch.context, [doomed.id], True, QUIET)

    where = f"{short(third.id)}, {short(first.id)}"

    assert result.still_held == (
        f"1 of the files in {short(doomed.id)} is also, completely or partly, in {where}",
    )


def test_a_purge_says_when_part_of_a_large_file_is_still_held(scratch: Scratch) -> None:
    scratch.noise("large", 3 * MIB)
    doomed = scratch.save()
    with open(scratch.project / "large", "ab") as file:
        file.write(b"one more line\n")
    here = scratch.save()
    result = delete(scratch.context, [doomed.id], True, QUIET)

    assert result.still_held == (
        f"1 of the files in {short(doomed.id)} is also, completely or partly, in {short(here.id)}",
    )


def test_a_purge_that_is_cut_short_is_finished_later(scratch: Scratch) -> None:
    scratch.noise("shared", 200_000)
    scratch.noise("secret", 3000)
    secret = (scratch.project / "secret").read_bytes()[100:200]
    doomed = scratch.save()
    scratch.remove("secret")
    scratch.save()
    use_transport(scratch.store, DyingTransport(scratch.store.transport, 1))
    with pytest.raises(Died):
        delete(scratch.context, [doomed.id], True, QUIET)
    scratch.reopen()
    was_unfinished = scratch.store.is_purge_unfinished
    assert was_unfinished
    assert scratch.holds(secret)
    collect(scratch.context, QUIET)

    assert not scratch.store.is_purge_unfinished
    assert not scratch.holds(secret)


def test_in_a_damaged_store_a_deletion_says_that_nothing_was_freed(scratch: Scratch) -> None:
    scratch.write("file", "1")
    first = scratch.save()
    scratch.write("file", "2")
    scratch.save()
    scratch.store.database.execute("DELETE FROM objects WHERE kind = 1")
    result = delete(scratch.context, [first.id], False, QUIET)

    assert result.freed_bytes == 0
    assert result.still_held[0].startswith("No space was freed, the store is damaged")
    assert scratch.store.checkpoints.get(first.id) is None


def test_stats_add_up(scratch: Scratch) -> None:
    scratch.noise("large", 2 * MIB)
    scratch.write("small", "x")
    scratch.save()
    scratch.save()
    found = stats(scratch.context)

    assert found.store_bytes == scratch.store.size()
    assert found.max_bytes == 20_000_000_000
    assert (found.packs, found.checkpoints, found.workspace_checkpoints) == (2, 2, 2)
    assert found.objects == sum(number for _, number, _ in found.by_kind)
    assert found.content_bytes == sum(size for _, _, size in found.by_kind) > 2 * MIB
    assert {kind: number for kind, number, _ in found.by_kind}["record"] == 2
