"""What exclude patterns match in the current checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.model.exclude_effects import ExcludeEffects
from clew.operations.context import Context
from clew.operations.maintenance.exclude_effects import exclude_effects
from clew.workspace import Workspace


@pytest.fixture
def filled(ws: Workspace, project: Path) -> Workspace:
    for path, size in {
        "a.iso": 1000,
        "deep/er/b.iso": 500,
        "build/x/y.o": 10,
        "build/app.db": 20,
        "src/build": 3,
        ".env": 7,
    }.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(b"x" * size)
    (project / "link.iso").symlink_to("a.iso")
    ws.save()
    return ws


def found(ws: Workspace) -> dict[bytes, tuple[int, int, int]]:
    effects = ws.settings.exclude_effects()
    return {one.pattern: (one.files, one.size, one.left_out) for one in effects.patterns}


def test_each_pattern_is_counted_by_itself(filled: Workspace) -> None:
    filled.settings.set("exclude", "*.iso\nbuild/\nbuild\n*.o\n/deep/**\nnothing")

    assert found(filled) == {
        b"*.iso": (3, 1500, 0),
        b"build/": (2, 30, 0),
        b"build": (3, 33, 0),
        b"*.o": (1, 10, 0),
        b"/deep/**": (1, 500, 0),
        b"nothing": (0, 0, 0),
    }


def test_the_count_is_what_the_next_save_leaves_out(filled: Workspace) -> None:
    filled.settings.set("exclude", "*.iso\nbuild/\n.env")
    before = sum(files for files, _, _ in found(filled).values())
    left = filled.save()

    assert before == 6
    assert left.checkpoint.record.coverage.counts == (("excluded", 5),)  # build/ is one name
    assert found(filled) == {b"*.iso": (0, 0, 3), b"build/": (0, 0, 1), b".env": (0, 0, 1)}


def test_valuable_things_are_named(filled: Workspace) -> None:
    filled.settings.set("exclude", "build/\n.env\n*.iso")
    by_pattern = {one.pattern: one for one in filled.settings.exclude_effects().patterns}

    assert by_pattern[b"build/"].warnings == [
        "it leaves out build/app.db (database): not saved, and left as it is by a restore"
    ]
    assert by_pattern[b".env"].valued == ((b".env", "environment file"),)
    assert by_pattern[b"*.iso"].warnings == []


def test_without_a_checkpoint_usual_names_are_warned_about(ws: Workspace) -> None:
    ws.settings.set("exclude", ".env\n*.o")
    effects = ws.settings.exclude_effects()

    assert effects.checkpoint is None
    assert [bool(one.warnings) for one in effects.patterns] == [True, False]


def test_without_patterns_there_is_nothing(filled: Workspace) -> None:
    assert filled.settings.exclude_effects().patterns == ()


def test_the_search_is_bounded_and_says_so(filled: Workspace) -> None:
    filled.settings.set("exclude", "*")
    context = filled._access.context

    def searched(most: int) -> ExcludeEffects:
        return exclude_effects(context, most)

    entries = 12  # with directories
    assert isinstance(context, Context)
    assert searched(entries).is_complete
    assert searched(entries).patterns[0].files == 7
    assert not searched(entries - 1).is_complete
    assert searched(3).patterns[0].files <= 3
