"""A merge gives the same bytes and number of conflicts as `git merge-file`.

`CLEW_TEST_PROFILE=thorough` compares thousands of cases, different ones each time.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from clew.diff.merge_text import merge_text
from tests.diff.edited_texts import (
    Edited,
    crowded_text,
    edited_text,
    long_edited_text,
    shuffled_text,
    unrelated_text,
)
from tests.kit.tools import require

THOROUGH = os.environ.get("CLEW_TEST_PROFILE") == "thorough"
FIRST = Random().randrange(1 << 40) if THOROUGH else 0


def seeds(few: int, many: int) -> range:
    return range(FIRST, FIRST + (many if THOROUGH else few))


GIT = {
    "PATH": os.environ.get("PATH", ""),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_DIR": "/nonexistent",  # an enclosing repository could configure another conflict style
}

MERGE_ALL = """
while read -r number favour; do
  git merge-file -p -q $favour -L ours -L base -L theirs \
    $number.ours $number.base $number.theirs > $number.merged
  echo $? > $number.status
done
"""

MOST = 127
"""The largest number of conflicts that git can report."""


class Case(NamedTuple):
    seed: int
    texts: Edited
    favour: str | None = None


def assert_merged_like_git(cases: list[Case], scratch: Path) -> None:
    """Merge all cases with git, in one shell because starting one is slow, and compare."""
    require("git")
    orders = []
    for number, case in enumerate(cases):
        for name, content in case.texts._asdict().items():
            (scratch / f"{number}.{name}").write_bytes(content)
        orders.append(f"{number} --{case.favour}\n" if case.favour else f"{number}\n")
    subprocess.run(
        ["sh", "-c", MERGE_ALL], input="".join(orders), text=True, cwd=scratch, env=GIT, check=True
    )
    for number, case in enumerate(cases):
        content = (scratch / f"{number}.merged").read_bytes()
        conflicts = int((scratch / f"{number}.status").read_text())
        merged = merge_text(*case.texts, favour=case.favour)

        assert (merged.content, min(merged.conflicts, MOST)) == (content, conflicts), case.seed


def test_short_texts(tmp_path: Path) -> None:
    favours = (None, None, None, None, "ours", "theirs")
    cases = [
        Case(seed, edited_text(seed), favours[seed % len(favours)]) for seed in seeds(300, 6000)
    ]

    assert_merged_like_git(cases, tmp_path)


def test_texts_that_have_little_to_do_with_each_other(tmp_path: Path) -> None:
    cases = [Case(seed, unrelated_text(seed)) for seed in seeds(100, 4000)]

    assert_merged_like_git(cases, tmp_path)


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        pytest.param("101", "00010", "100", id="a group that grew by another moves on"),
        pytest.param("220111122", "1200", "12", id="a conflict of equal lines is none"),
        pytest.param(
            *("2212202102", "212021120", "001120001121"), id="equal lines keep conflicts apart"
        ),
        pytest.param("200", "020102", "010101", id="an edit at the end of the other touches it"),
    ],
)
def test_what_is_seldom_met(base: str, ours: str, theirs: str, tmp_path: Path) -> None:
    texts = Edited(
        *("".join(f"{line}\n" for line in text).encode() for text in (base, ours, theirs))
    )

    assert_merged_like_git([Case(0, texts)], tmp_path)


def test_texts_with_more_differences_than_are_searched_for(tmp_path: Path) -> None:
    cases = [Case(seed, shuffled_text(seed, 1200)) for seed in seeds(2, 60)]

    assert_merged_like_git(cases, tmp_path)


def test_texts_long_enough_to_be_cut_at_a_long_run_of_equal_lines(tmp_path: Path) -> None:
    some = seeds(1, 12) if THOROUGH else [5]  # of the first seeds, 5 detects the most mistakes
    cases = [Case(seed, long_edited_text(seed, 36_000, 6000)) for seed in some]

    assert_merged_like_git(cases, tmp_path)


def test_common_lines_in_a_crowd_of_lines_that_are_nowhere_else(tmp_path: Path) -> None:
    cases = [
        Case(seed, crowded_text(seed, length)) for seed in seeds(20, 300) for length in (100, 1200)
    ]

    assert_merged_like_git(cases, tmp_path)


@pytest.mark.parametrize("content", [b"", b"a", b"a\n", b"a\r\n", b"\n", b"\r\n", b"a\nb"])
def test_texts_that_are_hardly_there(content: bytes, tmp_path: Path) -> None:
    others = (b"", b"x", b"x\n", b"x\r\n", content + b"\n", b"x\n" + content)
    cases = [Case(0, Edited(content, ours, theirs)) for ours in others for theirs in others[:4]]

    assert_merged_like_git(cases, tmp_path)
