"""Scene: a workspace, its store, a fork and a directory outside, reset before each round.

The oracle's trees of all acknowledged checkpoints are kept with it.  A checkpoint is acknowledged
when the command that saves it exits with 0.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torture import edits
from torture.client import Server
from torture.oracle import Tree, differences, files_with, read_tree
from torture.protocol import Clock, Fault, Response

STAGE = b".clew-"
_RESET = ("project", "store", "fork", "outside")


class Problem(Exception):
    """A promise that was not kept; `is_loss` if data is lost, wrong without an error, or touched outside."""

    def __init__(self, text: str, *, is_loss: bool = False) -> None:
        super().__init__(text)
        self.is_loss = is_loss


class Scene:
    """One workspace with a history."""

    def __init__(self, place: Path, server: Server) -> None:
        self.place = place
        self.server = server
        self.project = place / "project"
        self.store = place / "store"
        self.fork = place / "fork"
        self.outside = place / "outside"
        self.acknowledged: dict[str, Tree] = {}
        self.needle = b""
        """Bytes of a file that only the checkpoint `secret` has."""
        self.secret = ""
        self._template = place / "template"
        self._kept: dict[str, Tree] = {}
        self._guard: Tree | None = None
        self.commands: list[str] = []
        """The commands of this round, for the report of a fault."""

    def build(self, seed: str) -> None:
        """Create the history that every round begins with."""
        rng = random.Random(f"{seed} template")
        for path in (self.project, self.outside):
            path.mkdir(parents=True)
        edits.populate(self.project, rng)
        _fill_outside(self.outside)
        os.link(self.project / edits.LINKED, self.outside / edits.LINKED)
        self.ok("init")
        self.save("first")
        edits.edit(self.project, rng, 4)
        self.save("second")
        self.needle = rng.randbytes(4096)
        (self.project / "secret").write_bytes(self.needle)
        self.secret = self.save("with a secret")
        (self.project / "secret").unlink()
        garbage = self.project / "garbage"
        garbage.write_bytes(rng.randbytes(300_000))
        doomed = self.save("garbage")
        garbage.unlink()
        edits.edit(self.project, rng, 3)
        self.save("third")
        self.ok("delete", doomed)  # leaves something to collect
        del self.acknowledged[doomed]
        self.ok("fork", next(iter(self.acknowledged)), str(self.fork), "--name", "side")
        edits.change_fork(self.fork, rng)
        self.ok("save", "work of the fork", cwd=self.fork)
        edits.edit(self.project, rng, 4)
        self.save("fourth")
        self._template.mkdir()
        for name in _RESET:
            _copy(self.place / name, self._template / name)
        self._kept = dict(self.acknowledged)

    def reset(self) -> None:
        """Return to the state after `build`."""
        self.server.settle()
        self.commands.clear()
        for path in self.place.iterdir():
            if path.name not in (*_RESET, "template"):
                _remove(path)
        for name in _RESET:
            # A workspace is known by its inode, so the directory itself stays.
            target = self.place / name
            target.mkdir(exist_ok=True)
            for path in target.iterdir():
                _remove(path)
        _copy(self._template, self.place)
        linked = self.outside / edits.LINKED
        linked.unlink()
        os.link(self.project / edits.LINKED, linked)
        self.acknowledged = dict(self._kept)
        self._guard = None

    @property
    def environment(self) -> dict[str, str]:
        return {"CLEW_HOME": str(self.store), "HOME": str(self.place / "home")}

    def guard(self) -> None:
        """Take what is outside now as what must stay."""
        self._guard = read_tree(str(self.outside))

    def run(
        self,
        *words: str,
        cwd: Path | None = None,
        fault: Fault = Fault(),
        clock: Clock = Clock(),
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        kill_after: float | None = None,
        kills_group: bool = False,
        server: Server | None = None,
    ) -> Response:
        """Run one command, whatever its end; a bug report or a hang is a problem."""
        where = str(cwd or self.project)
        ran = (server or self.server).run(
            words, where, env={**self.environment, **(env or {})}, stdin=stdin, fault=fault,
            clock=clock, kill_after=kill_after, kills_group=kills_group,
        )  # fmt: skip
        self._describe(words, fault, kill_after, ran)
        if "Traceback" in ran.err or "This is a bug in clew" in ran.err:
            raise Problem(f"`clew {' '.join(words)}` has a bug: {_last(ran.err)}")
        if ran.code == -9 and not ran.hit and kill_after is None:
            raise Problem(f"`clew {' '.join(words)}` did not end, or died without a kill")
        return ran

    def ok(self, *words: str, cwd: Path | None = None, server: Server | None = None) -> Response:
        """Run one command that must succeed."""
        ran = self.run(*words, cwd=cwd, server=server)
        if ran.code:
            raise Problem(f"`clew {' '.join(words)}` exits with {ran.code}: {_last(ran.err)}")
        return ran

    def json(self, *words: str, server: Server | None = None) -> Any:
        return json.loads(self.ok(*words, "--json", server=server).out)

    def save(self, intent: str) -> str:
        """Save, and record what the checkpoint must hold."""
        found: str = self.json("save", intent)["checkpoint"]["id"]
        self.acknowledged[found] = read_tree(str(self.project))
        return found

    def acknowledge_current(self, tree: Tree) -> None:
        """Record what the checkpoint of a save that exited with 0 must hold, if it claims all of it."""
        log = self.json("log")
        found = next(one for one in log["checkpoints"] if one["id"] == log["current"])
        if found["coverage"]["is_complete"] and not found["coverage"]["unstable"]:
            self.acknowledged[found["id"]] = tree

    def tree(self) -> Tree:
        """Return the workspace without the stage of a restore."""
        return read_tree(str(self.project), skip=STAGE)

    def checkpoints(self) -> dict[str, dict[str, Any]]:
        found = self.json("log")["checkpoints"]
        return {checkpoint["id"]: checkpoint for checkpoint in found}

    def check_outside(self) -> None:
        """Verify that nothing outside the workspace and the store was touched."""
        assert self._guard is not None
        if found := differences(self._guard, read_tree(str(self.outside))):
            raise Problem(f"touched outside: {found[:3]}", is_loss=True)

    def check_known(self, doomed: set[str] | None = None) -> dict[str, dict[str, Any]]:
        """Verify that the log has every acknowledged checkpoint, except `doomed` ones."""
        known = self.checkpoints()
        if lost := self.acknowledged.keys() - known.keys() - (doomed or set()):
            raise Problem(f"acknowledged checkpoints are lost: {sorted(lost)}", is_loss=True)
        return known

    def check_store(self) -> None:
        """Verify that the store reports no damage."""
        ran = self.run("check", "--read-data")
        if ran.code:
            raise Problem(f"`clew fsck` exits with {ran.code}: {ran.out[-300:]} {_last(ran.err)}")

    def check_restorable(self, checkpoint: str) -> None:
        """Restore an acknowledged checkpoint and compare the workspace with the oracle's tree."""
        self.ok("restore", checkpoint, "--yes")
        if found := differences(self.acknowledged[checkpoint], read_tree(str(self.project))):
            raise Problem(f"checkpoint {checkpoint[:8]} differs: {found[:3]}", is_loss=True)

    def check_erased(self) -> None:
        """Verify that no file of the store has bytes of the secret."""
        slices = [self.needle[at : at + 24] for at in range(0, len(self.needle) - 24, 97)]
        if found := files_with(str(self.store), slices):
            raise Problem(f"purged bytes remain: {found}", is_loss=True)

    def _describe(
        self, words: tuple[str, ...], fault: Fault, kill_after: float | None, ran: Response
    ) -> None:
        how = f"fault {tuple(fault)}" if fault.action else ""
        if kill_after is not None:
            how = f"killed after {kill_after:.4f} s"
        hit = f" at {ran.hit}" if ran.hit else ""
        self.commands.append(f"clew {' '.join(words)} → {ran.code} {how}{hit}".rstrip())


def _fill_outside(place: Path) -> None:
    (place / "directory").mkdir()
    (place / "directory" / "canary").write_text("the canary is outside of every workspace\n")
    (place / "canary").write_text("the canary is outside of every workspace\n")
    (place / "canary").chmod(0o604)
    os.utime(place / "canary", ns=(0, 10**18))


def _copy(source: Path, target: Path) -> None:
    """Copy the content of a directory with all that the oracle sees; holes stay holes."""
    target.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", "--sparse=always", f"{source}/.", target], check=True)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _last(text: str) -> str:
    return " / ".join(text.strip().splitlines()[-3:])
