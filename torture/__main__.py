"""`make torture`: run rounds of each kind for some minutes, print the figures.

Exit code 0 if no promise was broken, 1 if one was, 2 if a kind was asked for that cannot run here.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import itertools
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import NamedTuple

from torture.clocks import Clocks
from torture.errors import Errors
from torture.flips import Flips
from torture.kills import Kills
from torture.power import Power
from torture.races import Races
from torture.rounds import Bench, Kind, Skipped, die_with_parent
from torture.scene import Problem

KINDS: dict[str, Callable[[Bench], Kind]] = {
    "kills": Kills,
    "power": Power,
    "errors": Errors,
    "races": Races,
    "flips": Flips,
    "clocks": Clocks,
}


_NEW_MOUNTS, _RECURSIVE, _PRIVATE = 0x20000, 0x4000, 0x40000


class Result(NamedTuple):
    """The end of one round; `problem` is empty if every promise was kept."""

    kind: str
    number: int
    units: int
    seconds: float
    cpu_seconds: float
    problem: str = ""
    is_loss: bool = False
    skipped: str = ""


class Total:
    """Sums of one kind."""

    def __init__(self) -> None:
        self.rounds = self.units = self.faults = self.losses = 0
        self.seconds = self.cpu_seconds = 0.0
        self.skipped = ""

    def add(self, result: Result) -> None:
        self.rounds += not result.skipped
        self.units += result.units
        self.seconds += result.seconds
        self.cpu_seconds += result.cpu_seconds
        self.faults += bool(result.problem)
        self.losses += result.is_loss
        self.skipped = result.skipped or self.skipped


def main(words: list[str] | None = None) -> int:
    options = _options(words)
    signal.signal(signal.SIGTERM, _interrupt)
    _leave_mounts()
    kinds = options.only or list(KINDS)
    totals = {kind: Total() for kind in kinds}
    started = time.monotonic()
    with contextlib.suppress(KeyboardInterrupt):  # the figures so far are worth printing
        _run(options, kinds, totals)
    print(_table(totals))
    print(
        f"{time.monotonic() - started:.0f} seconds, {options.jobs} workers, --seed {options.seed}"
    )
    if any(total.faults for total in totals.values()):
        return 1
    return 2 if options.only and any(total.skipped for total in totals.values()) else 0


def _interrupt(*_: object) -> None:
    """End like Ctrl-C, with the figures so far; a shell's background jobs ignore that signal."""
    raise KeyboardInterrupt


def _run(options: argparse.Namespace, kinds: list[str], totals: dict[str, Total]) -> None:
    for result in _results(options, kinds):
        totals[result.kind].add(result)
        if result.problem:
            _report(result, options.seed)
        elif options.verbose:
            print(
                f"{result.kind} {result.number}: {result.units} in {result.seconds:.2f} s",
                flush=True,
            )


def _options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--seed", default="1", help="seed of all random choices (default 1)")
    parser.add_argument("--minutes", type=float, default=5, help="how long to run (default 5)")
    parser.add_argument("--rounds", type=int, help="rounds of each kind, instead of --minutes")
    parser.add_argument("--round", type=int, help="repeat one round of the kind that --only names")
    parser.add_argument(
        "--only", action="append", choices=list(KINDS), help="run this kind (may be repeated)"
    )
    parser.add_argument("--cuts", type=int, default=10, help="cuts in a round of power")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="workers in parallel")
    parser.add_argument("--dir", help="where to work (default /dev/shm)")
    parser.add_argument("--verbose", action="store_true", help="print a line for each round")
    options = parser.parse_args(words)
    if options.round is not None:
        if not options.only or len(options.only) != 1:
            parser.error("--round needs one --only")
        options.jobs = 1
    return options


def _results(options: argparse.Namespace, kinds: list[str]) -> Iterator[Result]:
    """Yield the results of all workers, as they come."""
    where = options.dir or ("/dev/shm" if os.path.isdir("/dev/shm") else None)
    scratch = Path(tempfile.mkdtemp(prefix="clew-torture-", dir=where))
    context = multiprocessing.get_context("fork")
    queue: SimpleQueue[Result | None] = context.SimpleQueue()
    workers = [
        context.Process(target=_work, args=(index, options, kinds, scratch, queue))
        for index in range(options.jobs)
    ]
    try:
        for worker in workers:
            worker.start()
        running = len(workers)
        while running:
            result = queue.get()
            if result is None:
                running -= 1
            else:
                yield result
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            worker.kill()  # has an effect only if this process was interrupted
        shutil.rmtree(scratch, ignore_errors=True)


def _leave_mounts() -> None:
    """Take a private mount namespace, where allowed: mounts then end with the run."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_MOUNTS) == 0:
        libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None)


def _work(
    index: int,
    options: argparse.Namespace,
    kinds: list[str],
    scratch: Path,
    queue: SimpleQueue[Result | None],
) -> None:
    """Run every `jobs`th round of each kind; kinds take turns by the time they have used."""
    die_with_parent()
    _leave_mounts()  # a worker sees only the mounts of its own rounds
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    place = scratch / f"worker-{index}"
    place.mkdir()
    bench = Bench(place, options.seed, options.cuts)
    spent = dict.fromkeys(kinds, 0.0)
    numbers = {kind: _numbers(index, options) for kind in kinds}
    made: dict[str, Kind] = {}
    deadline = time.monotonic() + options.minutes * 60
    by_time = options.rounds is None and options.round is None
    try:
        while spent and (not by_time or time.monotonic() < deadline):
            kind = min(spent, key=lambda name: spent[name])
            number = next(numbers[kind], None)
            if number is None:
                del spent[kind]
                continue
            result = _round(bench, made, kind, number, options.seed)
            queue.put(result)
            spent[kind] += result.seconds
            if result.skipped:
                del spent[kind]
    finally:
        for found in made.values():
            found.close()
        bench.close()
        queue.put(None)


def _numbers(index: int, options: argparse.Namespace) -> Iterator[int]:
    if options.round is not None:
        return iter((options.round,))
    if options.rounds is not None:
        return iter(range(index, options.rounds, options.jobs))
    return itertools.count(index, options.jobs)


def _round(bench: Bench, made: dict[str, Kind], kind: str, number: int, seed: str) -> Result:
    started, cpu_started = time.monotonic(), bench.cpu_seconds()
    problem, is_loss, skipped, units = "", False, "", 0
    try:
        if kind not in made:
            made[kind] = KINDS[kind](bench)
        units = made[kind].run(random.Random(f"{seed} {kind} {number}"), number)
    except Skipped as error:
        skipped = str(error)
    except Problem as error:
        problem, is_loss = str(error), error.is_loss
    except Exception:  # noqa: BLE001 - a fault of the torture itself; the other kinds go on
        problem = traceback.format_exc()
        skipped = "the torture itself failed"
    if problem:
        problem = "\n    ".join((problem, *bench.commands()))
    seconds, cpu_seconds = time.monotonic() - started, bench.cpu_seconds() - cpu_started
    return Result(kind, number, units, seconds, cpu_seconds, problem, is_loss, skipped)


def _report(result: Result, seed: str) -> None:
    what = "LOSS" if result.is_loss else "FAULT"
    print(f"{what} in round {result.number} of {result.kind}: {result.problem}")
    print(f"  repeat: python -m torture --seed {seed} --only {result.kind} --round {result.number}")
    sys.stdout.flush()


def _table(totals: dict[str, Total]) -> str:
    lines = [
        "",
        "| kind | rounds | counted | faults | losses | seconds | of a processor |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, total in totals.items():
        if total.skipped:
            lines.append(f"| {kind} | skipped: {total.skipped} | | | | | |")
        if not total.rounds:
            continue
        units = getattr(KINDS[kind], "units", "rounds")
        lines.append(
            f"| {kind} | {total.rounds:,} | {total.units:,} {units} | {total.faults} "
            f"| {total.losses} | {total.seconds:.0f} | {total.cpu_seconds:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
