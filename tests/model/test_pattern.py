"""Exclude patterns: matching, validation, and linear run time for every name."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.pattern import Patterns, check_pattern


def excluded(pattern: bytes, *paths: bytes, is_directory: bool = False) -> list[bytes]:
    patterns = Patterns([pattern])
    return [path for path in paths if patterns.excludes(path, is_directory)]


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        (
            b"node_modules",
            [b"node_modules", b"a/b/node_modules"],
            [b"node_modules2", b"node_modules/x"],
        ),
        (b"*.log", [b"x.log", b"a/x.log", b".log"], [b"x.log.1", b"x.log/y"]),
        (b"/dist", [b"dist"], [b"a/dist", b"dist/x"]),
        (b"a/b", [b"a/b"], [b"x/a/b", b"b", b"a/b/c", b"a"]),
        (b"/a/b", [b"a/b"], [b"x/a/b"]),
        (b"a/*", [b"a/b", b"a/.x"], [b"a", b"a/b/c", b"x/a/b"]),
        (b"a/*/c", [b"a/b/c"], [b"a/c", b"a/b/b/c"]),
        (b"/*.txt", [b"x.txt"], [b"a/x.txt"]),
        (b"?", [b"x", b"a/\xff"], [b"xy", b"/"]),
        (b"a?b", [b"axb"], [b"ab", b"a/b"]),
        (b"[abc]", [b"a", b"x/c"], [b"d", b"ab"]),
        (b"[!abc]", [b"d", b"!"], [b"a"]),
        (b"[^abc]", [b"d"], [b"a"]),
        (b"[a-c]x", [b"bx"], [b"dx", b"-x"]),
        (b"[c-a]x", [], [b"ax", b"bx", b"cx"]),
        (b"[]x]", [b"]", b"x"], [b"[", b"y"]),
        (b"[!]x]", [b"[", b"y"], [b"]", b"x"]),
        (b"[-a]", [b"-", b"a"], [b"b"]),
        (b"[a-]", [b"-", b"a"], [b"b"]),
        (b"[[:x]", [b"[", b":", b"x"], [b"a"]),
        (b"[ab", [b"[ab"], [b"a"]),
        (b"[]", [b"[]"], [b"]"]),
        (b"/a[+-9]b", [b"a+b", b"a5b"], [b"a/b"]),  # the range spans the slash
        (b"/a[!x]b", [b"a+b"], [b"a/b", b"axb"]),
        (b"**", [b"a", b"a/b"], []),
        (b"**/x", [b"x", b"a/x", b"a/b/x"], [b"x/a", b"ax"]),
        (b"a/**", [b"a/b", b"a/b/c"], [b"a", b"ab/c"]),
        (b"a/**/b", [b"a/b", b"a/x/b", b"a/x/y/b", b"a/b/b"], [b"ab", b"a/xb", b"x/a/b", b"a/b/c"]),
        (b"**/a/b/**/c", [b"a/b/c", b"x/a/b/y/c", b"a/x/a/b/c"], [b"a/c", b"a/x/b/c"]),
        (b"**/a/**", [b"a/b", b"x/a/y/z"], [b"a", b"x/a"]),
        (b"**/*.log", [b"x.log", b"a/b/x.log"], [b"x.log/y"]),
        (b"**/**/x", [b"x", b"a/x"], [b"xy"]),
        (b"/**", [b"a", b"a/b"], []),
        (b"a**b", [b"ab", b"axxb"], [b"a/b"]),  # inside a name just a star
        (b"a*b*c", [b"abc", b"aXbXc", b"abbcc"], [b"acb", b"abcd"]),
        (b"*a", [b"a", b"aa", b"ba"], [b"ab"]),
        (b"a*a", [b"aa", b"aba"], [b"a"]),
        (b"\\*", [b"*", b"x/*"], [b"a"]),
        (b"\\!x", [b"!x"], [b"x"]),
        (b"\\\\", [b"\\"], []),
        (b"x\\y", [b"xy"], [b"x\\y"]),
        (b"a.b", [b"a.b"], [b"axb"]),
        (b"a\nb*", [b"a\nb", b"a\nb\n"], [b"a b"]),
        (b"x", [b"x"], [b"x\n", b"X"]),
        (b"?x", [b"\nx"], [b"x"]),
        (b"\xff*", [b"\xff", b"\xff\xfe"], [b"\xfe"]),
        (b" ", [b" "], [b""]),
        (b"#x", [b"#x"], []),
    ],
)
def test_a_pattern_matches_as_documented(
    pattern: bytes, matching: list[bytes], others: list[bytes]
) -> None:
    assert excluded(pattern, *matching, *others) == matching
    assert excluded(pattern, *matching, *others, is_directory=True) == matching


@pytest.mark.parametrize("pattern", [b"build/", b"/build/", b"b*/", b"**/build/"])
def test_a_slash_at_the_end_asks_for_directories(pattern: bytes) -> None:
    assert excluded(pattern, b"build") == []
    assert excluded(pattern, b"build", is_directory=True) == [b"build"]


def test_a_slash_at_the_end_does_not_anchor() -> None:
    assert excluded(b"build/", b"a/build", is_directory=True) == [b"a/build"]
    assert excluded(b"/build/", b"a/build", is_directory=True) == []


def test_only_the_entry_itself_is_asked_about_unless_covers_is_called() -> None:
    patterns = Patterns([b"node_modules/", b"/a/*/c"])

    assert not patterns.excludes(b"x/node_modules/y", False)
    assert patterns.covers(b"x/node_modules/y")
    assert patterns.covers(b"a/b/c/d/e")
    assert patterns.covers(b"a/b/c")
    assert not patterns.covers(b"a/b/d/c")


def test_covers_takes_what_is_above_for_directories_and_the_path_for_what_it_is() -> None:
    patterns = Patterns([b"build/"])

    assert not patterns.covers(b"x/build")
    assert patterns.covers(b"x/build", is_directory=True)
    assert patterns.covers(b"build/x")


def test_several_patterns_exclude_what_any_of_them_does() -> None:
    patterns = Patterns([b"*.log", b"/dist", b"tmp/", b"a/**/b", b"plain"])
    paths = [b"x.log", b"dist", b"tmp", b"a/x/b", b"q/plain", b"x/dist", b"b"]

    assert [path for path in paths if patterns.excludes(path, False)] == [
        b"x.log",
        b"dist",
        b"a/x/b",
        b"q/plain",
    ]
    assert patterns.excludes(b"tmp", True)


@pytest.mark.parametrize("pattern", [b"*", b"**", b"/**", b"?", b"*/"])
def test_the_root_is_never_excluded(pattern: bytes) -> None:
    assert excluded(pattern, b"", is_directory=True) == []


def test_no_patterns_are_false_and_exclude_nothing() -> None:
    patterns = Patterns()

    assert not patterns
    assert Patterns([b"x"])
    assert not patterns.excludes(b"x", False)
    assert not patterns.covers(b"x/y")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"", "empty"),
        (b"/", "empty"),
        (b"//", "empty"),
        (b"//a", "empty name"),
        (b"a//b", "empty name"),
        (b"a//", "empty name"),
        (b"..", r"\. or \.\."),
        (b"../x", r"\. or \.\."),
        (b"a/../b", r"\. or \.\."),
        (b"./a", r"\. or \.\."),
        (b"/.", r"\. or \.\."),
        (b"a\x00", "NUL"),
        (b"!a", "negated"),
        (b"a\\", "backslash"),
        (b"a\\/b", "backslash"),
        (b"a\\/", "backslash"),
    ],
)
def test_a_pattern_that_could_never_match_is_refused(pattern: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        check_pattern(pattern)
    with pytest.raises(ValueError, match=reason):
        Patterns([b"good", pattern])


COMPONENTS = st.sampled_from(
    ["a", "b", "ab", "*", "?", "**", "a*", "*b", "a*b", "[ab]", "[!a]", "?*"]
)
PATHS = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=5)


def naive(components: list[str], names: list[str]) -> bool:
    """Match a path name by name: a slow reference implementation."""
    if not components:
        return not names
    first, *rest = components
    if first == "**":
        if not rest:
            return bool(names)
        return any(naive(rest, names[at:]) for at in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], first) and naive(rest, names[1:])


@given(st.lists(COMPONENTS, min_size=2, max_size=5), PATHS)
@settings(max_examples=200)
def test_anchored_patterns_agree_with_the_naive_way(
    components: list[str], names: list[str]
) -> None:
    pattern, path = "/".join(components).encode(), "/".join(names).encode()

    assert bool(excluded(pattern, path)) == naive(components, names)


@given(st.text("ab*?", min_size=1, max_size=8), PATHS)
@settings(max_examples=150)
def test_names_agree_with_fnmatch(glob: str, names: list[str]) -> None:
    assert bool(excluded(glob.encode(), "/".join(names).encode())) == fnmatchcase(names[-1], glob)


@given(st.binary(min_size=1, max_size=12), st.binary(max_size=12))
@settings(max_examples=200)
def test_any_pattern_is_refused_or_answers(pattern: bytes, path: bytes) -> None:
    try:
        patterns = Patterns([pattern])
    except ValueError:
        return

    assert patterns.covers(path) in (True, False)
    assert patterns.excludes(path, True) in (True, False)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (b"*a" * 20 + b"b", b"a" * 255),
        (b"*?" * 20 + b"b", b"a" * 255),
        (b"**/a/" * 10 + b"b", b"a/" * 20_000 + b"c"),
        (b"**/*a*a*a*a*b/" * 5 + b"c", (b"a" * 50 + b"/") * 2_000 + b"c"),
        (b"a/**/*/**/*/**/z", b"a/" * 20_000 + b"c"),
    ],
)
def test_no_name_makes_a_pattern_slow(pattern: bytes, path: bytes) -> None:
    patterns = Patterns([pattern])
    patterns.excludes(b"warm up", False)
    started = time.process_time()
    answer = patterns.excludes(path, False)

    assert not answer
    assert time.process_time() - started < 1  # backtracking would take years
