"""Flips: one byte of one file of the store is changed.

`clew fsck --read-data` finds it, or it is harmless.  A restore gives the right bytes or an error,
and so does a save after it.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from torture import edits
from torture.oracle import differences, read_tree
from torture.protocol import Response
from torture.rounds import Bench
from torture.scene import Problem, Scene

_MEANT = (1, 3, 6)
"""Exit codes of a command that reports damage."""


class Flips:
    """Rounds of flips."""

    units = "flips"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def run(self, rng: random.Random, number: int) -> int:
        scene = self._bench.scene()
        scene.guard()
        path = _flip(scene.store, rng)
        scene.commands.append(path)
        checked = scene.run("check", "--read-data")
        is_found = checked.code == 6
        if checked.code not in (0, 6):
            _require_message(checked, "check")
        chosen = rng.choice(list(scene.acknowledged))
        self._restore(scene, chosen, is_found=is_found)
        scene.check_outside()
        self._save(scene, rng, is_found=is_found)
        return 1

    def close(self) -> None: ...

    def _restore(self, scene: Scene, chosen: str, *, is_found: bool) -> None:
        before = scene.tree()
        ran = scene.run("restore", chosen, "--yes")
        if ran.code == 0:
            if found := differences(scene.acknowledged[chosen], read_tree(str(scene.project))):
                raise Problem(f"restored wrong bytes with exit code 0: {found[:3]}", is_loss=True)
            return
        _require_message(ran, "restore")
        if not is_found:
            raise Problem(f"the check finds no damage, and a restore fails: {ran.err[-300:]}")
        status = scene.run("status", "--json")
        pending = status.code == 0 and '"interrupted_restore": null' not in status.out
        if ran.code != 3 and not pending and (lost := differences(before, scene.tree())):
            raise Problem(f"a restore that failed changed the workspace: {lost[:3]}", is_loss=True)

    def _save(self, scene: Scene, rng: random.Random, *, is_found: bool) -> None:
        """Save after the damage; what is acknowledged then must be restorable, or be reported."""
        edits.edit(scene.project, rng, 2)
        now = scene.tree()
        ran = scene.run("save", "after the flip", "--json")
        if ran.code:
            _require_message(ran, "save")
            return
        edits.edit(scene.project, rng, 2)
        ran = scene.run("restore", "latest", "--yes")
        if ran.code == 0:
            if found := differences(now, read_tree(str(scene.project)), times=False):
                raise Problem(f"a save after the flip is wrong: {found[:3]}", is_loss=True)
        elif not is_found:
            raise Problem(f"a save after a flip is not restorable: {ran.err[-300:]}", is_loss=True)
        else:
            _require_message(ran, "restore")


def _flip(store: Path, rng: random.Random) -> str:
    """Change one byte of a file, and return which."""
    files = sorted(
        path
        for path in store.rglob("*")
        if path.is_file() and not path.is_symlink() and path.stat().st_size
    )
    path = rng.choice(files)
    at, mask = rng.randrange(path.stat().st_size), rng.randint(1, 255)
    if rng.random() < 0.3:  # the beginning has the headers
        at = rng.randrange(min(path.stat().st_size, 128))
    with open(path, "r+b") as file:
        file.seek(at)
        old = file.read(1)[0]
        file.seek(at)
        file.write(bytes((old ^ mask,)))
        os.fsync(file.fileno())
    return f"flip {path.relative_to(store)} at {at} with {mask}"


def _require_message(ran: Response, what: str) -> None:
    if ran.code not in _MEANT or not (ran.err.strip() or ran.out.strip()):
        raise Problem(f"{what} on a damaged store exits with {ran.code}: {ran.err[-300:]}")
