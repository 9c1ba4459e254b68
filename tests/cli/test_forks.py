"""The commands about forks: what they ask of the library, and what they answer with."""

from __future__ import annotations

import json

from clew.cli.exits import ExitCode
from clew.model.parts import Resumable
from clew.model.session import SessionInfo
from tests.cli import samples_forks
from tests.cli.fakes import FakeClew


def test_fork_passes_on_where_and_by_which_name(fake: FakeClew) -> None:
    fake.run("fork", "v1", "../login", "--name", "other")
    fake.run("fork", "@")

    assert fake.workspace.asked == [("fork", "v1", "../login", "other"), ("fork", "@", None, None)]


def test_fork_says_what_grew_and_how_it_comes_back(fake: FakeClew) -> None:
    assert fake.run("fork", "v1", "../login").out == (
        "Forked 02020202 (before-auth · before the auth refactor) as login: /home/me/login\n"
        "  12 entries written and read back in 2.1 s\n"
        "  14 files in .venv name /home/me/project, so programs there may write to the original:"
        " .venv/bin/pip, .venv/bin/pip3 and 12 more\n"
        "  `clew enter login` starts a shell in which /home/me/project is the fork\n"
        "  .git names /home/me/main/.git/worktrees/project: git in the fork changes it too\n"
        "  `clew adopt login` merges its changes back\n"
    )


def test_fork_lists_what_could_not_be_given_back_and_says_so_in_its_exit_code(
    fake: FakeClew,
) -> None:
    fake.workspace.forked = samples_forks.SHORT
    ran = fake.run("fork", "v1", "../login")

    assert ran.code == ExitCode.PARTIAL
    assert "could not write exactly 2 paths" in ran.out
    assert "of root: could not be restored: owner" in ran.out
    assert "\x1b" not in ran.out


def test_forks_are_listed_with_what_came_of_them_and_where_they_are(fake: FakeClew) -> None:
    assert fake.run("forks").out == (
        "  login   ✔ npm test  src/session.py added\n"
        "      from 02020202 (before-auth · before the auth refactor): /home/me/login\n"
        "  fork-1              unchanged\n"
        "      from 02020202 (before-auth · before the auth refactor): "
        "missing: /home/me/.local/share/clew/forks/fork-1\n"
        "  update              use sessions\n"
        "      from 02020202 (deleted): no directory\n"
    )


def test_a_workspace_without_forks_says_how_to_make_one(fake: FakeClew) -> None:
    fake.workspace.grown = ()

    assert "`clew fork REF DIR`" in fake.run("forks").out
    assert json.loads(fake.run("forks", "--json").out) == {"forks": []}


def test_discard_passes_on_what_may_go(fake: FakeClew) -> None:
    fake.run("discard", "login")
    fake.run("discard", "8888", "--yes", "--files")

    assert fake.workspace.asked == [
        ("discard", "login", False, False),
        ("discard", "8888", True, True),
    ]


def test_discard_says_what_went_and_what_stayed(fake: FakeClew) -> None:
    gone = fake.run("discard", "login", "--files")
    fake.workspace.discarded = samples_forks.DISCARDED._replace(removed=False)
    stays = fake.run("discard", "login")
    why = "it contains another workspace"
    fake.workspace.discarded = samples_forks.DISCARDED._replace(removed=False, kept_because=why)
    kept = fake.run("discard", "login", "--files")

    assert gone.out == (
        "Discarded login with its 2 checkpoints\n  its directory was removed: /home/me/login\n"
    )
    assert stays.out.endswith("  its directory was kept: /home/me/login\n")
    assert kept.out.endswith(f"  its directory was not removed, {why}: /home/me/login\n")
    assert (gone.code, stays.code, kept.code) == (0, 0, ExitCode.PARTIAL)


def test_an_agent_is_told_how_to_go_on_in_the_fork(fake: FakeClew) -> None:
    session = SessionInfo(b"\x11" * 16, b"", agent="claude-code")
    resumable = Resumable("abc", b"/home/me/abc.jsonl", "cd /home/me/login && claude --resume abc")
    forked = fake.workspace.forked._replace(session=session, resumable=resumable)
    fake.workspace.forked = forked
    ran = fake.run("fork", "v1", "../login", "--conversation")

    assert fake.workspace.asked == [("fork", "v1", "../login", None, "conversation")]
    assert "  conversation and tasks continue there as session 11111111\n" in ran.out
    assert "  to continue there: cd /home/me/login && claude --resume abc\n" in ran.out
