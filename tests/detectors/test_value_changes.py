"""Changes between two values: complete, and at the right path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.detectors.files.setting_marks import setting_marks
from clew.detectors.files.value_changes import value_changes
from clew.detectors.formats.values import Plain, Unreadable, Value, is_equal

_SCALARS = st.one_of(
    st.text("ab1", max_size=3), st.text("ab1", max_size=3).map(Plain), st.booleans(), st.none()
)
_VALUES: st.SearchStrategy[Value] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "id", "a", "b"]), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(_VALUES, _VALUES)
def test_two_values_differ_if_and_only_if_there_is_a_change(old: Value, new: Value) -> None:
    changes = value_changes({"top": old}, {"top": new})

    assert bool(changes) is not is_equal(old, new)
    assert bool(setting_marks(changes)) is bool(changes)


@given(_VALUES)
def test_a_value_does_not_differ_from_itself(value: Value) -> None:
    assert value_changes(value, value) == []


@pytest.mark.parametrize(
    ("old", "new", "marks"),
    [
        ({"a": "x"}, {"a": "y"}, ("a x → y",)),
        ({"a": {"b": {"c": "x"}}}, {"a": {"b": {"c": "y"}}}, ("a.b.c x → y",)),
        ({}, {"a": {"b": "x"}}, ("+a.b x",)),
        ({}, {"a": {"b": "x", "c": "y"}}, ("+a (2 keys)",)),
        ({"a": {"b": "x", "c": {"d": "y", "e": "z"}}}, {}, ("−a (3 keys)",)),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, ("a x, y → y, x",)),
        ({"a": ["x", "y"]}, {"a": ["x"]}, ("−a y",)),
        ({"a": ["x"]}, {"a": ["x", "y", "z"]}, ("+a y", "+a z")),
        ({"a": ["x", "y"]}, {"a": ["x", "z"]}, ("a y → z",)),
        ({"a": [{"id": "1", "v": "x"}]}, {"a": [{"id": "1", "v": "y"}]}, ("a.1.v x → y",)),
        ({"a": [{"id": "1"}]}, {"a": [{"id": "1"}, {"id": "2"}]}, ("+a.2",)),
        ({"a": [["x"], ["y"]]}, {"a": [["x"], ["z"]]}, ("a.2 y → z",)),
        ({"a": "x"}, {"a": {"b": "y"}}, ("a x → (1 key)",)),
        ({"a": "x"}, {"a": None}, ("a x → null",)),
        ({"a": True}, {"a": False}, ("a true → false",)),
        ({"a": []}, {"a": ["x"]}, ("+a x",)),
        ({"a": ["p>=1", "q"]}, {"a": ["p>=2", "q"]}, ("a.p >=1 → >=2",)),
        ({"a": ["x", {"b": "y"}]}, {"a": [{"b": "y"}, "x"]}, ("~a",)),
        ({"a": ["x", {"b": ["y"]}]}, {"a": ["z", {"b": ["y", "v"]}]}, ("a x → z", "+a.b v")),
        ({"nav": [{"Home": "i"}, {"About": "a"}]}, {"nav": [{"Home": "i"}]}, ("−nav.About a",)),
        ({"a": "two words"}, {"a": "three words here"}, ("~a",)),
        ({"a": "x", "b": "1", "c": "k"}, {"b": "2", "c": "l m", "d": "y"}, ("b 1 → 2", "−a x", "+d y", "~c")),
        ([{"name": "x"}], [{"name": "y"}], ("name x → y",)),
        ("x", "y", ("… x → y",)),
    ],
)  # fmt: skip
def test_a_change_is_told_at_its_path(old: Value, new: Value, marks: tuple[str, ...]) -> None:
    assert setting_marks(value_changes(old, new)) == marks


def test_equal_marks_are_counted() -> None:
    old: Value = {"RUN": ["one two", "three four"]}

    assert setting_marks(value_changes(old, {"RUN": []})) == ("−RUN ×2",)


def test_a_value_that_is_nested_too_deeply_or_changed_too_often_is_given_up() -> None:
    deep: Value = "x"
    other: Value = "y"
    for _ in range(500):
        deep, other = {"a": deep}, {"a": other}
    with pytest.raises(Unreadable):
        value_changes(deep, other)
    with pytest.raises(Unreadable):
        value_changes({}, {str(number): "x" for number in range(6_000)})
