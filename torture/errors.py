"""Errors: a call fails, or does half of its work, at each call site of a command.

Call sites come from a traced run: the call, and the four innermost lines of clew that make it.  A
round lets one of them fail with ENOSPC, EIO or EMFILE, or makes a read or write short; ENOSPC may
last, as on a disk that is full.  No success is reported for what was not done, nothing
acknowledged is harmed, and the next command works.
"""

from __future__ import annotations

import errno
import random
from typing import NamedTuple

from torture import edits
from torture.outcome import Outcome, check_all
from torture.plans import COMMANDS
from torture.protocol import (
    ALLOCATES,
    CHANGES,
    FAIL,
    FAIL_ALL,
    OPENS,
    READS,
    SHORT,
    TRACE,
    Fault,
)
from torture.rounds import Bench
from torture.scene import Problem

_ALL = CHANGES | READS | OPENS
_WITH_LENGTH = ("read", "pread", "pread64", "write", "pwrite", "pwrite64")
_LEFT_OUT = ("check --rebuild", "restore, continued", "restore, aborted")
"""Their preparation is random, so call sites of a traced run are not those of a round."""


class Case(NamedTuple):
    """A command, the index of a call, and what happens there."""

    command: str
    fault: Fault
    site: str


class Errors:
    """Rounds of failing calls."""

    units = "failures"

    def __init__(self, bench: Bench) -> None:
        bench.require_shim()
        self._bench = bench
        self._cases: dict[str, list[Case]] = {}
        self._names = [name for name in sorted(COMMANDS) if name not in _LEFT_OUT]

    def run(self, rng: random.Random, number: int) -> int:
        name = self._names[number % len(self._names)]
        cases = self._find_cases(name)
        # The cases of a command are shuffled once and then taken in turn: none comes twice before
        # all have come.
        case = cases[(number // len(self._names)) % len(cases)]
        scene = self._bench.scene()
        fixed = random.Random(name)
        edits.edit(scene.project, fixed)
        plan = COMMANDS[name](scene, fixed)
        before = plan.before or scene.tree()
        scene.guard()
        scene.commands.append(f"call site: {case.site}")
        ran = scene.run(*plan.words, cwd=plan.cwd, env=plan.env, stdin=plan.stdin, fault=case.fault)
        if ran.code < 0:
            raise Problem(f"died of signal {-ran.code}")
        state = Outcome(scene, plan, before, ran.code).settle(rng)
        check_all(scene, rng, set(plan.doomed), [state])
        return int(bool(ran.hit))

    def close(self) -> None: ...

    def _find_cases(self, name: str) -> list[Case]:
        if name not in self._cases:
            scene = self._bench.scene()
            fixed = random.Random(name)
            edits.edit(scene.project, fixed)
            plan = COMMANDS[name](scene, fixed)
            ran = scene.run(
                *plan.words,
                cwd=plan.cwd,
                env=plan.env,
                stdin=plan.stdin,
                fault=Fault(TRACE, 0, _ALL),
            )
            shuffle = random.Random(f"{self._bench.seed} {name}")
            seen: dict[tuple[str, str], list[tuple[int, int]]] = {}
            for index, call, kinds, where in ran.sites:
                seen.setdefault((call, where), []).append((index, kinds))
            cases = [
                Case(name, fault, f"{call} in {where}")
                for (call, where), found in seen.items()
                for fault in _faults(call, *shuffle.choice(found))
            ]
            shuffle.shuffle(cases)
            self._cases[name] = cases
        return self._cases[name]


def _faults(call: str, index: int, kinds: int) -> list[Fault]:
    """Return what may happen at this call."""
    found = [Fault(FAIL, index, _ALL, errno.EIO)]
    if kinds & ALLOCATES:
        found.append(Fault(FAIL, index, _ALL, errno.ENOSPC))
        found.append(Fault(FAIL_ALL, index, _ALL, errno.ENOSPC))
    if kinds & OPENS:
        found.append(Fault(FAIL, index, _ALL, errno.EMFILE))
    if call in _WITH_LENGTH:
        found.append(Fault(SHORT, index, _ALL))
    return found
