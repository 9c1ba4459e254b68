"""A writer may choose its words but not its facts, and a failing one changes nothing."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest

from clew.model.fact import Fact
from clew.model.story import Story, StoryLine
from clew.story.writer import unknown_words, write_text

STORY = Story(
    "installed flask 3.0.0 (pip in .venv); app.db: users 10 → 12 rows",
    (
        Fact("package.added", "pip:.venv", "flask", None, "3.0.0"),
        Fact("table.changed", "sqlite:app.db", "users", "10", "12", marks=("+column email",)),
    ),
    (StoryLine("Packages", "installed flask 3.0.0 (pip in .venv)", path_count=61),),
    62,
)


def says(text: str) -> str:
    return f"printf %s {shlex.quote(text)}"


@pytest.mark.parametrize(
    "text",
    [
        "Flask 3.0.0 was installed into .venv, and the users table grew from 10 to 12 rows.",
        "The users table has a new email column.",
    ],
)
def test_a_writer_that_only_uses_the_facts_is_accepted(text: str) -> None:
    assert unknown_words(text, STORY) == []
    assert write_text(STORY, says(text), "{}") == text


@pytest.mark.parametrize(
    ("text", "stranger"),
    [
        ("Installed django.", "django"),
        ("Installed flask 3.0.1.", "3.0.1"),
        ("The users table grew to 13 rows.", "13"),
        ("The users table grew to thirteen rows.", "thirteen"),
        ("The orders table grew.", "orders"),
        ("Alice installed flask.", "Alice"),
        ("Installed flask from https://evil.example/x", "https://evil.example/x"),
        ("The users table grew to 1,200 rows.", "1,200"),
    ],
)
def test_a_writer_that_names_or_counts_a_stranger_is_refused(text: str, stranger: str) -> None:
    found = unknown_words(text, STORY)

    assert found
    assert all(word in stranger for word in found)
    assert write_text(STORY, says(text), "{}") == ""


def test_a_writer_is_given_the_facts(tmp_path: Path) -> None:
    given = tmp_path / "given"
    write_text(STORY, f"cat > {shlex.quote(str(given))}", '{"facts": []}')

    assert given.read_text() == '{"facts": []}'


def test_words_on_several_lines_become_one() -> None:
    assert write_text(STORY, says("Flask\n  was   installed.\n"), "{}") == "Flask was installed."


@pytest.mark.parametrize(
    "command",
    [
        "exit 3",
        "printf 'Flask was installed.'; exit 1",
        "/does/not/exist",
        "kill -9 $$",
        "true",
        says("flask " * 200),
        r"printf '\377\376'",
        "exec 0<&-; printf 'Installed django.'",
    ],
)
def test_a_writer_that_fails_costs_nothing(command: str) -> None:
    assert write_text(STORY, command, "{}" * 100_000) == ""


def test_a_writer_that_prints_ten_megabytes_costs_nothing() -> None:
    code = "import sys; sys.stdout.write('flask ' * 2_000_000)"

    assert write_text(STORY, f"{sys.executable} -c {shlex.quote(code)}", "{}") == ""


def test_a_writer_that_never_ends_is_not_listened_to_for_long() -> None:
    started = time.monotonic()

    assert write_text(STORY, "yes flask", "{}") == ""
    assert time.monotonic() - started < 5


def test_a_writer_that_says_nothing_more_and_stays_is_stopped() -> None:
    started = time.monotonic()

    assert write_text(STORY, "printf Flask; exec >&-; sleep 60", "{}", seconds=1) == ""
    assert time.monotonic() - started < 5


def test_a_writer_that_hangs_is_stopped_with_all_that_it_started(
    tmp_path: Path,
) -> None:
    started = time.monotonic()
    mark = tmp_path / "mark"
    command = f"(sleep 4; touch {shlex.quote(str(mark))}) & sleep 60"

    assert write_text(STORY, command, "{}", seconds=1) == ""
    assert time.monotonic() - started < 3.5
    time.sleep(max(0.0, 5 - (time.monotonic() - started)))
    assert not mark.exists()
