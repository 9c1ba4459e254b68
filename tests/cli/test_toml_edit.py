from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.cli.toml_edit import CannotEdit, flat, line_of, set_value, unset_value

FILE = """\
# How I like it
pager = "less -S"   # wide lines
color="auto"

# the timeline
[log]
  graph = true
limit = 20 # rows

[other]
x = 'y'
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("pager", "more", 'pager = "less -S"   # wide', 'pager = "more"   # wide'),
        ("color", "never", 'color="auto"', 'color="never"'),
        ("log.limit", 7, "limit = 20 # rows", "limit = 7 # rows"),
        ("other.x", 'a "b" \\', "x = 'y'", 'x = "a \\"b\\" \\\\"'),
    ],
)
def test_only_the_value_is_replaced(key: str, value: str | int, old: str, new: str) -> None:
    assert set_value(FILE, key, value) == FILE.replace(old, new)


@pytest.mark.parametrize(
    ("key", "value", "after", "line"),
    [
        ("new", "x", 'color="auto"', 'new = "x"'),
        ("top.key", 1, 'color="auto"', "top.key = 1"),
        ("log.width", 80, "limit = 20 # rows", "width = 80"),
        ("other.z", 1, "x = 'y'", "z = 1"),
    ],
)
def test_a_new_value_goes_to_its_table(key: str, value: str | int, after: str, line: str) -> None:
    assert set_value(FILE, key, value) == FILE.replace(after, f"{after}\n{line}")


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("", 'pager = "x"\n'),
        ("# mine", '# mine\npager = "x"\n'),
        ("a = 1\r\n", 'a = 1\r\npager = "x"\r\n'),
        ("[log]\nlimit = 1\n", 'pager = "x"\n[log]\nlimit = 1\n'),
        ("'pager'  =  'y'\n", "'pager'  =  \"x\"\n"),
    ],
)
def test_a_value_is_added_to_any_file(text: str, new: str) -> None:
    assert set_value(text, "pager", "x") == new


def test_removing_a_value_removes_its_line() -> None:
    assert unset_value(FILE, "log.limit") == FILE.replace("limit = 20 # rows\n", "")
    assert unset_value(FILE, "missing") == FILE


@pytest.mark.parametrize(
    "text",
    [
        'pager = """\nless\n"""\n',
        'log = { limit = 1, graph = true }\npager = """\nx = 1"""\n',
        'pager = [\n  "less",\n]\n',
    ],
)
def test_what_is_not_understood_is_not_changed(text: str) -> None:
    with pytest.raises(CannotEdit):
        set_value(text, "pager", "x")


def test_the_line_of_a_value_is_found() -> None:
    assert line_of(FILE, "pager") == 2
    assert line_of(FILE, "log.limit") == 8
    assert line_of(FILE, "missing") is None


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["", FILE]))
def test_any_text_is_read_back_and_taken_back(value: str, text: str) -> None:
    changed = set_value(text, "shown.as", value)

    assert flat(tomllib.loads(changed))["shown.as"] == value
    assert unset_value(changed, "shown.as") == text
