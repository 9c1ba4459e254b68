"""Plans: a command of each kind, prepared in a scene, and what may be true after it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from torture import edits
from torture.oracle import Tree, differences, read_tree
from torture.protocol import CHANGES, KILL_GROUP, Fault
from torture.scene import Problem, Scene


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
    # In the background, a process of its own derives the story; it is not killed, but races.
    env = {"CLEW_BACKGROUND": rng.choice(("on", "off"))}
    return Plan(("hook", "claude-code"), stdin=json.dumps(event).encode(), env=env)


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

CHAINED = (
    "save", "save --verify", "restore", "gc", "gc --purge", "delete", "verify", "exec", "bisect",
    "check", "hook", "edit", "config",
)  # fmt: skip
"""Commands that can be prepared in any scene, whatever came before."""
