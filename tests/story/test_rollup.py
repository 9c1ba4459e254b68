from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.detectors.detector import PathChange
from clew.story.rollup import roll_up
from tests.kit.moments import Moment, evidence

_NAMES = st.sampled_from(["a", "b", "c", "d e", "src", "\udcff", "x.py"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)


def _changes(old: Moment, new: Moment) -> list[PathChange]:
    return list(evidence(old, new).changes.values())


def _lines(old: Moment, new: Moment, total: int = 1000) -> list[tuple[str, str, int]]:
    groups = roll_up(_changes(old, new), lambda _: total)
    return [(group.directory, group.whole, len(group.paths)) for group in groups]


def test_a_new_directory_is_one_line() -> None:
    new = {f"web/{number}/file": b"x" for number in range(100)}

    assert _lines({}, new) == [("web", "new", 201)]


def test_a_directory_that_went_is_one_line() -> None:
    assert _lines({f"data/{number}": b"x" for number in range(30)}, {}) == [("data", "gone", 31)]


def test_a_few_files_are_named() -> None:
    old = {"README.md": b"1", "web/app.js": b"1", "web/other.js": b"1"}
    new = {"README.md": b"2", "web/app.js": b"2", "web/other.js": b"1", ".env.local": b"3"}

    assert [name for name, _, _ in _lines(old, new)] == [".env.local", "README.md", "web/app.js"]


def test_many_files_of_one_directory_are_counted_and_a_lone_one_is_still_named() -> None:
    old = {f"tree/{number}": b"1" for number in range(40)} | {"alone": b"1"}
    new = {f"tree/{number}": b"2" for number in range(40)} | {"alone": b"2"}

    lines = roll_up(_changes(old, new), lambda directory: 40 if directory else 5000)

    assert [group.directory for group in lines] == ["alone", "tree"]


def test_there_are_never_many_lines() -> None:
    old = {f"d{number}/deep/{leaf}": b"1" for number in range(60) for leaf in range(3)}
    new = {f"d{number}/deep/{leaf}": b"2" for number in range(60) for leaf in range(2)}

    assert len(_lines(old, new)) <= 8


@given(
    old=st.dictionaries(_PATHS, st.binary(max_size=2)),
    new=st.dictionaries(_PATHS, st.binary(max_size=2)),
)
def test_every_change_is_in_exactly_one_group(old: Moment, new: Moment) -> None:
    changes = _changes(_consistent(old), _consistent(new))

    groups = roll_up(changes, lambda _: 50)

    told = sorted(path for group in groups for path in group.paths)
    assert told == sorted(change.path for change in changes)


def _consistent(moment: Moment) -> Moment:
    """Return changes in which no path is both a file and a directory."""
    return {
        path: content
        for path, content in moment.items()
        if not any(other.startswith(path + "/") for other in moment)
    }
