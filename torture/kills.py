"""Kills: `kill -9` at a random call or time of every command, and of what finishes a killed one.

A round kills one command that is prepared for it, perhaps the commands after it, and then a few
others in the same scene.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from torture import edits
from torture.migrations import kill_migration
from torture.oracle import Tree
from torture.outcome import Outcome, check_all
from torture.plans import CHAINED, COMMANDS, Plan
from torture.protocol import CHANGES, COUNT, KILL_GROUP, KILL_PROCESS, TORN, Fault, Response
from torture.rounds import Bench
from torture.scene import Scene

_AFTER = (
    ("restore", "--continue"), ("restore", "--abort"), ("save", "after the crash"), ("status",),
    ("log",), ("gc",), ("check",), ("diff",), ("undo", "--yes"), ("prune",),
)  # fmt: skip
_MIGRATE = "migrate"
_TIMED = 0.25
"""Share of kills at a random time; the others are at a random call."""


class Measured(NamedTuple):
    """A command that was not killed."""

    calls: int
    seconds: float


_USUAL = Measured(120, 0.1)


class Kills:
    """Rounds of kills."""

    units = "kills"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._measured: dict[str, Measured] = {}
        self._kills = 0

    def run(self, rng: random.Random, number: int) -> int:
        self._kills = 0
        names = (*sorted(COMMANDS), _MIGRATE)
        name = names[number % len(names)]
        if name == _MIGRATE:
            kill_migration(
                self._bench, rng, lambda scene, words: self._kill(scene, Plan(words), rng)
            )
            return self._kills
        chain = [name, *rng.choices(CHAINED, k=rng.randint(3, 7))]
        for one in chain:
            self._measure(one)
        scene = self._bench.scene()
        doomed: set[str] = set()
        states = []
        for one in chain:
            states.append(self._step(scene, one, rng, doomed))
        check_all(scene, rng, doomed, states)
        return self._kills

    def close(self) -> None: ...

    def _step(self, scene: Scene, name: str, rng: random.Random, doomed: set[str]) -> Tree | None:
        """Kill one command, and perhaps those after it."""
        edits.edit(scene.project, rng)
        plan = COMMANDS[name](scene, rng)
        doomed |= plan.doomed
        before = plan.before or scene.tree()
        scene.guard()
        ran = self._kill(scene, plan, rng, self._measured[name])
        outcome = Outcome(scene, plan, before, ran.code)
        while ran.code == -9 and rng.random() < 0.4:
            words = rng.choice((*_AFTER, plan.words))
            ran = self._kill(scene, Plan(words), rng)
            outcome.note(words, ran.code)
            scene.check_outside()
        return outcome.settle(rng)

    def _kill(
        self, scene: Scene, plan: Plan, rng: random.Random, measured: Measured = _USUAL
    ) -> Response:
        share, is_group = rng.random(), rng.random() < 0.5
        action = rng.choice((KILL_PROCESS, KILL_GROUP, KILL_GROUP, TORN))
        if self._bench.shim is None or rng.random() < _TIMED:
            ran = scene.run(
                *plan.words, cwd=plan.cwd, env=plan.env, stdin=plan.stdin,
                kill_after=share * measured.seconds * 1.1, kills_group=is_group,
            )  # fmt: skip
        else:
            fault = Fault(action, 1 + int(share * measured.calls), CHANGES)
            ran = scene.run(*plan.words, cwd=plan.cwd, env=plan.env, stdin=plan.stdin, fault=fault)
        self._kills += ran.code == -9
        return ran

    def _measure(self, name: str) -> None:
        """Count the calls of a command that is not killed; from the template, so that it repeats."""
        if name in self._measured:
            return
        scene = self._bench.scene()
        rng = random.Random(name)
        edits.edit(scene.project, rng)
        plan = COMMANDS[name](scene, rng)
        fault = Fault(COUNT, 0, CHANGES)
        ran = scene.run(*plan.words, cwd=plan.cwd, env=plan.env, stdin=plan.stdin, fault=fault)
        self._measured[name] = Measured(max(ran.calls, 1), ran.seconds)
