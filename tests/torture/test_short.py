"""`make torture` in short: a few rounds of each kind, and faults that it must report."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from torture.protocol import CHANGES, KILL_PROCESS, Fault
from torture.rounds import Bench
from torture.scene import Problem, Scene

HERE = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    place = Path(tempfile.mkdtemp(prefix="clew-torture-test-"))
    bench = Bench(place, "test")
    yield bench
    bench.close()
    shutil.rmtree(place)


@pytest.fixture
def scene(bench: Bench) -> Scene:
    scene = bench.scene()
    scene.guard()
    return scene


@pytest.mark.slow
def test_a_few_rounds_of_each_kind_find_no_fault() -> None:
    options = "--seed 1 --rounds 2 --cuts 1 --jobs 1"
    ran = subprocess.run(
        [sys.executable, "-m", "torture", *options.split()],
        cwd=HERE,
        env=os.environ,
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_lost_pack_is_reported(scene: Scene) -> None:
    for pack in (scene.store / "packs").iterdir():
        pack.unlink()

    with pytest.raises(Problem, match="fsck"):
        scene.check_store()
    with pytest.raises(Problem, match="restore"):
        scene.check_restorable(next(iter(scene.acknowledged)))


def test_a_lost_checkpoint_is_a_loss(scene: Scene) -> None:
    scene.ok("delete", scene.secret)

    with pytest.raises(Problem, match="lost") as found:
        scene.check_known()
    assert found.value.is_loss


def test_wrong_bytes_are_a_loss(scene: Scene) -> None:
    first, second = list(scene.acknowledged)[:2]
    scene.acknowledged[first] = scene.acknowledged[second]

    with pytest.raises(Problem, match="differs") as found:
        scene.check_restorable(first)
    assert found.value.is_loss


def test_a_change_outside_is_a_loss(scene: Scene) -> None:
    (scene.outside / "canary").chmod(0o600)

    with pytest.raises(Problem, match="outside") as found:
        scene.check_outside()
    assert found.value.is_loss


def test_purged_bytes_that_remain_are_a_loss(scene: Scene) -> None:
    with pytest.raises(Problem, match="remain") as found:
        scene.check_erased()
    assert found.value.is_loss


def test_a_kill_is_at_the_chosen_call(bench: Bench, scene: Scene) -> None:
    if bench.shim is None:
        pytest.skip("no C compiler")

    ran = scene.run("save", "killed", fault=Fault(KILL_PROCESS, 30, CHANGES))

    assert (ran.code, ran.calls) == (-9, 30)
    assert ran.hit
