"""What cannot be undone is shown, and a person at a terminal is asked; scripts are not."""

from __future__ import annotations

import pytest

from clew.cli.exits import ExitCode
from clew.errors import ForkHasChanges
from tests.cli.fakes import FakeClew

VERBS = [("delete", "a"), ("delete", "a", "--purge"), ("gc", "--purge"), ("discard", "login")]
DELETES = {"delete", "gc", "discard"}


def done(fake: FakeClew) -> list[object]:
    return [call for call in fake.workspace.asked if call[0] in DELETES]


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_no_deletes_nothing(fake: FakeClew, words: tuple[str, ...]) -> None:
    ran = fake.run(*words, answer="n\n")

    assert ran.code == ExitCode.UNCONFIRMED
    assert "This cannot be undone.\n" in ran.err
    assert ran.err.rpartition("\n")[0].endswith(("Nothing was deleted", "Nothing was removed"))
    assert done(fake) == []


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_yes_deletes(fake: FakeClew, words: tuple[str, ...]) -> None:
    assert fake.run(*words, answer="y\n").code in (ExitCode.DONE, ExitCode.PARTIAL)
    assert len(done(fake)) == 1


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_scripts_and_a_yes_in_advance_are_not_asked(fake: FakeClew, words: tuple[str, ...]) -> None:
    for ran in (fake.run(*words), fake.run(*words, "--yes", answer="n\n")):
        assert ran.code in (ExitCode.DONE, ExitCode.PARTIAL)
        assert "undone" not in ran.err
    assert len(done(fake)) == 2


def test_delete_names_what_it_deletes_and_deletes_just_that(fake: FakeClew) -> None:
    ran = fake.run("delete", "@~1", "latest", answer="y\n")

    assert "This would delete 1 checkpoint:\n  02020202 (before-auth" in ran.err
    assert done(fake) == [("delete", ["02" * 32], False)]


def test_discard_asks_again_about_what_only_the_fork_holds(fake: FakeClew) -> None:
    fake.workspace.discard_error = ForkHasChanges("login")
    no = fake.run("discard", "login", answer="y\nn\n")
    yes = fake.run("discard", "login", answer="y\ny\n")

    assert "Fork has changes that would be lost: 'login'\nDelete it all the same? [y/N]" in no.err
    assert no.code == ExitCode.UNCONFIRMED
    assert yes.code == ExitCode.DONE
    assert done(fake)[-1] == ("discard", "login", False, True)
