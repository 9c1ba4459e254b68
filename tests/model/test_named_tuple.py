"""`NamedTuple` behaves like that of `typing`."""

from __future__ import annotations

import pickle
import typing
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import pytest

from clew.model import named_tuple
from clew.model.named_tuple import NamedTuple


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


@pytest.mark.parametrize("given", [("a",), ("a", 2)])
def test_fields_are_given_by_place(given: tuple[Any, ...]) -> None:
    assert Place(*given) == tuple(Typed(*given))


def test_fields_are_given_by_name() -> None:
    assert Place(number=1, name="b") == ("b", 1)


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), (("a", 1, 2), {}), (("a",), {"name": "b"}), (("a",), {"x": 1})],
)
def test_a_call_that_the_original_refuses_is_refused(
    given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    for kind in (Typed, Place):
        with pytest.raises(TypeError):
            kind(*given, **named)


def test_a_field_that_is_not_there_cannot_be_replaced() -> None:
    with pytest.raises(ValueError, match="unexpected"):
        Place("here")._replace(street=1)  # type: ignore[call-arg]


def test_it_is_made_of_so_many_values_and_no_other_number() -> None:
    assert Place._make(["a", 1]) == Place("a", 1)
    with pytest.raises(TypeError):
        Place._make(["a"])


def test_it_can_be_matched_by_place() -> None:
    match Place("here", 4):
        case Place(name, number):
            assert (name, number) == ("here", 4)


def test_a_class_without_fields_and_one_with_many_are_made_too() -> None:
    class Empty(NamedTuple):
        pass

    source = "class Many(NamedTuple):\n" + "".join(f"    f{n}: int\n" for n in range(300))
    scope: dict[str, Any] = {"NamedTuple": NamedTuple, "__name__": "here"}
    exec(source, scope)

    assert Empty() == ()
    assert scope["Many"](*range(300)).f299 == 299


def test_nothing_can_be_set_on_one() -> None:
    with pytest.raises(AttributeError):
        Place("here").name = "there"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Place("here").street = "x"  # type: ignore[attr-defined]


def plain_copy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module as it is on a Python without the parts that are private to CPython."""
    monkeypatch.delattr("_collections._tuplegetter")
    spec = spec_from_file_location("plain_named_tuple", named_tuple.__file__)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


SOURCE = '''
class Made(NamedTuple):
    """A place."""
    name: str
    number: int = 3
    def words(self): return f"{self.name} {self.number}"

class Empty(NamedTuple):
    pass
'''


CALLS = (
    "tuple(Made('a'))",
    "tuple(Made(number=1, name='b'))",
    "Made('a', 2).words()",
    "repr(Made('a')._replace(number=5))",
    "(Made('a').name, Made('a').number)",
    "Made('a')._asdict()",
    "(Made._fields, Made._field_defaults, Made.__match_args__, Made.__doc__)",
    "Made.__new__.__name__",
    "tuple(Empty())",
    "Made()",
    "Made('a', 1, 2)",
    "Made('a', street=1)",
    "Made._make(['a'])",
    "setattr(Made('a'), 'name', 'b')",
)


def outcome(call: str, scope: dict[str, Any]) -> object:
    try:
        return eval(call, scope)
    except (TypeError, ValueError, AttributeError) as error:
        return type(error)


def test_the_plain_way_makes_the_same_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = plain_copy(monkeypatch)
    found = []
    for kind in (NamedTuple, plain.NamedTuple):
        scope: dict[str, Any] = {"NamedTuple": kind, "__name__": "here"}
        exec(f"from __future__ import annotations\n{SOURCE}", scope)
        found.append([outcome(call, scope) for call in CALLS])

    assert plain._tuplegetter is None
    assert found[0] == found[1]
