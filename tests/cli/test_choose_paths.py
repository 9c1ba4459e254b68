"""`restore --interactive` at a terminal: what is chosen is restored, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.cli.exits import ExitCode
from tests.kit.running import Clew
from tests.kit.screen import CONTROL_C, ENTER, Seat


@pytest.fixture
def changed(clew: Clew) -> Clew:
    """Since the first checkpoint: two files edited, one deleted with its directory, many added."""
    place = clew.workspace
    (place / "src").mkdir()
    (place / "docs").mkdir()
    for name in ("src/app.py", "src/lib.py", "docs/guide.md"):
        (place / name).write_text("first\n")
    clew.save("first", "--name", "first")
    for name in ("src/app.py", "src/lib.py"):
        (place / name).write_text("second\n")
    (place / "docs" / "guide.md").unlink()
    (place / "docs").rmdir()
    (place / "web" / "modules").mkdir(parents=True)
    for number in range(30):
        (place / "web" / "modules" / f"{number}.js").write_text("x")
    return clew


def content(clew: Clew, name: str) -> str:
    path = clew.workspace / name
    return path.read_text() if path.exists() else ""


def answer(seat: Seat, *steps: tuple[str, str]) -> None:
    """Answer each question, once what it is about is on the screen."""
    for about, key in steps:
        seat.see(about)
        seat.see_that(lambda: seat.text.rstrip().endswith("]"), "a question")
        seat.type(key + ENTER)


def test_only_what_is_chosen_is_restored(changed: Clew) -> None:
    with Seat(changed, "restore", "first", "-i", rows=60) as seat:
        answer(
            seat,
            ("create docs/guide.md", "y"),
            ("replace src/app.py, 6 B, unsaved changes would be lost", "n"),
            ("replace src/lib.py", "y"),
            ("web/modules/: delete 30 paths", "n"),
        )
        code = seat.leave()

    assert code == ExitCode.DONE
    assert "2 created, 1 replaced; verified" in seat.text
    assert content(changed, "docs/guide.md") == "first\n"
    assert [content(changed, f"src/{name}.py") for name in ("app", "lib")] == [
        "second\n",
        "first\n",
    ]
    assert len(list((changed.workspace / "web/modules").iterdir())) == 30


def test_a_generated_directory_is_one_question_however_few_its_files_are(clew: Clew) -> None:
    clew.save("first", "--name", "first")
    for name in ("node_modules/a/x.js", "node_modules/b.js", "web/one.js", "web/two.js"):
        path = clew.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    with Seat(clew, "restore", "first", "-i", rows=60) as seat:
        answer(
            seat,
            ("node_modules/: delete", "y"),
            ("delete web/one.js", "n"),
            ("delete web/two.js", "n"),
        )
        code = seat.leave()

    assert code == ExitCode.DONE
    assert not (clew.workspace / "node_modules").exists()
    assert len(list((clew.workspace / "web").iterdir())) == 2


def test_a_directory_is_one_question_and_can_be_opened(changed: Clew) -> None:
    with Seat(changed, "restore", "first", "web", "--interactive", rows=60) as seat:
        answer(
            seat,
            ("web/modules/: delete 30 paths", "o"),
            ("delete web/modules/0.js", "n"),
            ("delete web/modules/1.js", "a"),
        )
        code = seat.leave()

    assert code == ExitCode.DONE
    assert [path.name for path in (changed.workspace / "web/modules").iterdir()] == ["0.js"]


def test_a_whole_directory_goes_with_itself(changed: Clew) -> None:
    with Seat(changed, "restore", "first", "-i", rows=60) as seat:
        answer(
            seat,
            ("create docs/guide.md", "n"),
            ("replace src/app.py", "n"),
            ("replace src/lib.py", "n"),
            ("web/modules/: delete 30 paths", "y"),
        )
        seat.leave()

    assert not (changed.workspace / "web").exists()
    assert not (changed.workspace / "docs").exists()
    assert changed.ok("undo", "--yes").code == ExitCode.DONE
    assert len(list((changed.workspace / "web/modules").iterdir())) == 30


def test_the_rest_of_a_place_can_be_left_and_a_diff_shown(changed: Clew) -> None:
    with Seat(changed, "restore", "first", "-i", rows=60) as seat:
        answer(seat, ("create docs/guide.md", "n"), ("replace src/app.py", "p"))
        seat.see("+second")
        answer(seat, ("-first", "huh"), ("q  ask no more", "d"))
        code = seat.leave()

    assert code == ExitCode.UNCONFIRMED
    assert seat.text.rstrip().endswith("Nothing was changed")
    assert content(changed, "src/app.py") == "second\n"


@pytest.mark.parametrize(("key", "expected"), [("y", "first\n"), ("n", "")])
def test_to_stop_early_is_asked_about(changed: Clew, key: str, expected: str) -> None:
    with Seat(changed, "restore", "first", "-i", rows=60) as seat:
        answer(
            seat,
            ("create docs/guide.md", "y"),
            ("replace src/app.py", "q"),
            ("Restore the 1 path chosen so far? [y/N]", key),
        )
        seat.leave()

    assert content(changed, "docs/guide.md") == expected
    assert content(changed, "src/app.py") == "second\n"


def test_an_interrupt_changes_nothing(changed: Clew) -> None:
    with Seat(changed, "restore", "first", "-i", rows=60) as seat:
        answer(seat, ("create docs/guide.md", "y"))
        seat.see("replace src/app.py")
        seat.type(CONTROL_C)
        code = seat.leave()

    assert code == ExitCode.INTERRUPTED
    assert "Interrupted" in seat.text
    assert content(changed, "docs/guide.md") == ""


def test_files_can_be_chosen_at_the_question(changed: Clew) -> None:
    with Seat(changed, "restore", "first", rows=200) as seat:
        seat.see("Proceed? [y]es, [N]o, [i] choose files, [d]iff:")
        seat.type("d" + ENTER)
        seat.see_that(lambda: seat.text.count("Proceed?") == 2, "the question again")
        seat.type("i" + ENTER)
        answer(seat, ("create docs/guide.md", "y"), ("replace src/app.py", "q"))
        answer(seat, ("Restore the 1 path chosen so far?", "y"))
        code = seat.leave()

    assert code == ExitCode.DONE
    assert "+second" in seat.text
    assert seat.text.count("The current state is saved first") == 1
    assert content(changed, "docs/guide.md") == "first\n"
    assert content(changed, "src/app.py") == "second\n"


def test_names_that_are_not_text_are_chosen_and_escaped(clew: Clew) -> None:
    name = clew.workspace / "bad\udcff\x1b[2J"
    name.write_text("first")
    clew.save("first", "--name", "first")
    name.write_text("second")
    with Seat(clew, "restore", "first", "-i") as seat:
        answer(seat, ("replace bad\\xff\\x1b[2J", "y"))
        code = seat.leave()

    assert code == ExitCode.DONE
    assert name.read_text() == "first"


@pytest.mark.parametrize("option", ["--yes", "--dry-run", "--keep-mine", "--files"])
def test_options_that_contradict_it_are_refused(changed: Clew, option: str) -> None:
    with Seat(changed, "restore", "first", "-i", option) as seat:
        assert seat.leave() == ExitCode.USAGE
    assert "--interactive" in seat.text


def test_without_a_terminal_it_is_refused(changed: Clew) -> None:
    ran = changed.run("restore", "first", "--interactive")

    assert ran.code == ExitCode.USAGE
    assert "requires a terminal" in ran.err


def test_where_nothing_differs_nothing_is_asked(clew: Clew, tmp_path: Path) -> None:
    (clew.workspace / "file").write_text("x")
    clew.save("first", "--name", "first")
    with Seat(clew, "restore", "first", "-i") as seat:
        assert seat.leave() == ExitCode.DONE
    assert "would\n  change nothing" in seat.text
