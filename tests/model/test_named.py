"""Our tuples with names are those of `typing`."""

from __future__ import annotations

import pickle
import typing

import pytest

from clew.model.named import NamedTuple


class Place(NamedTuple):
    """A place."""

    name: str
    number: int = 3
    """Of the house."""

    @property
    def words(self) -> str:
        return f"{self.name} {self.number}"

    @classmethod
    def of(cls, text: str) -> Place:
        return cls(text)


class Typed(typing.NamedTuple):
    """A place."""

    name: str
    number: int = 3


def test_it_is_a_tuple_with_names_defaults_and_methods() -> None:
    place = Place.of("here")

    assert place == ("here", 3)
    assert place.words == "here 3"
    assert place._replace(number=4) == Place("here", 4)
    assert place._asdict() == {"name": "here", "number": 3}
    assert repr(place) == "Place(name='here', number=3)"
    assert Place.__doc__ == "A place."


def test_it_says_the_same_of_itself_as_the_original() -> None:
    assert Place._fields == Typed._fields
    assert Place._field_defaults == Typed._field_defaults
    assert Place.__module__ == __name__
    assert typing.get_type_hints(Place) == typing.get_type_hints(Typed)


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Place("there"))) == Place("there")


def test_a_field_without_a_default_cannot_follow_one_that_has_one() -> None:
    source = "class Wrong(NamedTuple):\n    a: int = 1\n    b: int\n"

    with pytest.raises(TypeError, match="follows one that has one"):
        exec(source, {"NamedTuple": NamedTuple, "__name__": "here"})


def test_a_wrong_call_is_refused() -> None:
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]
