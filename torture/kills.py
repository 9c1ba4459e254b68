"""Kills: `kill -9` at a random call or time of every command, and of what finishes a killed one.

Afterwards every acknowledged checkpoint is restorable, the workspace is in the state before or
after the command, unsaved work is in the workspace or in a rescue, and the next command works.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from torture import edits
from torture.migrations import kill_migration
from torture.oracle import Tree, differences, is_same, read_tree
from torture.protocol import CHANGES, COUNT, KILL_GROUP, KILL_PROCESS, TORN, Fault, Response
from torture.rounds import Bench
from torture.scene import Problem, Scene

_AFTER = (
    ("restore", "--continue"), ("restore", "--abort"), ("save", "after the crash"), ("status",),
    ("log",), ("gc",), ("check",), ("diff",), ("undo", "--yes"), ("prune",),
)  # fmt: skip
_TIMED = 0.25
"""Share of kills at a random time; the others are at a random call."""


class Plan(NamedTuple):
    """A command to kill, and what may be true afterwards."""

    words: tuple[str, ...]
    target: Tree | None = None
    """The workspace after the command; None if it does not write the workspace."""
    before: Tree | None = None
    """The workspace before the command, if not that of now."""
    exact: bool = True
    """Whether modification times of `target` are known."""
    doomed: frozenset[str] = frozenset()
    """Checkpoints that the command may delete."""
    stdin: bytes = b""
    cwd: Path | None = None
    env: dict[str, str] | None = None
    repairs: bool = False
    """Whether other commands refuse to work until this one has run to its end."""
    finish: Callable[[Scene], None] | None = None
    """Verifies what is promised after the same command has run to its end."""


class Measured(NamedTuple):
    calls: int
    seconds: float


_MIGRATE = "migrate"
_USUAL = Measured(120, 0.1)


class Kills:
    """Rounds of kills."""

    units = "kills"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._measured: dict[str, Measured] = {}

    def run(self, rng: random.Random, number: int) -> int:
        names = (*sorted(COMMANDS), _MIGRATE)
        name = names[number % len(names)]
        if name == _MIGRATE:
            return kill_migration(
                self._bench, rng, lambda scene, words: self._kill(scene, Plan(words), "", rng)
            )
        self._measure(name)
        scene = self._bench.scene()
        edits.edit(scene.project, rng)
        plan = COMMANDS[name](scene, rng)
        before = plan.before or scene.tree()
        scene.guard()
        ran = self._kill(scene, plan, name, rng)
        kills = int(ran.code == -9)
        outcome = Outcome(scene, plan, before, ran.code)
        if ran.code == 0 and plan.words[0] == "save":
            scene.acknowledge_current(before)
        while kills and kills < 4 and rng.random() < 0.4:
            words = rng.choice((*_AFTER, plan.words))
            ran = self._kill(scene, Plan(words), "", rng)
            outcome.note(words, ran.code)
            kills += ran.code == -9
            scene.check_outside()
        scene.server.settle()
        outcome.check(rng)
        return kills

    def close(self) -> None: ...

    def _kill(self, scene: Scene, plan: Plan, name: str, rng: random.Random) -> Response:
        measured = self._measured.get(name, _USUAL)
        share, is_group = rng.random(), rng.random() < 0.5
        if self._bench.shim is None or rng.random() < _TIMED:
            return scene.run(
                *plan.words, cwd=plan.cwd, env=plan.env, stdin=plan.stdin,
                kill_after=share * measured.seconds * 1.1, kills_group=is_group,
            )  # fmt: skip
        action = rng.choice((KILL_PROCESS, KILL_GROUP, KILL_GROUP, TORN))
        at = 1 + int(share * measured.calls)
        fault = Fault(action, at, CHANGES)
        return scene.run(*plan.words, cwd=plan.cwd, env=plan.env, stdin=plan.stdin, fault=fault)

    def _measure(self, name: str) -> None:
        """Count the calls of a command that is not killed; from the template, so that it repeats."""
        if name in self._measured:
            return
        scene = self._bench.scene()
        rng = random.Random(name)
        edits.edit(scene.project, rng)
        plan = COMMANDS[name](scene, rng)
        ran = scene.run(
            *plan.words,
            cwd=plan.cwd,
            env=plan.env,
            stdin=plan.stdin,
            fault=Fault(COUNT, 0, CHANGES),
        )
        self._measured[name] = Measured(max(ran.calls, 1), ran.seconds)


class Outcome:
    """What may be true after the commands of a round, and its verification."""

    def __init__(self, scene: Scene, plan: Plan, before: Tree, code: int) -> None:
        self.scene = scene
        self.plan = plan
        self.before = before
        self.is_done = code == 0
        self.is_partial = code == 3
        """It reported that it did not do all; what it did is not tracked."""
        self.moves = plan.target is not None
        self.other_moves = False
        """Another command that writes the workspace was started; its target is not tracked."""

    def note(self, words: tuple[str, ...], code: int) -> None:
        """Record a command that followed the first."""
        self.is_partial |= code == 3
        if words == ("undo", "--yes"):
            self.other_moves = True
        if code == 0 and words == self.plan.words:
            self.is_done = True
        if code == 0 and words[0] == "save":
            self.scene.acknowledge_current(self.scene.tree())

    def check(self, rng: random.Random) -> None:
        scene = self.scene
        if self.plan.repairs and not self.is_done:
            scene.ok(*self.plan.words)
            self.is_done = True
        self._check_workspace(rng)
        scene.check_outside()
        known = scene.check_known(set(self.plan.doomed))
        scene.check_store()
        if not is_same(self.before, scene.tree(), times=False):
            self._check_rescue(known)
        if self.plan.finish is not None:
            self._finish()
        scene.save("after the round")
        status = scene.json("status")
        if status["changes"] or status["interrupted_restore"]:
            raise Problem(f"not clean after a save: {str(status)[:300]}")
        if litter := [path.name for path in scene.project.glob(".clew-*")]:
            raise Problem(f"left in the workspace: {litter}")
        present = sorted(scene.acknowledged.keys() & scene.checkpoints().keys())
        count = len(present) if rng.random() < 0.05 else 1
        for checkpoint in rng.sample(present, count):
            scene.check_restorable(checkpoint)
        scene.check_outside()

    def _check_workspace(self, rng: random.Random) -> None:
        """Finish an interrupted restore; the workspace is then what it was, or the target."""
        scene, target = self.scene, self.plan.target
        pending = scene.json("status")["interrupted_restore"]
        words: tuple[str, ...] = ()
        if pending:
            words = rng.choice((("restore", "--continue"), ("restore", "--abort"), ("save", "x")))
            ran = scene.run(*words)
            if ran.code:
                raise Problem(f"`clew {' '.join(words)}` exits with {ran.code}: {ran.err[-300:]}")
            if words[0] == "save":
                self.note(words, 0)
            if scene.json("status")["interrupted_restore"]:
                raise Problem("the restore is still interrupted")
        after = scene.tree()
        if self.other_moves or (self.is_partial and self.moves):
            return  # `_check_rescue` finds the state before in a checkpoint
        unmoved = differences(self.before, after, times=not self.moves)
        if target is None:
            if unmoved:
                raise Problem(f"the workspace changed: {unmoved[:3]}", is_loss=True)
            return
        moved = differences(target, after, times=self.plan.exact)
        if moved and unmoved:
            raise Problem(f"neither before {unmoved[:2]} nor after {moved[:2]}", is_loss=True)
        is_plain = len(scene.commands) < 6 and pending and not pending["is_aborting"]
        if is_plain and words == ("restore", "--abort") and unmoved:
            raise Problem(f"aborted, but not as before: {unmoved[:3]}", is_loss=True)
        if is_plain and words != ("restore", "--abort") and moved:
            raise Problem(f"continued, but not as the target: {moved[:3]}", is_loss=True)
        if self.is_done and not pending and moved and len(scene.commands) < 4:
            raise Problem(f"done, but not as the target: {moved[:3]}", is_loss=True)

    def _check_rescue(self, known: dict[str, dict[str, object]]) -> None:
        """Verify that some checkpoint holds the state before the command."""
        scene = self.scene
        for identifier, checkpoint in known.items():
            if checkpoint["origin"] == "manual" and identifier in scene.acknowledged:
                if is_same(self.before, scene.acknowledged[identifier], times=False):
                    return
                continue
            scene.ok("restore", identifier, "--yes")
            if is_same(self.before, scene.tree(), times=False):
                return
        raise Problem("the state before the command is in no checkpoint", is_loss=True)

    def _finish(self) -> None:
        assert self.plan.finish is not None
        if not self.is_done:
            ran = self.scene.run(
                *self.plan.words, cwd=self.plan.cwd, env=self.plan.env, stdin=self.plan.stdin
            )
            # It may have been done before the kill, and then there is nothing left to do.
            if ran.code not in (0, 1, 2):
                raise Problem(f"{self.plan.words[0]} again exits with {ran.code}: {ran.err[-300:]}")
        self.plan.finish(self.scene)


def _ids(scene: Scene) -> list[str]:
    return list(scene.acknowledged)


def _save(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("save", "killed"))


def _save_and_verify(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("save", "killed", "--verify", "true"))


def _restore(scene: Scene, rng: random.Random) -> Plan:
    chosen = rng.choice(_ids(scene))
    return Plan(("restore", chosen, "--yes"), scene.acknowledged[chosen])


def _undo(scene: Scene, rng: random.Random) -> Plan:
    (scene.project / "unsaved").write_bytes(rng.randbytes(50))
    return Plan(("undo", "--yes"), scene.acknowledged[_ids(scene)[-1]])


def _undo_clean(scene: Scene, rng: random.Random) -> Plan:
    (scene.project / "more").write_bytes(rng.randbytes(50))
    previous = scene.acknowledged[_ids(scene)[-1]]
    scene.save("clean")
    return Plan(("undo", "--yes"), previous)


def _redo(scene: Scene, rng: random.Random) -> Plan:
    (scene.project / "more").write_bytes(rng.randbytes(50))
    scene.save("clean")
    newest = scene.acknowledged[_ids(scene)[-1]]
    scene.ok("undo", "--yes")
    return Plan(("redo", "--yes"), newest)


def _continue(scene: Scene, rng: random.Random) -> Plan:
    return _interrupted(scene, rng, "--continue")


def _abort(scene: Scene, rng: random.Random) -> Plan:
    return _interrupted(scene, rng, "--abort")


def _interrupted(scene: Scene, rng: random.Random, option: str) -> Plan:
    """Interrupt a restore, somewhere between its beginning and its end if the shim is there."""
    chosen, before = _ids(scene)[0], scene.tree()
    fault = Fault(KILL_GROUP, rng.randint(120, 260), CHANGES)
    if scene.server.has_shim:
        scene.run("restore", chosen, "--yes", fault=fault)
    return Plan(("restore", option), scene.acknowledged[chosen], before=before)


def _adopt(scene: Scene, rng: random.Random) -> Plan:
    now, theirs = scene.tree(), _fork_tree(scene)
    ours = {p: e for p, e in now.entries.items() if not _is_forked(p)}
    merged = ours | {p: e for p, e in theirs.entries.items() if _is_forked(p)}
    return Plan(("adopt", "side", "--yes"), Tree(merged, now.links), exact=False)


def _fork_tree(scene: Scene) -> Tree:
    return read_tree(str(scene.fork))


def _is_forked(path: bytes) -> bool:
    return path.startswith(edits.FORKED.encode())


def _fork(scene: Scene, rng: random.Random) -> Plan:
    chosen, place = rng.choice(_ids(scene)), scene.place / "second fork"

    def finish(scene: Scene) -> None:
        if found := differences(scene.acknowledged[chosen], read_tree(str(place))):
            raise Problem(f"the fork differs: {found[:3]}", is_loss=True)

    return Plan(("fork", chosen, str(place), "--name", "second"), finish=finish)


def _discard(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("discard", "side", "--yes", "--files"))


def _gc(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("gc",))


def _gc_purge(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("gc", "--purge"))


def _prune(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("prune", "--keep-last", "2", "--yes"), doomed=frozenset(_ids(scene)))


def _delete(scene: Scene, rng: random.Random) -> Plan:
    chosen = rng.choice(_ids(scene)[1:-1])
    return Plan(("delete", chosen), doomed=frozenset((chosen,)))


def _purge(scene: Scene, rng: random.Random) -> Plan:
    words = ("delete", scene.secret, "--purge")
    return Plan(words, doomed=frozenset((scene.secret,)), finish=Scene.check_erased)


def _verify(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("verify", rng.choice(_ids(scene)), "--", "test -d src"))


def _exec(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("exec", rng.choice(_ids(scene)), "--", "echo changed > src/changed"))


def _try(scene: Scene, rng: random.Random) -> Plan:
    attempts = ("--attempt", "a=echo 1 > one", "--attempt", "b=rm -r src")
    return Plan(("try", rng.choice(_ids(scene)), *attempts))


def _bisect(scene: Scene, rng: random.Random) -> Plan:
    ids = _ids(scene)
    return Plan(("bisect", ids[0], ids[-1], "--", "test ! -e secret"))


def _check(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("check", *rng.choice(((), ("--read-data",)))))


def _rebuild(scene: Scene, rng: random.Random) -> Plan:
    """Destroy the catalogue first."""
    catalogue = scene.store / "catalog.db"
    for extra in ("-wal", "-shm"):
        (scene.store / f"catalog.db{extra}").unlink(missing_ok=True)
    data = bytearray(catalogue.read_bytes())
    for _ in range(30):
        at = rng.randrange(len(data))
        data[at] ^= rng.randint(1, 255)
    catalogue.write_bytes(data)

    return Plan(("check", "--rebuild"), repairs=True)


def _hook(scene: Scene, rng: random.Random) -> Plan:
    transcript = scene.place / "talk.jsonl"
    transcript.write_text('{"message":{"content":[{"tool_use_id":"c1"}]}}\n')
    call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c1"}
    event = {
        "hook_event_name": "PostToolBatch",
        "session_id": "torture",
        "cwd": str(scene.project),
        "transcript_path": str(transcript),
        "tool_calls": [call],
    }
    return Plan(("hook", "claude-code"), stdin=json.dumps(event).encode())


def _edit(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("edit", rng.choice(_ids(scene)), "--description", "edited"))


def _config(scene: Scene, rng: random.Random) -> Plan:
    return Plan(("config", "set", "verify", "true"))


def _init(scene: Scene, rng: random.Random) -> Plan:
    """Create a workspace in a store that does not exist yet."""
    fresh = scene.place / "fresh"
    fresh.mkdir()
    (fresh / "file").write_text("content")
    env = {"CLEW_HOME": str(scene.place / "new store")}

    def finish(scene: Scene) -> None:
        for words in (("save", "x"), ("check", "--read-data")):
            ran = scene.run(*words, cwd=fresh, env=env)
            if ran.code:
                raise Problem(f"{words[0]} after init exits with {ran.code}: {ran.err[-300:]}")

    return Plan(("init",), cwd=fresh, env=env, finish=finish)


COMMANDS: dict[str, Callable[[Scene, random.Random], Plan]] = {
    "init": _init,
    "save": _save,
    "save --verify": _save_and_verify,
    "restore": _restore,
    "restore, continued": _continue,
    "restore, aborted": _abort,
    "undo": _undo,
    "undo of a save": _undo_clean,
    "redo": _redo,
    "adopt": _adopt,
    "fork": _fork,
    "discard": _discard,
    "gc": _gc,
    "gc --purge": _gc_purge,
    "prune": _prune,
    "delete": _delete,
    "delete --purge": _purge,
    "verify": _verify,
    "exec": _exec,
    "try": _try,
    "bisect": _bisect,
    "check": _check,
    "check --rebuild": _rebuild,
    "hook": _hook,
    "edit": _edit,
    "config": _config,
}
