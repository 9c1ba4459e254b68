"""Restore, undo and redo: nothing is overwritten without a yes, and the answer is honest."""

from __future__ import annotations

import json

import pytest

from clew.cli.exits import ExitCode
from clew.errors import RestoreBlocked
from clew.model.restore_results import RestorePreview
from tests.cli import samples
from tests.cli.fakes import FakeClew

VERBS = [("restore", "before-auth"), ("undo",), ("redo",)]

EMPTY = samples.PREVIEW._replace(replaced=(), deleted=(), metadata=())


@pytest.mark.parametrize("words", VERBS)
def test_off_a_terminal_the_preview_is_shown_and_nothing_done(
    fake: FakeClew, words: tuple[str, ...]
) -> None:
    ran = fake.run(*words)

    assert ran.code == ExitCode.UNCONFIRMED
    assert ran.out.startswith("Restoring 02020202 (before-auth · before the auth refactor) would\n")
    assert ran.err == (
        "Error: Confirmation required: 3 files would be overwritten or deleted\n"
        "Hint: Run the command again with --yes to confirm\n"
    )


@pytest.mark.parametrize("words", VERBS)
def test_under_json_the_preview_stands_beside_the_error(
    fake: FakeClew, words: tuple[str, ...]
) -> None:
    ran = fake.run(*words, "--json", answer="y\n")
    found = json.loads(ran.out)

    assert ran.code == ExitCode.UNCONFIRMED
    assert ran.err == ""
    assert found["error"]["kind"] == "needs-confirmation"
    assert found["preview"]["deleted"] == [
        {"path": "src/new.py", "size": 1200, "was_created_since_target": True}
    ]


@pytest.mark.parametrize("words", VERBS)
def test_a_yes_in_advance_asks_nothing(fake: FakeClew, words: tuple[str, ...]) -> None:
    ran = fake.run(*words, "--yes")

    assert ran.code == ExitCode.DONE
    assert ran.err == ""
    assert ran.out.startswith("Now at 02020202")


@pytest.mark.parametrize("words", VERBS)
def test_where_nothing_is_overwritten_nobody_is_asked(
    fake: FakeClew, words: tuple[str, ...]
) -> None:
    fake.workspace.plan = EMPTY

    assert fake.run(*words).code == ExitCode.DONE


def test_on_a_terminal_a_person_is_asked(fake: FakeClew) -> None:
    ran = fake.run("undo", answer="y\n")

    assert ran.code == ExitCode.DONE
    assert "src/new.py" in ran.err
    assert "not saved yet" in ran.err
    assert ran.err.endswith("Proceed? [y]es, [N]o, [d]iff: ")


def test_where_a_checkpoint_holds_all_of_it_nobody_is_asked(fake: FakeClew) -> None:
    fake.workspace.config["restore.ask"] = "unsaved"
    fake.workspace.plan = samples.PREVIEW._replace(unsaved=(), processes=())
    ran = fake.run("restore", "before-auth", answer="")

    assert ran.code == ExitCode.DONE
    assert ran.err == (
        "Not asking: the current checkpoint has all of it"
        " (1 replaced, 1 deleted, 1 with metadata changed); `clew undo` reverses this\n"
    )


def test_off_a_terminal_a_yes_is_needed_even_so(fake: FakeClew) -> None:
    fake.workspace.config["restore.ask"] = "never"
    fake.workspace.plan = samples.PREVIEW._replace(unsaved=(), processes=())

    assert fake.run("restore", "before-auth").code == ExitCode.UNCONFIRMED
    assert fake.run("undo", "--json", answer="y\n").code == ExitCode.UNCONFIRMED


@pytest.mark.parametrize(
    "plan",
    [
        samples.PREVIEW._replace(processes=()),
        samples.PREVIEW._replace(unsaved=()),
        samples.PREVIEW._replace(unsaved=(), processes=(), unsaved_parts=("conversation",)),
    ],
    ids=["unsaved files", "a program that has one open", "an unsaved conversation"],
)
def test_what_could_be_lost_is_asked_about(fake: FakeClew, plan: RestorePreview) -> None:
    fake.workspace.config["restore.ask"] = "unsaved"
    fake.workspace.plan = plan

    assert fake.run("redo", answer="n\n").code == ExitCode.UNCONFIRMED


def test_the_setting_has_a_person_always_or_never_asked(fake: FakeClew) -> None:
    fake.workspace.config["restore.ask"] = "never"
    never = fake.run("undo", answer="n\n")
    fake.workspace.config["restore.ask"] = "always"
    fake.workspace.plan = samples.PREVIEW._replace(unsaved=(), processes=())
    always = fake.run("undo", answer="n\n")

    assert never.code == ExitCode.DONE
    assert "the current state is saved first (1 replaced" in never.err
    assert never.err.endswith("; `clew redo` reverses this\n")
    assert always.code == ExitCode.UNCONFIRMED


def test_the_diff_is_shown_at_the_question(fake: FakeClew) -> None:
    ran = fake.run("undo", answer="d\ny\n")

    assert ran.code == ExitCode.DONE
    assert "+\tnew \\x1b[31m" in ran.err
    assert ran.err.count("Proceed?") == 2
    assert ran.err.count("src/new.py") == 1, "the preview is not shown again"
    assert [call[0] for call in fake.workspace.asked] == ["undo", "diff", "patch", "undo"]


@pytest.mark.parametrize("answer", ["n\n", "\n", "", "yess\n"])
def test_anything_but_yes_is_no(fake: FakeClew, answer: str) -> None:
    ran = fake.run("undo", answer=answer)

    assert ran.code == ExitCode.UNCONFIRMED
    assert ran.out == ""
    assert ran.err.endswith("Nothing was changed\n")


def test_restore_passes_on_reference_and_paths(fake: FakeClew) -> None:
    fake.run("restore", "10:27", "a", "b", "--yes")

    assert fake.workspace.asked == [("restore", "10:27", ["a", "b"])]


def test_a_preview_changes_nothing(fake: FakeClew) -> None:
    ran = fake.run("restore", "10:27", "a", "--dry-run", "--json")

    assert ran.code == ExitCode.DONE
    assert fake.workspace.asked == [("preview", "10:27", ["a"])]
    assert json.loads(ran.out)["preview"]["needs_confirmation"] is True


def test_undo_counts_steps(fake: FakeClew) -> None:
    fake.run("undo", "--yes")
    fake.run("undo", "3", "--yes")

    assert fake.workspace.asked == [("undo", 1), ("undo", 3)]
    assert fake.run("undo", "0").code == ExitCode.USAGE


@pytest.mark.parametrize("words", VERBS)
def test_a_partial_result_says_so_and_exits_with_3(fake: FakeClew, words: tuple[str, ...]) -> None:
    fake.workspace.restored = samples.PARTIAL
    ran = fake.run(*words, "--yes")

    assert ran.code == ExitCode.PARTIAL
    assert ran.out.startswith("Partly at 02020202")
    assert "      null: only root may make it\n" in ran.out


def test_a_refusal_says_what_to_do_instead(fake: FakeClew) -> None:
    fake.workspace.error = RestoreBlocked("secrets/a")
    ran = fake.run("restore", "@", "--yes")

    assert ran.code == ExitCode.FAILED
    assert ran.err == (
        "Error: Cannot restore: an excluded path is in the way: 'secrets/a'\n"
        "Hint: Move it away, or restore other paths with `clew restore REF PATH`\n"
    )
