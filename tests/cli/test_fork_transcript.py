"""Whole conversations about forks with the real command, in a process of its own."""

from __future__ import annotations

import pytest

from tests.cli.transcript import Transcript
from tests.kit.running import Clew


@pytest.fixture
def page(clew: Clew) -> Transcript:
    (clew.workspace / "app.py").write_text("print('hello')\n")
    return Transcript(clew)


def test_a_fork_is_made_listed_and_discarded(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--name", "v1")
    page.run("forks")
    page.run("fork", "v1", "../login")
    (clew.workspace.parent / "login" / "app.py").write_text("print('login')\n")
    page.quietly("-C", "../login", "save", "a login")
    page.run("fork", "v1", "--name", "spare")
    page.run("forks")
    page.run("discard", "login")
    page.run("discard", "login", "--yes")
    page.run("discard", "spare")
    page.run("forks", "--json")

    assert page.matches("""
$ clew forks
No forks of this workspace; create one with `clew fork REF DIR`
$ clew fork v1 ../login
Forked <1> (v1 · it works) as login: PLACE/login
  1 entry written and read back in <duration>
  `clew adopt login` merges its changes back
$ clew fork v1 --name spare
Forked <1> (v1 · it works) as spare: STORE/forks/spare
  1 entry written and read back in <duration>
  `clew adopt spare` merges its changes back
$ clew forks
  spare  unchanged
      from <1> (v1 · it works): STORE/forks/spare
  login  edited app.py
      from <1> (v1 · it works): PLACE/login
$ clew discard login
! Error: Fork has changes that would be lost: 'login'
! Hint: Merge them with `clew adopt login`, or discard the fork with --yes
[exit 5]
$ clew discard login --yes
Discarded login with its 2 checkpoints
  its directory was kept: PLACE/login
$ clew discard spare
Discarded spare with its 1 checkpoint
  its directory was removed: STORE/forks/spare
$ clew forks --json
{"forks": []}
""")


def test_what_cannot_be_forked_says_why(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works")
    page.run("fork", "@", "inside")
    page.run("fork", "@", "..")
    page.run("fork", "@", "../a/b")
    page.run("fork", "@", "../x", "--name", "latest")
    page.run("fork", "nothing", "../x")
    page.run("discard", "nothing")

    assert page.matches("""
$ clew fork @ inside
! Error: Invalid fork directory (inside the workspace): 'PROJECT/inside'
! Hint: Give a directory that does not exist, or none to keep the files in the store
[exit 2]
$ clew fork @ ..
! Error: Invalid fork directory (contains the workspace): 'PLACE'
! Hint: Give a directory that does not exist, or none to keep the files in the store
[exit 2]
$ clew fork @ ../a/b
! Error: Invalid fork directory (parent directory does not exist): 'PLACE/a/b'
! Hint: Give a directory that does not exist, or none to keep the files in the store
[exit 2]
$ clew fork @ ../x --name latest
! Error: Invalid fork name (reserved word): 'latest'
! Hint: Choose another name with --name NAME
[exit 2]
$ clew fork nothing ../x
! Error: No checkpoint matches: 'nothing'
! Hint: List the checkpoints with `clew log`
[exit 2]
$ clew discard nothing
! Error: No fork of this workspace matches: 'nothing'
! Hint: List the forks with `clew forks`
[exit 2]
""")
