from __future__ import annotations

import pytest

from clew.cli.declare import Command, Option, Positional
from clew.cli.parse import Arguments, parse, split_at_verb
from clew.cli.suggestions import BadCommandLine
from clew.errors import BadOption

COMMAND = Command(
    "test",
    "Try it",
    "",
    (
        Positional("FIRST", "The first"),
        Positional("OTHERS", "The others", required=False, many=True),
    ),
    (
        Option(("-n", "--number"), "How many", "N"),
        Option(("--name",), "A name", "NAME"),
        Option(("--tag",), "Some tags", "TAG", many=True),
        Option(("--fast",), "Be quick"),
        Option(("--copy",), "Make a copy", "OUT", optional=True),
    ),
)
DASHED = Command(
    "dashed",
    "Try paths",
    "",
    (
        Positional("A", "One side", required=False),
        Positional("B", "The other side", required=False),
        Positional("PATH", "Paths", required=False, many=True, after_dashes=True),
    ),
)


def parsed(*words: str) -> Arguments:
    return parse(COMMAND, words)


def refusal(command: Command, *words: str) -> tuple[str, str]:
    with pytest.raises(BadCommandLine) as caught:
        parse(command, words)
    return str(caught.value), caught.value.hint


def test_a_value_stands_behind_its_option_or_after_an_equals_sign() -> None:
    assert parsed("x", "--name", "a").maybe("--name") == "a"
    assert parsed("x", "--name=a=b").maybe("--name") == "a=b"
    assert parsed("x", "--name=").maybe("--name") == ""


def test_a_value_that_may_be_left_out_is_taken_once_all_that_is_required_was_given() -> None:
    assert parsed("x", "--copy", "out").maybe("--copy") == "out"
    assert parsed("x", "--copy", "-").maybe("--copy") == "-"
    assert parsed("--copy=out", "x").maybe("--copy") == "out"
    left_out = [parsed("--copy", "x"), parsed("x", "--copy"), parsed("x", "--copy", "--fast")]
    for found in left_out:
        assert (found.one("FIRST"), found.all("OTHERS")) == ("x", [])
        assert (found.given("--copy"), found.maybe("--copy")) == (True, "")
    assert not parsed("x").given("--copy")


def test_a_short_option_may_touch_its_value() -> None:
    assert parsed("x", "-n5").number("--number") == 5
    assert parsed("x", "-n", "5").number("--number") == 5
    assert parsed("x", "-n=5").maybe("--number") == "5"
    assert parsed("x", "-C/some/where").maybe("-C") == "/some/where"


def test_options_stand_anywhere() -> None:
    args = parsed("--fast", "x", "--name", "a", "y", "--json", "z")

    assert args.one("FIRST") == "x"
    assert args.all("OTHERS") == ["y", "z"]
    assert args.given("--fast")
    assert args.given("--json")


def test_what_was_not_given_is_absent() -> None:
    args = parsed("x")

    assert args.maybe("--name") is None
    assert args.number("--number") is None
    assert args.all("OTHERS") == []
    assert not args.given("--fast")


def test_the_last_value_wins_and_repeatable_options_keep_all() -> None:
    args = parsed("x", "--name", "a", "--name", "b", "--tag", "1", "--tag=2")

    assert args.maybe("--name") == "b"
    assert args.all("--tag") == ["1", "2"]


def test_two_dashes_end_the_options() -> None:
    assert parsed("x", "--", "--fast", "--").all("OTHERS") == ["--fast", "--"]


def test_paths_after_dashes_are_kept_apart() -> None:
    args = parse(DASHED, ["a", "--", "b", "--json"])

    assert args.maybe("A") == "a"
    assert args.maybe("B") is None
    assert args.all("PATH") == ["b", "--json"]


def test_text_that_starts_with_a_dash_is_text() -> None:
    assert parsed("- fixed the login").one("FIRST") == "- fixed the login"
    assert parsed("x", "--name", "- a list").maybe("--name") == "- a list"
    assert parsed("-").one("FIRST") == "-"
    assert parsed("-Cache is fixed").one("FIRST") == "-Cache is fixed"


def test_an_option_is_never_taken_for_a_value() -> None:
    message, hint = refusal(COMMAND, "x", "--name", "--fast")

    assert message == "Option requires a value: --name"
    assert hint == "Use --name=NAME; see `clew test --help`"


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["x", "--nmae", "a"], "Unknown option for clew test: '--nmae'", "Did you mean --name?"),
        (["x", "--nam=a"], "Unknown option for clew test: '--nam'", "Did you mean --name?"),
        (
            ["x", "--zzz"],
            "Unknown option for clew test: '--zzz'",
            "List the options with `clew test --help`",
        ),
        (["x", "-n"], "Option requires a value: -n", "Use -n N; see `clew test --help`"),
        (["x", "--fast=1"], "Option takes no value: --fast", "See `clew test --help`"),
        ([], "Missing argument: FIRST", "See `clew test --help`"),
    ],
)
def test_a_mistake_names_the_nearest_that_would_do(
    words: list[str], message: str, hint: str
) -> None:
    assert refusal(COMMAND, *words) == (message, hint)


def test_one_word_too_many_says_how_paths_are_given() -> None:
    assert refusal(DASHED, "a", "b", "c") == (
        "Unexpected argument: 'c'",
        "Put -- before paths; see `clew dashed --help`",
    )


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "٣", "0", "9" * 5000])
def test_a_number_is_whole_and_large_enough(text: str) -> None:
    with pytest.raises(BadOption) as caught:
        parsed("x", f"--number={text}").number("--number", least=1)

    assert str(caught.value) == f"--number: must be a whole number, 1 or more: {text!r}"


def test_common_options_before_the_verb_are_kept() -> None:
    words = ["-C", "dir", "--json", "--store=s", "save", "--name", "x"]

    assert split_at_verb(words) == (words[:4], "save", words[5:])


def test_an_unknown_option_before_the_verb_is_refused() -> None:
    with pytest.raises(BadCommandLine) as caught:
        split_at_verb(["--stor", "x", "save"])

    assert str(caught.value) == "Unknown option before the command: '--stor'"
    assert caught.value.hint == "Did you mean --store?"


def test_a_common_option_without_its_value_is_refused() -> None:
    with pytest.raises(BadCommandLine, match="Option requires a value: -C"):
        split_at_verb(["--json", "-C"])
