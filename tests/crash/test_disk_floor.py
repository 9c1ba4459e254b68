"""The store's disk runs low: automatic checkpoints go first, then a save is refused with the figures."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import opening
from clew.errors import NoSpaceForSave
from clew.model.record import Origin
from clew.workspace import Workspace
from tests.kit import filesystems
from tests.kit.running import Clew
from tests.kit.walker import differences, look

MB = 1_000_000
FLOOR = 50 * MB


@pytest.fixture
def clew(tmp_path: Path) -> Iterator[Clew]:
    """A workspace whose store is on a disk of 128 MB."""
    if reason := filesystems.missing_for("tmpfs"):
        pytest.skip(reason)
    (tmp_path / "project").mkdir()
    with (
        filesystems.base_directory() as base,
        filesystems.mounted("tmpfs", base, 128, "small") as place,
    ):
        yield Clew(tmp_path / "project", place / "store")


@pytest.fixture
def ws(clew: Clew) -> Iterator[Workspace]:
    with opening.open(clew.workspace, store=str(clew.store), create=True) as opened:
        opened.settings.set("min-free", str(FLOOR))
        yield opened


def save(ws: Workspace, clew: Clew, name: str, origin: str = Origin.HOOK) -> str:
    """Save 2 MB that nothing else holds."""
    (clew.workspace / "noise").write_bytes(random.Random(name).randbytes(2 * MB))
    return ws.save(name, origin=origin).checkpoint.id.hex()


def free(clew: Clew) -> int:
    space = os.statvfs(clew.store)
    return space.f_bavail * space.f_frsize


def fill_by_hand(ws: Workspace, clew: Clew) -> tuple[list[str], NoSpaceForSave]:
    made: list[str] = []
    for number in range(60):
        try:
            made.append(save(ws, clew, f"mine {number}", Origin.MANUAL))
        except NoSpaceForSave as error:
            return made, error
    raise AssertionError("nothing was refused")


def test_automatic_checkpoints_make_room_and_saving_goes_on(ws: Workspace, clew: Clew) -> None:
    mine = [save(ws, clew, f"mine {number}", Origin.MANUAL) for number in range(3)]
    hooks = [save(ws, clew, f"step {number}") for number in range(50)]
    left = clew.ids()

    assert free(clew) > FLOOR - 4 * MB  # the last save was begun above the floor
    assert set(mine) <= set(left)
    assert hooks[-11:] == left[10::-1]  # here, and ten steps of undo
    assert len(left) < 45
    assert clew.error("show", hooks[0])[1]["rule"] == "min-free"
    assert clew.json("check", "--read-data")["is_intact"]


def test_a_save_says_what_it_pruned(ws: Workspace, clew: Clew) -> None:
    notices: list[str] = []
    for number in range(40):
        (clew.workspace / "noise").write_bytes(random.Random(str(number)).randbytes(2 * MB))
        notices += ws.save(str(number), origin=Origin.AUTOMATIC).notices

    assert any(
        one.startswith("Free disk space was below min-free, so ") and one.endswith(" pruned")
        for one in notices
    )


def test_what_was_saved_by_hand_is_not_touched_and_the_save_is_refused(
    ws: Workspace, clew: Clew
) -> None:
    made, error = fill_by_hand(ws, clew)
    command = clew.run("save", "one more")
    code, told = clew.error("save", "one more")

    assert clew.ids() == made[::-1]
    assert error.free < error.min_free == FLOOR
    assert error.prunable_checkpoints == len(made) - 11
    assert error.prunable_bytes > 0.8 * 2 * MB * error.prunable_checkpoints
    assert command.code == code == 1
    assert command.talk[0].startswith("Error: Not enough free disk space to save: ")
    assert "50.0 MB required by min-free" in command.talk[0]
    assert "`clew prune --keep-last 10`" in command.talk[1]
    assert told["kind"] == "no-space-for-save"
    figures = [
        int(told[name]) for name in ("free_bytes", "min_free_bytes", "prunable_checkpoint_count")
    ]
    assert figures == [error.free, FLOOR, error.prunable_checkpoints]


def test_the_command_that_a_refusal_names_helps(ws: Workspace, clew: Clew) -> None:
    made, _ = fill_by_hand(ws, clew)
    ws.close()  # a file that is deleted takes its room until nobody has it open
    refused = clew.run("prune", "--keep-last", "10")
    clew.ok("prune", "--keep-last", "10", "--yes")
    saved = clew.save("again")

    assert refused.code == 5
    assert clew.ids() == [saved, *made[:-12:-1]]
    assert clew.json("check", "--read-data")["is_intact"]


def test_a_lower_floor_helps_too(ws: Workspace, clew: Clew) -> None:
    made, _ = fill_by_hand(ws, clew)
    clew.ok("config", "set", "min-free", "1MB")
    saved = clew.save("again")

    assert clew.ids() == [saved, *made[::-1]]


def test_a_restore_has_its_rescue_below_the_floor(ws: Workspace, clew: Clew) -> None:
    made, _ = fill_by_hand(ws, clew)
    (clew.workspace / "noise").write_bytes(b"never saved")
    before = look(clew.workspace)
    result = clew.restore(made[0])
    clew.ok("undo", "--yes")

    assert result["rescue"]
    assert differences(before.state(), look(clew.workspace).state()) == []


def test_a_doctor_tells_of_the_floor(ws: Workspace, clew: Clew) -> None:
    fill_by_hand(ws, clew)
    problems = json.loads(clew.run("--json", "doctor").out)["problems"]

    assert any("below the 50.0 MB of min-free" in str(one) for one in problems)


def test_copies_that_can_be_made_again_go_before_any_checkpoint(ws: Workspace, clew: Clew) -> None:
    hooks = [save(ws, clew, f"step {number}") for number in range(16)]
    (clew.store / "filler").write_bytes(bytes(free(clew) - FLOOR - 3 * MB))
    ws.verify(hooks[-1], "true")  # leaves a copy of 2 MB that is kept for the next check
    saved = save(ws, clew, "one more")

    assert set(hooks) | {saved} == set(clew.ids())


def test_by_default_the_floor_is_a_fiftieth_of_the_disk(clew: Clew) -> None:
    (clew.workspace / "file").write_text("x")
    clew.save("first")
    room = free(clew) - 2 * MB
    (clew.store.parent / "filler").write_bytes(bytes(room))
    code, told = clew.error("save", "second")

    assert (code, told["kind"]) == (1, "no-space-for-save")
    assert int(told["min_free_bytes"]) == (128 << 20) // 50
