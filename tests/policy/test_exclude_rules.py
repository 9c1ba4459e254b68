from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model.pattern import Patterns
from clew.policy.exclude_rules import doubts, matches_everything, refused, valued, valued_names


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"a[", "a [ is not closed; write \\[ for the character"),
        (b"x/[!]", "a [ is not closed; write \\[ for the character"),
        (b"[]", "a [ is not closed; write \\[ for the character"),
        (b"[a/b]", "a [ is not closed; write \\[ for the character"),
        (b"x[z-a]", "[z-a] matches no character"),
        (b"!", "patterns cannot be negated"),
        (b"!x", "patterns cannot be negated"),
        (b"/", "the pattern is empty"),
        (b"./a", "the pattern holds . or .., which no path does"),
        (b"/..", "the pattern holds . or .., which no path does"),
        (b"a//b", "the pattern holds an empty name (//)"),
        (b"a\\", "the pattern has a backslash with nothing to take literally"),
        (b"*.log\r", "the pattern ends with a carriage return"),
    ],
)
def test_a_pattern_that_cannot_match_is_refused(pattern: bytes, reason: str) -> None:
    assert refused(pattern) == reason


@pytest.mark.parametrize(
    "pattern", [b"*.log", b"[]x]", b"[!a]", b"\\[", b"a]", b"\\[a/[b]", b"#*#", b"[a-z][0-9]/**"]
)
def test_a_pattern_that_can_match_is_not_refused(pattern: bytes) -> None:
    assert refused(pattern) == ""


@given(st.binary(min_size=1, max_size=6).filter(lambda name: b"[" not in name))
def test_the_name_of_any_file_is_a_pattern_once_it_is_escaped(name: bytes) -> None:
    if b"/" in name or b"\0" in name or name in (b".", b"..") or name.endswith(b"\r"):
        return
    pattern = b"".join(b"\\" + bytes([one]) for one in name)

    assert refused(pattern) == ""
    assert Patterns([pattern]).excludes(name, False)


@pytest.mark.parametrize("pattern", [b"*", b"**", b"/**", b"*/", b"**/*", b"?*"])
def test_a_pattern_that_matches_everything_is_recognised(pattern: bytes) -> None:
    assert matches_everything(pattern)


@pytest.mark.parametrize("pattern", [b"*.py", b"a", b"*a*", b"/*", b"*.*", b"[a-z]*"])
def test_a_pattern_that_leaves_something_does_not_match_everything(pattern: bytes) -> None:
    assert not matches_everything(pattern)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (b"*", "excludes everything"),
        (b"*/", "excludes every directory"),
        (b"/work/app/build", "the root of the workspace"),
        (b"/work/app", "the root of the workspace"),
        (b"~/x", "not replaced"),
        (b"$HOME/x", "not replaced"),
        (b"# logs", "no comments"),
        (b"*.log ", "space"),
        (b" *.log", "space"),
        (b"*.{o,a}", "braces"),
        (b"[[:digit:]]", "classes"),
    ],
)
def test_what_may_not_be_meant_is_said(pattern: bytes, words: str) -> None:
    (found,) = doubts(pattern, b"/work/app")

    assert words in found


@pytest.mark.parametrize("pattern", [b"*.log", b"/work", b"#*#", b"{x}", b"/work/apple", b"a b"])
def test_an_ordinary_pattern_is_not_doubted(pattern: bytes) -> None:
    assert doubts(pattern, b"/work/app") == []


@pytest.mark.parametrize(
    ("name", "is_directory", "kind"),
    [
        (b".env", False, "environment file"),
        (b".env.production", False, "environment file"),
        (b".env.example", False, ""),
        (b".environment", False, ""),
        (b"app.db", False, "database"),
        (b"X.SQLITE3", False, "database"),
        (b".db", False, ""),
        (b"app.db", True, ""),
        (b".git", True, "git repository"),
        (b".git", False, ""),
        (b"notes.txt", False, ""),
    ],
)
def test_valuable_things_are_known_by_name(name: bytes, is_directory: bool, kind: str) -> None:
    assert valued(name, is_directory) == kind


def test_before_there_is_a_checkpoint_usual_names_are_tried() -> None:
    assert valued_names(b".*") == [(b".env", "environment file"), (b".git", "git repository")]
    assert valued_names(b"*.o") == []
