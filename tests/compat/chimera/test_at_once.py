"""Concurrent threads and processes lose no snapshot, no record and no id."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from clew.compat.chimera import CheckpointManager, GhostCommitManager, LocalEnvironment

T = TypeVar("T")

THREADS = 4

CHILD = """
import sys
from clew.compat.chimera import CheckpointManager, GhostCommitManager, LocalEnvironment
project, name = sys.argv[1:]
sys.stdin.read()
for number in range(2):
    GhostCommitManager(project).snapshot(f"{name} {number}", [name])
    CheckpointManager(LocalEnvironment(project)).create(f"{name} {number}")
"""


def together(work: Callable[[int], T], workers: int = THREADS) -> list[T]:
    """Do the same in several threads that start at the same moment."""
    barrier = threading.Barrier(workers)

    def begin(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(begin, range(workers)))


def test_threads_that_make_one_store_at_once_all_get_their_snapshot(tmp_path: Path) -> None:
    for turn in range(8):
        place = tmp_path / str(turn)
        (place / "project").mkdir(parents=True)

        def snapshot(number: int, place: Path = place) -> str:
            ghost = GhostCommitManager(place / "project", store=place / "store")
            return ghost.snapshot(f"thread {number}", ["a"])

        made = together(snapshot)

        ghost = GhostCommitManager(place / "project", store=place / "store")
        assert sorted(made) == [f"ghost-{number}" for number in range(1, THREADS + 1)]
        assert {one.label for one in ghost.history} == {f"thread {n}" for n in range(THREADS)}


def test_one_manager_may_be_shared_by_threads(project: Path, ghost: GhostCommitManager) -> None:
    def work(number: int) -> list[str]:
        names = []
        for turn in range(3):
            (project / f"{number}").write_text(f"{turn}")
            names.append(ghost.snapshot(f"{number} {turn}", [f"{number}"]))
        return names

    made = [name for names in together(work) for name in names]

    assert sorted(made) == sorted({f"ghost-{n}" for n in range(1, 3 * THREADS + 1)})
    assert ghost.depth == 3 * THREADS


def test_no_id_is_given_twice(project: Path) -> None:
    def work(_: int) -> list[str]:
        env = LocalEnvironment(project)
        return [env.checkpoint() for _ in range(3)]

    made = [identifier for ids in together(work) for identifier in ids]

    assert sorted(map(int, made)) == list(range(3 * THREADS))


def test_two_who_undo_at_once_each_take_a_step(project: Path, ghost: GhostCommitManager) -> None:
    for number in range(THREADS):
        (project / "a").write_text(str(number))
        ghost.snapshot(f"edit {number}", ["a"])
    (project / "a").write_text("last")

    together(lambda _: ghost.undo(), workers=2)

    assert ghost.depth == THREADS - 2
    assert (project / "a").read_text() == str(THREADS - 2)


def test_processes_lose_nothing_either(project: Path) -> None:
    names = ["one", "two", "three"]
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, str(project), name], stdin=subprocess.PIPE)
        for name in names
    ]
    try:
        for child in children:  # all of them wait for their input to end
            assert child.stdin is not None
            child.stdin.close()
        assert [child.wait(timeout=300) for child in children] == [0, 0, 0]
    finally:
        for child in children:
            child.kill()
            child.wait()
    wanted = sorted(f"{name} {number}" for name in names for number in range(2))

    assert sorted(one.label for one in GhostCommitManager(project).history) == wanted
    records = CheckpointManager(LocalEnvironment(project)).list_checkpoints()
    assert sorted(one.name for one in records) == wanted
    assert sorted(one.id for one in records) == [str(number) for number in range(6)]
