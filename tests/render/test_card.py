from __future__ import annotations

from clew.model.change import ChangeCounts
from clew.model.checkpoint import Checkpoint, Labels
from clew.model.fact import Severity
from clew.model.results import CheckpointStory
from clew.model.story import Story, StoryLine
from clew.render.card import saved, shown, vouched
from clew.render.style import Style
from tests.cli import samples

LOOK = Style(samples.NOW, lambda _: 3600, 100, False)


def quiet(checkpoint: Checkpoint) -> CheckpointStory:
    """Return a checkpoint with a story that has nothing to say."""
    return CheckpointStory(checkpoint, Story("nothing changed"))


def test_a_saved_card_says_what_changed_what_it_cost_and_what_is_missing() -> None:
    assert list(saved(samples.SAVED, LOOK)) == [
        "●  04040404  checkpoint-4  12:00  ← here",
        "  try the new login",
        "  ! git will run something new: pre-commit; changed flask 2.3.3 → 3.0.0 (pip in .venv)",
        "  3 added, 2 modified, 1 deleted; 1.2 MB new in 340 ms",
        "  ✘ npm test: failing, exit 1, 2.1 s",
        "    1 test failed",
        "    expected 200, got 302",
        "  ⚠ 2 paths could not be read: secrets/a, secrets/b",
        "  ⚠ 1 file kept changing while being read: app.log",
    ]


def test_a_save_that_skipped_says_so() -> None:
    result = samples.SAVED._replace(created=False, checkpoint=samples.NAMED)
    lines = list(saved(result, LOOK))

    assert "  nothing changed, no checkpoint created" in lines
    assert not any("git will run" in line for line in lines)


def test_a_save_whose_changes_nobody_counted_still_says_its_cost() -> None:
    result = samples.SAVED._replace(checkpoint=samples.checkpoint(1, changes=None), story=None)

    assert list(saved(result, LOOK))[1] == "  1.2 MB new in 340 ms"


def test_a_passing_check_needs_no_output() -> None:
    passing = samples.verdict(0, output="all good")
    lines = list(
        saved(samples.SAVED._replace(checkpoint=samples.checkpoint(1), verdict=passing), LOOK)
    )

    assert lines[-1] == "  ✔ npm test: passing, exit 0, 2.1 s"


def test_a_check_that_was_cut_short_is_neither() -> None:
    assert "  ? npm test: unknown, cut short, 2.1 s" in list(
        saved(samples.SAVED._replace(verdict=samples.verdict(None)), LOOK)
    )


def test_a_save_without_a_check_says_what_is_known_of_its_state() -> None:
    known = samples.SAVED._replace(
        checkpoint=samples.checkpoint(1, verdict=samples.verdict()), verdict=None
    )

    assert list(saved(known, LOOK))[-1] == "  ✔ npm test: passing in the workspace, 12:07"


def test_the_check_that_vouches_stands_under_what_is_good() -> None:
    assert list(vouched(samples.NAMED, LOOK)) == [
        "●  02020202  before-auth  Sun 11:07  pinned",
        "  before the auth refactor",
        "  ✔ npm test: passing in the workspace, 12:07",
    ]


def test_only_the_first_few_missing_paths_are_named() -> None:
    coverage = samples.COVERAGE._replace(counts=(("unreadable", 500),), unstable=())
    checkpoint = samples.checkpoint(1, coverage=coverage)
    lines = list(saved(samples.SAVED._replace(checkpoint=checkpoint, verdict=None), LOOK))

    assert lines[-1] == "  ⚠ 500 paths could not be read: secrets/a, secrets/b and 498 more"


STORY = [
    "  ! git will run something new: pre-commit; changed flask 2.3.3 → 3.0.0 (pip in .venv)",
    "  Warnings",
    "    ⚠ git will run something new: pre-commit",
    "  Packages",
    "    installed blinker 1.8.2; changed flask 2.3.3 → 3.0.0 (pip in .venv)",
    "  Files",
    "    src/app.py changed",
    "  Running",
    "    · ports: 0.0.0.0:8000 opened (flask run)",
    "  ≠ not mentioned in the intent: git will run something new: pre-commit",
    "  verdict      ✘ npm test: failing, exit 1, 2.1 s",
    "               ran in the workspace, 2026-01-05 12:07:00 +01:00",
    "    1 test failed",
    "    expected 200, got 302",
    "  meta         ticket = AB-12",
]


def test_show_starts_with_the_story_and_the_verdict() -> None:
    assert list(shown(samples.TOLD, LOOK)) == [
        "●  04040404  checkpoint-4  12:00  ← here  you",
        "  try the new login",
        "",
        *STORY,
        "  parent       03030303",
        "  ⚠ 2 paths could not be read: secrets/a, secrets/b",
        "  ⚠ 1 file kept changing while being read: app.log",
        "  ⚠ this checkpoint is incomplete",
        "  `--verbose` shows ids, coverage and position",
    ]


def test_show_says_everything_on_request() -> None:
    assert list(shown(samples.TOLD, LOOK, verbose=True))[3:] == [
        *STORY,
        "",
        f"  id           {'04' * 32}",
        "  time         2026-01-05 12:00:00 +01:00",
        "  origin       manual, number 4 of its workspace",
        f"  parent       {'03' * 32}",
        f"  tree         {'04aa' * 16}",
        f"  state        {'04bb' * 16}",
        "  changes      3 added, 2 modified, 1 deleted",
        "  consistency  fuzzy",
        "  holds        1,234 entries, 5.6 MB",
        "  not captured 1 excluded, 2 unreadable",
        "    secrets/a  (unreadable)",
        "    secrets/b  (unreadable)",
        "    tmp  (excluded)",
        "  unstable     kept changing while being read:",
        "    app.log",
        "  unseen       the memory maps of 3 processes could not be read",
        "  ⚠ this checkpoint is incomplete",
    ]


def test_paths_of_generated_directories_are_counted() -> None:
    packages = tuple(f"web/node_modules/a/{number}.js" for number in range(300))
    line = StoryLine("Packages", "installed a", Severity.NONE, ("web/package.json", *packages))
    told = samples.TOLD._replace(story=Story("a", (), (line,)), unmentioned=())

    assert list(shown(told, LOOK))[4:8] == [
        "  Packages",
        "    installed a",
        "        web/package.json",
        "        web/node_modules/  300 paths",
    ]
    assert "`--all` lists every path" in list(shown(told, LOOK))[-1]
    assert len(list(shown(told, LOOK, everything=True))) > 300


def test_show_of_the_first_checkpoint_has_no_parent() -> None:
    lines = list(shown(quiet(samples.checkpoint(1, changes=ChangeCounts())), LOOK, verbose=True))

    assert "  parent       none, this is the first" in lines
    assert "  changes      no changes" in lines


def test_labels_of_many_lines_are_shown_whole_and_safe() -> None:
    labels = Labels("first\nsecond\x1b", "v1", True, "more\n\x07bell", True)
    lines = list(shown(quiet(samples.checkpoint(1, labels)), LOOK, verbose=True))

    assert lines[:6] == [
        "●  01010101  v1  12:07  pinned  you",
        "  first",
        "  second\\x1b",
        "",
        "  more",
        "  \\x07bell",
    ]


def test_output_and_meta_are_hostile_too() -> None:
    labels = Labels(meta=((samples.HOSTILE, samples.HOSTILE),))
    verdict = samples.verdict(1, output=samples.HOSTILE)
    told = quiet(samples.checkpoint(1, labels, verdict=verdict))._replace(verdicts=(verdict,))
    text = "\n".join(shown(told, LOOK))

    assert "red" in text

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\u009b" not in text
