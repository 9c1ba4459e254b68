"""Random work on both sides of a merge never loses a byte, and an undo takes all of it back.

`CLEW_TEST_PROFILE=thorough` looks at many more.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from clew import opening
from clew.errors import MergeConflicts
from clew.model.restore_results import RestoreResult
from clew.workspace import Workspace
from tests.kit.removing import remove
from tests.kit.walker import Facts, Tree, differences, look

ROUNDS = 1000 if os.environ.get("CLEW_TEST_PROFILE") == "thorough" else 40
NAMES = ("a", "b", "c", "d")


@pytest.mark.slow
def test_merging_behaves_like_merging_every_path(scratch: Path) -> None:
    seen = {True: 0, False: 0}
    for seed in range(ROUNDS):
        place = scratch / str(seed)
        (place / "project").mkdir(parents=True)
        with opening.open(place / "project", store=place / "store", create=True) as clew:
            seen[_play(clew, place / "project", Worker(seed, place / "project"))] += 1
        remove(place)
    assert min(seen.values()) > ROUNDS // 10


def _play(clew: Workspace, project: Path, worker: Worker) -> bool:
    """Work, save, work, save, work, go back keeping the last; tell whether there were conflicts."""
    first, there = _moment(clew, project, worker, 8)
    _, base = _moment(clew, project, worker, 2)
    worker.work(2)
    here = look(project)
    expected = naive_merge(base.state().facts, here.state().facts, there.state().facts)
    try:
        result = clew.restore(first, keep_mine=True)
    except MergeConflicts:
        assert look(project) == here
        assert expected is None, worker.seed
        for favour in ("ours", "theirs"):
            _check(clew, project, here, clew.restore(first, keep_mine=True, favour=favour))
        return True
    after = look(project).state()

    assert expected is not None, worker.seed
    assert differences(Tree(expected, frozenset()), after) == [], worker.seed
    _check(clew, project, here, result)
    return False


def _check(clew: Workspace, project: Path, before: Tree, result: RestoreResult) -> None:
    """The result is what was promised, and is a checkpoint that can be undone."""
    assert result.verified
    assert (result.skipped, result.problems, result.changed_after) == ((), (), ())
    if result.merge is not None and not result.merge.is_empty:
        assert clew.status().changes == ()
        clew.undo()
        assert clew.status().changes == ()
    assert differences(before.state(), look(project).state()) == []


def _moment(clew: Workspace, project: Path, worker: Worker, steps: int) -> tuple[str, Tree]:
    worker.work(steps)
    return clew.save().checkpoint.id.hex(), look(project)


class Worker:
    """Somebody who makes, edits and deletes; every content is new, so that nothing ever moves."""

    def __init__(self, seed: int, project: Path) -> None:
        self.seed = seed
        self._chance = random.Random(seed)
        self._project = project
        self._number = 0

    def work(self, steps: int) -> None:
        for _ in range(steps):
            self._step()

    def _step(self) -> None:
        there = sorted(path for path in self._project.rglob("*"))
        directories = [self._project, *(path for path in there if _is_directory(path))]
        fate = self._chance.random()
        if fate < 0.45 or not there:
            self._make(self._chance.choice(directories) / self._chance.choice(NAMES))
            return
        path = self._chance.choice(there)
        if fate < 0.6:
            remove(path)
        elif fate < 0.7:
            path.chmod(self._chance.choice((0o700, 0o755))) if not path.is_symlink() else None
        elif not _is_directory(path):
            remove(path)
            self._make(path)

    def _make(self, path: Path) -> None:
        self._number += 1
        if os.path.lexists(path):
            return
        if self._chance.random() < 0.3:
            path.mkdir()
        elif self._chance.random() < 0.2:
            path.symlink_to(str(self._number))
        else:
            path.write_bytes(b"\x00%d" % self._number)


def _is_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def naive_merge(
    base: dict[bytes, Facts], ours: dict[bytes, Facts], theirs: dict[bytes, Facts]
) -> dict[bytes, Facts] | None:
    """Return the merge path by path, or None where any path is a conflict."""
    result: dict[bytes, Facts] = {}
    for path in {*base, *ours, *theirs}:
        taken = _merged(base.get(path), ours.get(path), theirs.get(path))
        if taken == "conflict":
            return None
        if isinstance(taken, Facts):
            result[path] = taken
    for path in list(result):
        above = path
        while above:
            above = above.rpartition(b"/")[0]
            if above not in result:  # one side deleted what the other needs
                result[above] = ours.get(above) or theirs[above]
            if result[above].kind != "directory":
                return None
    return result


def _merged(before: Facts | None, mine: Facts | None, other: Facts | None) -> Facts | str | None:
    if mine == before:
        return other
    if other in (before, mine):
        return mine
    if (
        before is None
        or mine is None
        or other is None
        or len({before.kind, mine.kind, other.kind}) > 1
    ):
        return "conflict"
    content = _piece(before.content, mine.content, other.content)
    mode = _piece(before.mode, mine.mode, other.mode)
    if content is None or mode is None:
        return "conflict"
    return mine._replace(content=content, mode=mode)  # type: ignore[arg-type]


def _piece(before: object, mine: object, other: object) -> object | None:
    if mine in (before, other):
        return other
    return mine if other == before else None
