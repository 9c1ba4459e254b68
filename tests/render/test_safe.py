from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.render.safe import revealing, safe, safe_line, safe_path

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x00\x07\x7f", "\\x00\\x07\\x7f"),
        ("\x85\x9b", "\\u0085\\u009b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ufeff\u00ad", "\\ufeff\\u00ad"),
        ("\U000e0041", "\\U000e0041"),
        ("\udcff", "\\xff"),
        ("\ud83d", "\\ud83d"),
    ],
)
def test_what_could_harm_a_terminal_is_spelled_out(hostile: str, shown: str) -> None:
    assert safe(hostile) == shown


@pytest.mark.parametrize("text", ["naïve", "日本語", "مرحبا", "👩‍👩‍👧", "می‌خواهم", "a\u3000b", ""])
def test_letters_of_any_language_stay(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize("char", BIDI)
def test_no_bidirectional_control_gets_through(char: str) -> None:
    assert char not in safe(f"a{char}b", keep="\n\t")


def test_only_what_the_caller_keeps_is_kept() -> None:
    assert safe("\ta\x1b\n", keep="\t") == "\ta\\x1b\\n"


@given(st.text(st.characters(exclude_categories=[])))
def test_no_text_at_all_gets_a_control_through(text: str) -> None:
    joiners = "\u200c\u200d"
    left = [char for char in safe(text) if char not in joiners]

    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & {category(char) for char in left}


@given(st.binary())
def test_every_name_can_be_shown(name: bytes) -> None:
    shown = safe_path(name)

    shown.encode("utf-8")
    assert "\n" not in shown
    assert "\x1b" not in shown


def test_bytes_that_are_no_utf8_are_shown_as_bytes() -> None:
    assert safe_path(b"caf\xe9/\xff.txt") == "caf\\xe9/\\xff.txt"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one line", "one line"),
        ("  first \n second", "first…"),
        ("trailing newline\n", "trailing newline"),
        ("", ""),
        ("\n\n", ""),
        ("x" * 10_000_000, "x" * 200 + "…"),
        ("a\x1b\rb", "a\\x1b\\rb"),
    ],
)
def test_a_label_is_shown_as_one_line(text: str, line: str) -> None:
    assert safe_line(text) == line


TOKEN = "sk_live_" + "a1B2" * 6


def test_a_token_in_a_path_is_redacted_and_the_rest_stays() -> None:
    assert safe_path(f"dumps/k_{TOKEN}.json".encode()) == "dumps/k_[redacted].json"
    assert safe_path(b"src/sk-learn/task-0123456789abcdef0123456789abcdef.py") == (
        "src/sk-learn/task-0123456789abcdef0123456789abcdef.py"
    )


def test_names_are_revealed_for_one_result_only() -> None:
    path = f"dumps/{TOKEN}.json"
    with revealing():
        assert safe_path(path.encode()) == path

    assert safe_path(path.encode()) == "dumps/[redacted].json"
