"""Patterns in a child process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from clew.worktree.pattern_child import BadPattern, PatternChild, TooSlow

SLOW = b"a" * 60 + b"c"


@contextmanager
def matching(pattern: str, *, seconds: float = 2.0) -> Iterator[PatternChild]:
    child = PatternChild(pattern, seconds=seconds)
    try:
        yield child
    finally:
        child.close()


def test_lines_with_matches_are_returned_with_their_spans() -> None:
    with matching("b+") as child:
        assert child.search(b"abba\nx\nb b") == [(0, [(1, 3)]), (2, [(0, 1), (2, 3)])]
        assert child.search(b"") == []


def test_a_slow_pattern_is_stopped_and_the_next_text_is_searched() -> None:
    with matching("(a+)+b", seconds=0.1) as child:
        with pytest.raises(TooSlow):
            child.search(SLOW)
        assert child.search(b"aab") == [(0, [(0, 3)])]


def test_a_pattern_that_is_none_is_reported_by_the_child() -> None:
    with pytest.raises(BadPattern, match="unterminated subpattern"):
        PatternChild("((")


def test_a_process_with_threads_starts_a_new_python() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        with matching("x") as child:
            assert child.search(b"ax") == [(0, [(1, 2)])]
    finally:
        done.set()
        thread.join()


def test_a_text_of_some_megabytes_passes_in_both_directions() -> None:
    text = b"x\n" * 500_000

    with matching("x") as child:
        assert len(child.search(text)) == 500_001 - 1
