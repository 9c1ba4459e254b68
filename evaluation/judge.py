"""Judge: compares reported facts with true ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from typing import NamedTuple

import clew
from clew.model.fact import Fact, Severity
from clew.model.story import HEADLINE_LIMIT, Story
from evaluation.place import Place, machine, project
from evaluation.recording import Recording, record
from evaluation.scenario import Scenario, Told

_LIVE = ("port.opened", "process.started")
"""Counted only where a truth source covers it: a disposable machine shares its processes with the host."""

_UNVERIFIED = ("code.symbols",)
"""Not counted: no tool of these scenarios lists definitions; tests/detectors/test_definitions.py does."""


class Verdict(NamedTuple):
    """The result of one scenario."""

    scenario: Scenario
    story: Story
    right: tuple[Told, ...]
    missed: tuple[Told, ...]
    invented: tuple[Told, ...]
    warned: tuple[str, ...]
    """Subjects of high facts."""
    unwarned: tuple[str, ...]
    """Subjects that should have a warning and have none."""
    misplaced: int
    """Changed paths that are not in exactly one line."""
    explained: int
    """Changed paths that a detector explains, rather than the roll-up."""
    leaks: tuple[str, ...]
    """Outputs in which a canary was found."""
    blog: str
    """The label that `git diff --name-status HEAD` would give."""
    seconds: float
    recording: Recording

    @property
    def is_clean(self) -> bool:
        wrong = self.missed or self.invented or self.unwarned or self.leaks or self.misplaced
        loud = self.scenario.benign and self.warned
        words = all(word in self.story.headline for word in self.scenario.headline)
        return not wrong and not loud and words and len(self.story.headline) <= HEADLINE_LIMIT


def judge(scenario: Scenario) -> Verdict:
    """Run one scenario in its own place."""
    with machine() if scenario.machine else project() as place:
        return _judge(scenario, place)


def _judge(scenario: Scenario, place: Place) -> Verdict:
    act = scenario.act(place)
    next(act)
    before = [truth.look(place) for truth in scenario.truths]
    workspace, _ = clew.init(place.root, store=place.around / "store", machine=place.machine)
    with workspace:
        first = workspace.save("before").checkpoint
        for _ in act:
            pass
        blog = _blog_label(place)
        after = [truth.look(place) for truth in scenario.truths]
        second = workspace.save("after").checkpoint
        live = any(kind in _LIVE for truth in scenario.truths for kind in truth.kinds)
        recording, seconds = record(workspace, first, second, live=live)
        story = recording.story
        leaks = leaks_in(place, story)
    expected = set(scenario.expected)
    for truth, old, new in zip(scenario.truths, before, after, strict=True):
        expected |= truth.facts(old, new)
    right, missed, invented = _compared(story.facts, expected, scenario.ignored)
    warned = tuple(fact.subject for fact in story.facts if fact.severity == Severity.HIGH)
    return Verdict(
        scenario, story, right, missed, invented, warned,
        tuple(sorted(scenario.warnings - set(warned))), *recording.coverage, leaks, blog, seconds,
        recording,
    )  # fmt: skip


def _compared(
    facts: Iterable[Fact], expected: set[Told], ignored: tuple[str, ...]
) -> tuple[tuple[Told, ...], tuple[Told, ...], tuple[Told, ...]]:
    told = {
        (fact.kind, fact.scope, fact.subject, fact.before, fact.after)
        for fact in facts
        if (not fact.kind.startswith(ignored) or not ignored) and fact.kind not in _UNVERIFIED
    }
    right = {one for one in told if one in expected or _loosely(one) in expected}
    missed = {one for one in expected if one not in told and one not in map(_loosely, told)}
    return (
        tuple(sorted(right, key=str)),
        tuple(sorted(missed, key=str)),
        tuple(sorted(told - right, key=str)),
    )


def _loosely(told: Told) -> Told:
    """Return a fact without before and after, for a truth source that does not know them."""
    return (*told[:3], None, None)


def leaks_in(place: Place, story: Story) -> tuple[str, ...]:
    """Return the outputs in which a canary is readable."""
    if not place.canaries:
        return ()
    found = []
    for words in (
        ["log"], ["log", "--json"], ["show", "@", "--paths"], ["show", "@", "--json", "--paths"],
        ["status"], ["diff", "@~1", "@", "--facts"], ["diff", "@~1", "@", "--json"],
        ["diff", "@~1", "@", "--patch"], ["diff", "@~1", "@"],
    ):  # fmt: skip
        command = [
            sys.executable,
            "-m",
            "clew",
            "-C",
            str(place.root),
            "--store",
            str(place.around / "store"),
        ]
        done = subprocess.run([*command, *words], capture_output=True, check=False)
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        if any(canary in text for canary in place.canaries):
            found.append(" ".join(words))
    if any(canary in repr(story) for canary in place.canaries):
        found.append("facts")
    return tuple(found)


def _blog_label(place: Place) -> str:
    """Return the label that a comment and `git diff` would give."""
    if not (place.root / ".git").exists():
        return "(no repository: nothing)"
    done = subprocess.run(
        ["git", "-C", str(place.root), "diff", "--name-status", "HEAD"],
        capture_output=True, text=True, errors="replace", check=False,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},  # it must not refresh the index
    )  # fmt: skip
    lines = done.stdout.splitlines()
    return (
        ", ".join(" ".join(line.split()) for line in lines[:3]) + (" …" if len(lines) > 3 else "")
        or "(empty)"
    )
