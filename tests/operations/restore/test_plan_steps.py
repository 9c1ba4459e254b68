"""The plan: what is touched, what is left alone, and what is refused before anything happens."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from clew.errors import RestoreBlocked
from clew.model.entry import Entry, EntryKind, Reason
from clew.model.ids import ObjectId, object_id
from clew.model.pattern import Patterns
from clew.model.restore_results import SkipReason
from clew.model.small_objects import Group
from clew.model.tree import encode_entry, put_directory, put_root
from clew.operations.restore.plan import Plan, PlanSide, make_plan

Spec = dict[bytes, object]
"""A tree in short: text is a file, a dict a directory, an int the reason of an uncovered entry."""


class File(NamedTuple):
    """A file with something special about its metadata."""

    text: str
    mode: int = 0o644
    mtime_ns: int = 1


class Link(NamedTuple):
    target: bytes


class Trees:
    """Trees in memory."""

    def __init__(self) -> None:
        self.objects: dict[ObjectId, bytes] = {}

    def put(self, kind: int, content: bytes) -> ObjectId:
        identifier = object_id(kind, content)
        self.objects[identifier] = content
        return identifier

    def get(self, identifier: ObjectId) -> bytes:
        return self.objects[identifier]

    def side(self, spec: Spec, links: tuple[Group, ...] = (), *excludes: bytes) -> PlanSide:
        root = put_root(self._directory(b"", spec), self.put)
        return PlanSide(root.tree, links, Patterns(excludes))

    def _directory(self, name: bytes, spec: Spec) -> Entry:
        encoded = [encode_entry(self._entry(name, spec[name])) for name in sorted(spec)]
        ids = put_directory(encoded, self.put)
        return Entry(
            name, EntryKind.DIRECTORY, 0o755, mtime_ns=1, content=ids.tree, state=ids.state
        )

    def _entry(self, name: bytes, what: object) -> Entry:
        if isinstance(what, dict):
            return self._directory(name, what)
        if isinstance(what, int):
            return Entry(name, EntryKind.UNCOVERED, reason=what)
        if isinstance(what, Link):
            return Entry(name, EntryKind.SYMLINK, 0o777, mtime_ns=1, target=what.target)
        file = what if isinstance(what, File) else File(str(what))
        content = ObjectId(file.text.encode().ljust(32, b"."))
        return Entry(
            name,
            EntryKind.FILE,
            file.mode,
            mtime_ns=file.mtime_ns,
            size=len(file.text),
            content=content,
        )


def plan(
    live: Spec,
    target: Spec,
    *,
    live_links: tuple[Group, ...] = (),
    target_links: tuple[Group, ...] = (),
    live_excludes: tuple[bytes, ...] = (),
    target_excludes: tuple[bytes, ...] = (),
    within: tuple[bytes, ...] = (),
    base: Spec | None = None,
) -> Plan:
    trees = Trees()
    return make_plan(
        trees.side(live, live_links, *live_excludes),
        trees.side(target, target_links, *target_excludes),
        trees.get,
        within=within,
        base=trees.side(base).tree if base is not None else None,
    )


def told(made: Plan) -> dict[str, list[bytes]]:
    """Return the paths of every non-empty part of a plan but the directories at its end."""
    steps = made.steps
    parts = {
        "delete": steps.delete,
        "remove": steps.remove_directories,
        "make": steps.make_directories,
        "put": steps.put,
        "metadata": steps.metadata,
    }
    found = {name: [step.path for step in part] for name, part in parts.items() if part}
    if made.skipped:
        found["left alone"] = [item.path for item in made.skipped]
    return found


def test_equal_trees_need_nothing() -> None:
    made = plan({b"a": "1", b"d": {b"b": "2"}}, {b"a": "1", b"d": {b"b": "2"}})

    assert made.steps.is_empty
    assert made.skipped == ()


def test_every_kind_of_difference_in_an_order_that_works() -> None:
    made = plan(
        {
            b"same": "1",
            b"edited": "1",
            b"new": "1",
            b"moded": File("1", 0o600),
            b"gone": {b"x": {}},
        },
        {b"same": "1", b"edited": "2", b"moded": "1", b"back": {b"y": {b"z": "3"}}},
    )

    assert told(made) == {
        "delete": [b"new"],
        "remove": [b"gone/x", b"gone"],
        "make": [b"back", b"back/y"],
        "put": [b"back/y/z", b"edited"],
        "metadata": [b"moded"],
    }
    assert made.steps.staged_paths == [b"back/y/z", b"edited", b"new"]


def test_directories_are_finished_from_the_bottom_up_and_the_root_last() -> None:
    made = plan({b"a": {b"b": {b"f": "1"}}}, {b"a": {b"b": {b"f": "2"}}})

    assert [step.path for step in made.steps.directories] == [b"a/b", b""]


def test_a_change_of_type_makes_way_first() -> None:
    made = plan(
        {b"f": "file", b"d": {b"x": "1"}, b"l": Link(b"x")},
        {b"f": {b"x": "1"}, b"d": "file", b"l": "file"},
    )

    assert told(made) == {
        "delete": [b"d/x", b"f", b"l"],
        "remove": [b"d"],
        "make": [b"f"],
        "put": [b"d", b"f/x", b"l"],
    }
    assert all(step.old is None for step in made.steps.put)


def test_another_time_alone_is_metadata() -> None:
    made = plan({b"f": File("1", mtime_ns=5)}, {b"f": "1"})

    assert told(made) == {"metadata": [b"f"]}


# What is left alone


@pytest.mark.parametrize("reason", [Reason.MOUNT, Reason.UNREADABLE, Reason.STORE, Reason.PSEUDO])
def test_what_either_side_does_not_cover_is_left_alone_at_any_depth(reason: int) -> None:
    made = plan(
        {b"a": {b"b": {b"live": reason, b"target": "precious", b"f": "1"}}},
        {b"a": {b"b": {b"live": {b"x": "1"}, b"target": reason, b"f": "2"}}},
    )

    assert told(made) == {"put": [b"a/b/f"], "left alone": [b"a/b/live", b"a/b/target"]}


def test_directories_above_what_is_left_alone_survive() -> None:
    made = plan({b"a": {b"b": {b"mount": Reason.MOUNT, b"new": "1"}, b"c": {}}}, {})

    assert told(made) == {
        "delete": [b"a/b/new"],
        "remove": [b"a/c"],
        "left alone": [b"a/b/mount"],
    }


def test_a_file_due_where_a_directory_must_survive_is_refused() -> None:
    with pytest.raises(RestoreBlocked, match="'a/b'"):
        plan({b"a": {b"b": {b"mount": Reason.MOUNT}}}, {b"a": {b"b": "a file"}})


def test_an_uncovered_name_that_is_gone_by_now_does_no_harm() -> None:
    assert told(plan({}, {b"m": Reason.MOUNT})) == {"left alone": [b"m"]}


def test_excludes_of_today_protect_what_was_captured_before() -> None:
    made = plan(
        {b"build": Reason.EXCLUDED, b"f": "1"},
        {b"build": {b"out": "old"}, b"f": "2"},
        live_excludes=(b"build",),
    )

    assert told(made) == {"put": [b"f"], "left alone": [b"build"]}
    assert {item.reason for item in made.skipped} == {SkipReason.EXCLUDED}


def test_excludes_of_back_then_protect_what_is_captured_today() -> None:
    made = plan(
        {b"deep": {b"er": {b"a.log": "today"}}, b"new.txt": "1"},
        {b"deep": {b"er": {}}},
        target_excludes=(b"*.log",),
    )

    assert told(made) == {"delete": [b"new.txt"], "left alone": [b"deep/er/a.log"]}


def test_an_excluded_directory_protects_all_below_it() -> None:
    made = plan({b"cache": {b"a": {b"b": "1"}}}, {}, target_excludes=(b"/cache/",))

    assert "delete" not in told(made)
    assert "remove" not in told(made)


def test_a_directory_is_kept_for_the_sake_of_an_excluded_file_in_it() -> None:
    made = plan({b"d": {b"x.log": "1", b"y": "2"}}, {}, target_excludes=(b"*.log",))

    assert told(made) == {"delete": [b"d/y"], "left alone": [b"d/x.log"]}


# Links


def test_names_that_were_one_file_become_one_again() -> None:
    made = plan({b"a": "1", b"b": "1"}, {b"a": "1", b"b": "1"}, target_links=((b"a", b"b"),))

    assert told(made) == {"put": [b"a", b"b"]}
    assert made.steps.groups == ((b"a", b"b"),)


def test_names_that_were_two_files_become_two_again() -> None:
    made = plan({b"a": "1", b"b": "1"}, {b"a": "1", b"b": "1"}, live_links=((b"a", b"b"),))

    assert told(made) == {"put": [b"a", b"b"]}
    assert made.steps.groups == ()


def test_metadata_of_linked_names_is_never_changed_in_place() -> None:
    group = ((b"a", b"b"),)
    made = plan(
        {b"a": File("1", 0o600), b"b": File("1", 0o600)},
        {b"a": "1", b"b": "1"},
        live_links=group,
        target_links=group,
    )

    assert told(made) == {"put": [b"a", b"b"]}
    assert made.steps.groups == group


def test_a_third_name_is_linked_with_the_two_that_are_right() -> None:
    made = plan(
        {b"a": "1", b"b": "1"},
        {b"a": "1", b"b": "1", b"c": "1"},
        live_links=((b"a", b"b"),),
        target_links=((b"a", b"b", b"c"),),
    )

    assert told(made) == {"put": [b"a", b"b", b"c"]}


def test_groups_that_are_right_are_not_touched() -> None:
    group = ((b"a", b"b"),)
    made = plan(
        {b"a": "1", b"b": "1", b"f": "1"},
        {b"a": "1", b"b": "1", b"f": "2"},
        live_links=group,
        target_links=group,
    )

    assert told(made) == {"put": [b"f"]}


# Only some paths


def test_only_the_chosen_paths_are_touched() -> None:
    made = plan(
        {b"a": {b"f": "1", b"g": "1"}, b"ab": "1", b"b": "1"},
        {b"a": {b"f": "2", b"g": "2"}, b"ab": "2", b"b": "2"},
        within=(b"a/f", b"b"),
    )

    assert told(made) == {"put": [b"a/f", b"b"]}


def test_a_chosen_path_may_not_be_there_any_more_or_not_yet() -> None:
    made = plan({b"new": "1", b"x": "1"}, {b"old": "1"}, within=(b"new", b"old"))

    assert told(made) == {"delete": [b"new"], "put": [b"old"]}


def test_directories_above_a_chosen_path_are_made_and_nothing_beside_it() -> None:
    made = plan({}, {b"a": {b"b": {b"f": "1", b"g": "1"}, b"h": "1"}}, within=(b"a/b/f",))

    assert told(made) == {"make": [b"a", b"a/b"], "put": [b"a/b/f"]}
    assert {b"a", b"a/b"} <= {step.path for step in made.steps.directories}


def test_a_file_where_a_directory_above_is_due_is_refused() -> None:
    with pytest.raises(RestoreBlocked, match="'a'"):
        plan({b"a": "a file, not chosen"}, {b"a": {b"f": "1"}}, within=(b"a/f",))


def test_a_directory_that_was_not_chosen_keeps_its_own_times() -> None:
    made = plan({b"a": {b"f": "1"}}, {b"a": {b"f": "2"}}, within=(b"a/f",))

    for step in made.steps.directories:
        assert step.old == step.new


# Going on after a cut: `base` is what was there before the restore


def test_what_was_done_since_the_cut_is_left_alone() -> None:
    made = plan(
        {b"f": "edited since", b"g": "before", b"new": "made since"},
        {b"f": "target", b"g": "target"},
        base={b"f": "before", b"g": "before"},
    )

    assert told(made) == {"put": [b"g"], "left alone": [b"f", b"new"]}
    assert [item.reason for item in made.skipped] == [SkipReason.EDITED, SkipReason.APPEARED]


def test_what_is_already_done_is_not_done_again() -> None:
    made = plan(
        {b"f": "target", b"g": "before"},
        {b"f": "target", b"g": "target"},
        base={b"f": "before", b"g": "before"},
    )

    assert told(made) == {"put": [b"g"]}


@pytest.mark.parametrize("before", ["a file", {b"x": "1"}])
def test_what_had_already_made_way_is_put_in_place(before: object) -> None:
    """A path whose type changes is cleared first; a cut right then leaves it empty."""
    made = plan({}, {b"l": Link(b"target")}, base={b"l": before})

    assert told(made) == {"put": [b"l"]}


def test_a_directory_made_since_the_cut_survives_with_what_is_in_it() -> None:
    made = plan({b"mine": {b"work": "1"}}, {}, base={})

    assert told(made) == {"left alone": [b"mine"]}


def test_a_file_edited_since_the_cut_does_not_make_way_for_a_directory() -> None:
    made = plan({b"f": "edited since"}, {b"f": {}}, base={b"f": "before"})

    assert told(made) == {"left alone": [b"f"]}
