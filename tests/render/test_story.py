from __future__ import annotations

from clew.model.change import Change, ChangeKind
from clew.model.fact import Fact, Severity
from clew.model.results import Appearance, Blame, Difference
from clew.model.story import Story, StoryLine
from clew.render import changes, story
from clew.render.style import Style
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 0, 100, False)
COLOURED = Style(samples.NOW, lambda _: 0, 100, True)
RED, YELLOW, DIM = "\x1b[31m", "\x1b[33m", "\x1b[2m"


def test_each_heading_stands_once_above_its_lines() -> None:
    told = Story(
        "two things",
        lines=(
            StoryLine("Packages", "installed flask"),
            StoryLine("Packages", "removed django"),
            StoryLine("Files", "a changed"),
        ),
    )

    assert list(story.lines(told, LOOK)) == [
        "  two things",
        "  Packages",
        "    installed flask",
        "    removed django",
        "  Files",
        "    a changed",
    ]


def test_paths_stand_under_the_line_that_explains_them() -> None:
    line = StoryLine("Files", "two changed", paths=("", "a\x1b"), path_count=2)

    assert list(story.lines(Story("x", lines=(line,)), LOOK))[2:] == [
        "    two changed",
        "        .",
        "        a\\x1b",
    ]


def test_the_writers_words_stand_beside_the_templates() -> None:
    lines = list(story.lines(Story("installed flask", retold="Flask came in."), LOOK))

    assert lines == ["  installed flask", "  Flask came in."]


def test_what_is_loud_has_a_sign_and_a_colour() -> None:
    high = StoryLine("Warnings", "danger", Severity.HIGH)
    note = StoryLine("Running", "a port", Severity.NOTE)
    plain = list(story.lines(Story("x", lines=(high, note)), LOOK))
    coloured = list(story.lines(Story("x", lines=(high, note)), COLOURED))

    assert plain[2] == "    ⚠ danger"
    assert plain[4] == "    · a port"
    assert RED in coloured[2]
    assert YELLOW in coloured[4]
    assert DIM in coloured[1]


def test_only_a_headline_that_warns_is_coloured() -> None:
    assert RED in story.headline("x", Severity.HIGH, COLOURED)
    assert story.headline("x", Severity.NOTE, COLOURED) == "x"


def test_nothing_from_a_snapshot_drives_the_terminal() -> None:
    bad = samples.HOSTILE
    line = StoryLine("Files", bad, paths=(bad,), path_count=1)
    fact = Fact("env.added", bad, bad, bad, bad, marks=(bad,))
    change = Change(samples.HOSTILE_PATH, ChangeKind.ADDED, None, samples.FILE)
    lines = [
        *story.lines(Story(bad, (fact,), (line,), 1, bad), LOOK),
        *story.blamed(Blame(bad, (Appearance(samples.FIRST, (fact,), (change,)),)), LOOK),
        *story.blamed(Blame(bad, ()), LOOK),
        story.headline(bad, Severity.HIGH, LOOK),
    ]

    assert all(text.isprintable() for text in lines)


def test_blame_says_when_and_under_which_intent() -> None:
    assert list(story.blamed(samples.BLAME, LOOK)) == [
        "11:00  04040404  try the new login",
        "    package.changed flask (pip:.venv), 2.3.3 → 3.0.0",
        "Sun 10:07  02020202  before-auth · before the auth refactor",
        "    src/new.py: added",
    ]


def test_blame_of_the_root_and_of_metadata() -> None:
    change = Change(b"", ChangeKind.METADATA, samples.DIRECTORY, samples.DIRECTORY)
    found = Blame(".", (Appearance(samples.FIRST, (), (change,)),))

    assert list(story.blamed(found, LOOK))[1] == "    .: metadata changed"


def test_blame_of_what_nobody_knows_says_so() -> None:
    assert list(story.blamed(Blame("left-pad", ()), LOOK)) == ["No checkpoint changed left-pad"]


def test_status_tells_what_happened_and_then_lists_it() -> None:
    assert list(changes.with_story(samples.STATUS, LOOK)) == [
        "2 changes since 04040404 (try the new login):",
        "  src/new.py added",
        "  Files",
        "    src/new.py added",
        "",
        "  M  src/app.py  1.2 kB → 3.4 kB, mode 0644 → 0755",
        "  A  src/new.py  1.2 kB",
    ]


def test_status_of_an_unchanged_workspace_is_one_line() -> None:
    unchanged = Difference(samples.NAMED, None, (), samples.WHOLE, Story("nothing changed"))

    assert list(changes.with_story(unchanged, LOOK)) == [
        "No changes since 02020202 (before-auth · before the auth refactor)"
    ]


def test_facts_of_a_difference_come_without_its_paths() -> None:
    lines = list(changes.facts(samples.STATUS, LOOK))

    assert lines == [
        "2 changes since 04040404 (try the new login):",
        "  src/new.py added",
        "  Files",
        "    src/new.py added",
    ]
