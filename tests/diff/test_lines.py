"""Edits make the new text, and are found in near-linear time."""

from __future__ import annotations

import random
import time
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.diff import lines
from clew.diff.edits import Edit
from clew.diff.lines import line_edits

TEXTS = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"f"]), max_size=30)


def assert_sound(old: list[bytes], new: list[bytes], edits: list[Edit]) -> None:
    """The edits, applied to the old text, make the new one, and none touches the next."""
    made: list[bytes] = []
    at = -1
    for edit in edits:
        assert edit.old > at
        made += [*old[max(at, 0) : edit.old], *new[edit.new : edit.new_end]]
        at = edit.old_end
    assert made + old[max(at, 0) :] == new


def kept(old: list[bytes], new: list[bytes]) -> int:
    return len(old) - sum(edit.old_end - edit.old for edit in line_edits(old, new))


@given(TEXTS, TEXTS)
@settings(max_examples=100)
def test_edits_make_the_new_text(old: list[bytes], new: list[bytes]) -> None:
    assert_sound(old, new, line_edits(old, new))


@pytest.mark.parametrize(("small", "budget"), [(0, 0), (1, 100), (9, 40)])
def test_edits_are_sound_however_little_is_searched(
    small: int, budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_SMALL", small)
    monkeypatch.setattr(lines, "_BUDGET", budget)
    chance = random.Random(1)
    for _ in range(300):
        old, new = (
            [b"%d" % chance.randrange(12) for _ in range(chance.randrange(20))] for _ in "ab"
        )
        assert_sound(old, new, line_edits(old, new))


def test_short_texts_keep_no_fewer_lines_than_difflib_keeps() -> None:
    old = [b"%d" % (at * 7 % 11) for at in range(100)]
    new = [b"x", *old[5:40], b"y", *old[42:], b"z"]
    ratio = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()

    assert kept(old, new) >= sum(part.size for part in ratio)


def test_a_long_text_with_scattered_edits_keeps_all_other_lines() -> None:
    old = [b"line %d" % at for at in range(50_000)]
    new = [b"changed" if at % 100 == 50 else line for at, line in enumerate(old)]

    assert kept(old, new) == 49_500


def noise(choices: int, seed: int, length: int = 50_000) -> list[bytes]:
    chance = random.Random(seed)
    return [b"%d" % chance.randrange(choices) for _ in range(length)]


HOSTILE = {
    "every second line changed": (
        [b"%d" % at if at % 2 else b"x" for at in range(50_000)],
        [b"-%d" % at if at % 2 else b"x" for at in range(50_000)],
    ),
    "every second line changed, the rest unique": (
        [b"%d" % at if at % 2 else b"u%d" % at for at in range(50_000)],
        [b"-%d" % at if at % 2 else b"u%d" % at for at in range(50_000)],
    ),
    "reversed": ([b"%d" % at for at in range(50_000)], [b"%d" % at for at in range(50_000)][::-1]),
    "two lines, over and over": (noise(2, 1), noise(2, 2)),
    "a thousand lines, over and over": (noise(1000, 1), noise(1000, 2)),
    "one line": ([b"a"] * 50_000, [b"a"] * 25_000 + [b"b"] + [b"a"] * 25_000),
    "stretches that are just small enough": (
        [line for at in range(250) for line in (b"S%d" % at, *noise(3, at, 190))],
        [line for at in range(250) for line in (b"S%d" % at, *noise(3, at + 999, 190))],
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_makes_it_slow(name: str) -> None:
    old, new = HOSTILE[name]
    started = time.process_time()
    edits = line_edits(old, new)

    assert time.process_time() - started < 3  # takes under 0.8 s; a full search takes minutes
    assert_sound(old, new, edits)
