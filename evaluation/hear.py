"""Hear: compares the words of a story with the claims of a variant."""

from __future__ import annotations

import time
from typing import NamedTuple

import clew
from clew.model.fact import Severity
from clew.model.story import Story
from evaluation.judge import leaks_in
from evaluation.place import machine, project
from evaluation.recording import record
from evaluation.variant import Claims, Variant, Words


class Heard(NamedTuple):
    """The result of one variant."""

    variant: Variant
    story: Story
    told: tuple[Words, ...]
    missed: tuple[Words, ...]
    unwarned: tuple[Words, ...]
    warned: tuple[Words, ...]
    headline_lacks: tuple[str, ...]
    false: tuple[str, ...]
    """Lines with a word that is false, and warnings about a benign change."""
    leaks: tuple[str, ...]
    seconds: float
    """Processor time of the analysis."""

    @property
    def is_right(self) -> bool:
        wrong = self.missed or self.unwarned or self.headline_lacks or self.false or self.leaks
        return not wrong


def hear(variant: Variant) -> Heard:
    """Make the change of a variant in its own place, and listen to the story."""
    with machine() if variant.machine else project() as place:
        claims = Claims()
        act = variant.act(place, claims)
        next(act)
        workspace, _ = clew.init(place.root, store=place.around / "store", machine=place.machine)
        with workspace:
            first = workspace.save("before").checkpoint
            for _ in act:
                pass
            second = workspace.save("after").checkpoint
            started = time.process_time()
            recording, _ = record(workspace, first, second, live=False)
            seconds = time.process_time() - started
            leaks = leaks_in(place, recording.story)
    return compare(variant, claims, recording.story, leaks, seconds)


def compare(
    variant: Variant, claims: Claims, story: Story, leaks: tuple[str, ...], seconds: float
) -> Heard:
    """Compare a story with what had to be told."""
    lines = [line.text for line in story.lines]
    loud = [line.text for line in story.lines if line.severity == Severity.HIGH]
    everything = [story.headline, *lines]
    told = tuple(words for words in claims.says if _is_told(words, lines))
    warned = tuple(words for words in claims.warns if _is_told(words, loud))
    false = [line for line in everything if any(_has(line, word) for word in claims.never)]
    if variant.benign:
        false += [f"warning: {line}" for line in loud]
    return Heard(
        variant, story, told,
        tuple(words for words in claims.says if words not in told),
        tuple(words for words in claims.warns if words not in warned), warned,
        tuple(word for word in claims.headline if not _has(story.headline, word)),
        tuple(false), leaks, seconds,
    )  # fmt: skip


def _is_told(words: Words, lines: list[str]) -> bool:
    return any(all(_has(line, word) for word in words) for line in lines)


def _has(line: str, word: str) -> bool:
    """Return whether a line contains a word, or one of several as in `deleted|gone`."""
    folded = line.casefold().replace(",", "")
    return any(one.casefold() in folded for one in word.split("|"))
