"""Operations in which PraisonAI loses data: here nothing is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

import clew
from clew.compat.praisonai import CheckpointResult, CheckpointService
from clew.errors import CheckpointRemoved
from tests.compat.praisonai.place import Place, heard, restored, run, saved

SAVER = """
import asyncio, sys
from clew.compat.praisonai import CheckpointService

async def main():
    workspace, storage, name = sys.argv[1:]
    service = CheckpointService(workspace, storage)
    assert await service.initialize()
    for number in range(3):
        with open(f"{workspace}/{name}", "a") as file:
            file.write(f"{number}\\n")
        result = await service.save(f"{name} {number}")
        assert result.success, result.error

asyncio.run(main())
"""

HOLDER = """
import sys, clew
from clew.monitor import Monitor
with clew.open(sys.argv[1], store=sys.argv[2]) as ws:
    with ws.reading_context() as context, context.store.locks.workspace(ws.info.uuid, Monitor()):
        print("held", flush=True)
        sys.stdin.read()
"""


def test_a_bar_in_a_message_hides_nothing(place: Place) -> None:
    service = place.service()
    place.write("a.txt", "1")
    first = saved(service, "fix a|b || c", step=1)
    place.write("a.txt", "2")
    saved(service, "plain\nwith a second line | and a bar")

    assert [one.message for one in run(service.list_checkpoints())] == [
        "plain\nwith a second line | and a bar",
        "[step-1] fix a|b || c",
        "Initial checkpoint",
    ]
    assert run(service.restore(step=1)).checkpoint == first
    assert place.read("a.txt") == "1"


def test_a_restore_hides_no_newer_checkpoint(place: Place) -> None:
    service = place.service()
    made = []
    for number in range(4):
        place.write("a.txt", str(number))
        made.append(saved(service, str(number)))
    restored(service, made[0])

    assert [one.message for one in run(service.list())] == [
        "3", "2", "1", "0", "Initial checkpoint",
    ]  # fmt: skip
    restored(service, made[3])
    assert place.read("a.txt") == "3"


def test_what_was_unsaved_before_a_restore_is_listed_also_after_a_restart(place: Place) -> None:
    service = place.service()
    place.write("a.txt", "one")
    first = saved(service, "one")
    place.write("a.txt", "unsaved")
    restored(service, first)
    again = place.service()
    rescues = run(again.list_rescues())

    assert [one.message for one in rescues] == ["[pre-restore] auto-save"]
    assert rescues[0] in run(again.list())
    assert run(again.get_checkpoint(rescues[0].short_id)) == rescues[0]
    restored(again, rescues[0])
    assert place.read("a.txt") == "unsaved"


def test_restoring_the_last_one_twice_does_not_bring_the_bad_state_back(place: Place) -> None:
    """`praisonai checkpoint restore last` takes the first of `list_checkpoints`."""
    service = place.service()
    for number in range(3):
        place.write("a.txt", str(number))
        saved(service, str(number))
    for attempt in range(3):
        place.write("a.txt", f"bad {attempt}")
        restored(service, run(service.list_checkpoints(limit=100))[0])
        assert place.read("a.txt") == "2"
        restored(service, run(place.service().list_checkpoints(limit=100))[0])
        assert place.read("a.txt") == "2"

    assert len(run(service.list_rescues())) == 3


def test_no_place_in_a_list_that_programs_count_on_is_a_rescue(place: Place) -> None:
    """`praisonai run --revert N` takes the Nth of `list_checkpoints`."""
    service = place.service()
    for number in range(3):
        place.write("a.txt", str(number))
        saved(service, str(number))
        place.write("a.txt", f"bad {number}")
        restored(service, run(service.list_checkpoints())[0])
    everything = run(service.list())

    assert [one.message for one in run(service.list_checkpoints())] == [
        "2", "1", "0", "Initial checkpoint",
    ]  # fmt: skip
    assert [one.message for one in run(service.list_checkpoints(limit=1))] == ["2"]
    assert len(everything) == 7
    assert everything[0].message == "2"
    assert everything[-1].message == "Initial checkpoint"


def test_a_rewind_passes_over_rescues(place: Place) -> None:
    """What is saved after a rescue was restored has the rescue above it."""
    service = place.service()
    place.write("a.txt", "good")
    saved(service, "good")
    place.write("a.txt", "bad")
    restored(service, run(service.list_checkpoints())[0])
    restored(service, run(service.list_rescues())[0])
    place.write("a.txt", "worse")
    saved(service, "worse")

    assert run(service.rewind()).success
    assert place.read("a.txt") == "good"


@pytest.mark.parametrize("name", [".praisonai", ".praison"])
@pytest.mark.parametrize("patterns", [None, []])
def test_praisonai_s_own_state_is_left_alone(
    place: Place, name: str, patterns: list[str] | None
) -> None:
    service = place.service(exclude_patterns=patterns)
    place.write("a.txt", "one")
    first = saved(service, "one")
    place.write(f"{name}/sessions/1.json", "a memory")
    place.write("a.txt", "two")
    restored(service, first)

    assert place.read("a.txt") == "one"
    assert place.read(f"{name}/sessions/1.json") == "a memory"


def test_a_restore_to_nowhere_changes_and_keeps_nothing(place: Place) -> None:
    service = place.service()
    place.write("a.txt", "one")
    saved(service, "one")
    place.write("untracked.txt", "precious")
    before = run(service.list())

    for nowhere in ("ffffffff", "HEAD~1", "../../etc", "", "-q"):
        assert not run(service.restore(nowhere)).success
    assert place.read("untracked.txt") == "precious"
    assert run(service.list()) == before


def test_an_id_that_is_not_one_checkpoint_s_is_refused(place: Place) -> None:
    service = place.service()
    for number in range(17):  # one more than there are first digits
        place.write("a.txt", str(number))
        saved(service, str(number))
    first_digits = [one.id[0] for one in run(service.list())]
    shared = next(one for one in first_digits if first_digits.count(one) > 1)
    result = run(service.restore(shared))

    assert "More than one checkpoint" in (result.error or "")
    assert run(service.get(shared)) is None
    assert place.read("a.txt") == "16"


def test_checkpoints_are_known_after_a_restart(place: Place) -> None:
    place.write("a.txt", "one")
    made = saved(place.service(), "one", step=3)
    again = place.service()

    assert run(again.get_checkpoint(made.short_id)) == made
    assert run(again.get_checkpoint_by_step(3)) == made
    assert run(again.list())[0] == made


def test_no_more_are_kept_than_were_asked_for_and_the_rest_is_gone_from_the_store(
    place: Place,
) -> None:
    service = place.service(max_checkpoints=3)
    for number in range(6):
        (place.workspace / "a.bin").write_bytes(os.urandom(200_000))
        saved(service, str(number))

    assert [one.message for one in run(service.list())] == ["5", "4", "3"]
    with clew.open(place.workspace, store=place.storage) as ws:
        assert ws.store.stats().store_bytes < 4 * 200_000 + 1_000_000
        assert ws.store.gc().removed_objects == 0
        assert ws.store.check(read_data=True).whole


def test_where_the_workspace_is_counts_among_those_that_are_kept(place: Place) -> None:
    service = place.service(max_checkpoints=3)
    made = []
    for number in range(3):
        place.write("a.txt", str(number))
        made.append(saved(service, str(number)))
    restored(service, made[0])
    place.write("a.txt", "another way")
    saved(service, "another way")

    assert [one.message for one in run(service.list())] == ["another way", "2", "1"]


def test_what_a_person_pinned_stays(place: Place) -> None:
    service = place.service(max_checkpoints=1)
    place.write("a.txt", "pinned")
    pinned = saved(service, "pinned")
    with clew.open(place.workspace, store=place.storage) as ws:
        ws.edit(pinned.id, pin=True)
    for number in range(3):
        place.write("a.txt", str(number))
        saved(service, str(number))

    assert [one.message for one in run(service.list())] == ["2", "pinned"]


def test_what_a_person_saved_by_hand_stays_and_does_not_count(place: Place) -> None:
    service = place.service(max_checkpoints=2)
    place.write("a.txt", "mine")
    with clew.open(place.workspace, store=place.storage, create=True) as ws:
        mine = ws.save("before the refactoring").checkpoint.id.hex()
    made = []
    for number in range(4):
        place.write("a.txt", str(number))
        made.append(saved(service, str(number)))
    with clew.open(place.workspace, store=place.storage) as ws:
        left = [one.labels.intent for one in ws.log().checkpoints]
        with pytest.raises(CheckpointRemoved, match="more than max_checkpoints allows"):
            ws.resolve(made[0].id)
        assert ws.resolve(mine).labels.intent == "before the refactoring"

    assert left == ["3", "2", "before the refactoring"]


def test_six_saves_at_once_all_succeed_under_their_own_words(place: Place) -> None:
    service = place.service()

    async def agent(number: int) -> CheckpointResult:
        place.write(f"{number}.txt", str(number))
        return await service.save(f"agent {number}")

    async def everybody() -> list[CheckpointResult]:
        return await asyncio.gather(*(agent(number) for number in range(6)))

    results = run(everybody())
    messages = {one.message for one in run(service.list())}

    assert [result.error for result in results] == [None] * 6
    assert messages == {*(f"agent {number}" for number in range(6)), "Initial checkpoint"}
    for number, result in enumerate(results):
        assert result.checkpoint is not None
        with clew.open(place.workspace, store=place.storage) as ws:
            path = place.workspace / f"{number}.txt"
            assert b"".join(ws.cat(result.checkpoint.id, str(path))) == str(number).encode()


def test_two_processes_save_at_once(place: Place) -> None:
    place.service()
    arguments = [str(place.workspace), str(place.storage)]
    started = [
        subprocess.Popen([sys.executable, "-c", SAVER, *arguments, name], stderr=subprocess.PIPE)
        for name in ("left", "right")
    ]
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in started]
    messages = {one.message for one in run(place.service().list())}

    assert [code for _, code in ended] == [0, 0], ended
    assert messages > {f"{name} {number}" for name in ("left", "right") for number in range(3)}


def test_a_process_that_dies_with_the_lock_blocks_nobody(place: Place) -> None:
    service = place.service()
    command = [sys.executable, "-c", HOLDER, str(place.workspace), str(place.storage)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.send_signal(signal.SIGKILL)
    holder.communicate(timeout=60)
    place.write("a.txt", "one")

    assert run(service.save("after the crash")).success


def test_damage_is_said_and_nothing_is_overwritten(place: Place) -> None:
    service = place.service()
    place.write("a.txt", "one")
    first = saved(service, "one")
    place.write("a.txt", "two")
    saved(service, "two")
    for pack in (place.storage / "packs").rglob("*"):
        if pack.is_file():
            pack.chmod(0o600)
            pack.write_bytes(b"\0" * pack.stat().st_size)
    events = heard(service)
    result = run(service.restore(first.id))

    assert not result.success
    assert [name for name, _ in events] == ["error"]
    assert place.read("a.txt") == "two"


def test_one_service_sees_what_another_did(place: Place) -> None:
    place.write("a.txt", "one")
    mine, theirs = place.service(), place.service()
    made = saved(mine, "mine")

    assert run(theirs.get(made.id)) == made
    assert run(theirs.save("theirs")).success
    assert run(theirs.save("theirs again")).error == "No changes to checkpoint"


def test_a_workspace_inside_another_is_its_own(place: Place) -> None:
    place.write("inner/a.txt", "one")
    outer = place.service()
    inner = CheckpointService(str(place.workspace / "inner"), str(place.storage))
    assert run(inner.initialize())
    first = saved(inner, "inner")
    place.write("inner/a.txt", "two")
    place.write("b.txt", "outside")
    restored(inner, first)

    assert place.read("inner/a.txt") == "one"
    assert place.read("b.txt") == "outside"
    assert [one.message for one in run(outer.list())] == ["Initial checkpoint"]
