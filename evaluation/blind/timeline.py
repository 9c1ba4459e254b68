"""Timelines: random events, each saved with an intent that says nothing."""

from __future__ import annotations

import random
from typing import NamedTuple

import clew
from evaluation.blind import events
from evaluation.blind.answer import Question, answer
from evaluation.blind.events import Event
from evaluation.blind.project import (
    FOLDERS,
    KEYS,
    PACKAGES,
    SERVICES,
    TABLES,
    TESTS,
    make_project,
)
from evaluation.place import project

INTENTS = ("wip", "fix", "", "try again", "stuff", "more", "update", "next")
LENGTH = 24
"""Checkpoints of a timeline, without the first."""
_NOISE = 10
"""Of these, those about which nothing is asked."""
_TWO_AT_ONCE = 0.35
"""Share of events that a harmless change accompanies."""


class Asked(NamedTuple):
    """A question about a timeline, the right answer, and the one that was given."""

    question: Question
    right: int
    given: int
    headlines: tuple[str, ...]


def ask_timeline(seed: int) -> list[Asked]:
    """Make one timeline, and ask all questions about it."""
    rng = random.Random(f"timeline {seed}")
    planned = _plan(rng)
    questions: list[tuple[Question, int]] = []
    with project() as place:
        make_project(place)
        workspace, _ = clew.init(place.root, store=place.around / "store")
        with workspace:
            workspace.save("start")
            for at, (event, thing) in enumerate(planned, start=1):
                found = event(place, rng, thing)
                if found and rng.random() < _TWO_AT_ONCE:
                    noise, other = rng.choice(_noise(rng))
                    noise(place, rng, other)
                workspace.save(rng.choice(INTENTS))
                questions += [(one, at - 1 if one.before else at) for one in found]
            log = list(workspace.log(limit=None).checkpoints)
    log.sort(key=lambda one: one.record.sequence)
    headlines = tuple(one.headline or "" for one in log)
    return [
        Asked(question, right, answer(headlines, question), headlines)
        for question, right in questions
    ]


def _plan(rng: random.Random) -> list[tuple[Event, str]]:
    """Choose events that can follow each other: each thing is in one of them."""
    tables, packages = rng.sample(TABLES, 4), rng.sample(PACKAGES, 4)
    folders, tests, keys = rng.sample(FOLDERS, 3), rng.sample(TESTS, 2), rng.sample(KEYS[:3], 2)
    possible: list[tuple[Event, str]] = [
        (events.drop_table, tables[0]), (events.delete_rows, tables[1]),
        (events.add_column, tables[2]), (events.upgrade, packages[0]),
        (events.downgrade, packages[1]), (events.remove_package, packages[2]),
        (events.delete_folder, folders[0]), (events.move_folder, folders[1]),
        (events.skip_tests, tests[0]), (events.delete_tests, tests[1]),
        (events.add_key, rng.choice(KEYS[3:])), (events.remove_key, keys[0]),
        (events.change_setting, rng.choice(KEYS)), (events.add_service, SERVICES[3]),
        (events.cut_records, "prices"), (events.conflict, str(rng.randrange(1, 21))),
        (events.other_registry, "pip"),
    ]  # fmt: skip
    chosen = rng.sample(possible, LENGTH - _NOISE)
    chosen += [rng.choice(_noise(rng)) for _ in range(_NOISE)]
    rng.shuffle(chosen)
    return chosen


def _noise(rng: random.Random) -> list[tuple[Event, str]]:
    number = str(rng.randrange(1, 21))
    return [
        (events.commit, number), (events.edit_source, number), (events.grow_log, "server"),
        (events.write_notes, ""), (events.insert_rows, rng.choice(TABLES)),
        (events.clear_cache, "app"),
    ]  # fmt: skip
