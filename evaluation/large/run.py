"""Run the large changes with the worker of a save, and print what each story cost.

`--busy` starts as many busy processes as the machine has processors, twice: the story must not differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from resource import RUSAGE_CHILDREN, getrusage

import clew
from clew.model.record import Origin
from clew.model.story import Story
from clew.operations.history.story import story_between, story_side
from evaluation.hear import compare
from evaluation.large.changes import LARGE
from evaluation.place import machine, project
from evaluation.selection import select
from evaluation.variant import Claims, Variant, VariantAct

_LIMIT = 1.0
"""Processor seconds for each 10,000 changed paths."""
_BASE = 2.0
"""Processor seconds for a change of few paths, such as a large database."""


def run_large(words: list[str], is_busy: bool) -> int:
    """Tell the story of each large change; return 1 if one is incomplete or too expensive."""
    failed = 0
    wanted = select([name for name, _, _ in LARGE], words)
    with _busy() if is_busy else _quiet():
        for name, needs_machine, act in LARGE:
            if name in wanted:
                failed += not _tell(name, needs_machine, act)
    return 1 if failed else 0


def _tell(name: str, needs_machine: bool, act: VariantAct) -> bool:
    print(f"running {name}", file=sys.stderr, flush=True)
    claims = Claims()
    with machine() if needs_machine else project() as place:
        steps = act(place, claims)
        next(steps)
        workspace, _ = clew.init(place.root, store=place.around / "store", machine=place.machine)
        with workspace:
            workspace.save("before", origin=Origin.HOOK)
            for _ in steps:
                pass
            after = workspace.save("after", origin=Origin.HOOK).checkpoint
            context = workspace._access.context  # a measurement needs the internals
            assert after.record.parent is not None
            before = context.find(after.record.parent)
            used, began = getrusage(RUSAGE_CHILDREN), time.monotonic()
            story = story_between(context, story_side(context, before), story_side(context, after))
            seconds = _processor_seconds() - (used.ru_utime + used.ru_stime)
            waited = time.monotonic() - began
    variant = Variant("large", name, act, needs_machine, False, "")
    heard = compare(variant, claims, story, (), seconds)
    allowed = _BASE + _LIMIT * story.changed_paths / 10_000
    is_right = heard.is_right and not story.is_cut and seconds <= allowed
    print(f"{'✔' if is_right else '✘'} {name}")
    print(f"        clew      {story.headline}")
    print(f"        {_figures(story, seconds, waited)}", flush=True)
    for fact in story.facts:
        if fact.kind == "detector.failed":
            print(f"        {fact.scope}: {fact.subject} {fact.after or ''}".rstrip())
    for groups in (heard.missed, heard.unwarned):
        for group in groups:
            print(f"        missed    {', '.join(group)}")
    for word in heard.headline_lacks:
        print(f"        headline lacks {word!r}")
    return is_right


def _figures(story: Story, seconds: float, waited: float) -> str:
    each = seconds / max(story.changed_paths, 1) * 10_000
    cut = "; CUT SHORT" if story.is_cut else ""
    return (
        f"{story.changed_paths:,} paths, {seconds:.2f} s of processor time,"
        f" {each:.2f} s for 10,000 paths, {waited:.1f} s on the clock{cut}"
    )


def _processor_seconds() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _quiet() -> Iterator[None]:
    yield


@contextmanager
def _busy() -> Iterator[None]:
    count = 2 * (os.cpu_count() or 1)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
