"""Whole conversations about forks that come back, and edits that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_transcripts import page as a_page
from tests.cli.transcript import Transcript
from tests.kit.running import Clew
from tests.worktree.sink import settle

LOGIN = "def login():\n    # ask twice\n    # then give up\n    # or not\n    # who knows\n    return {}\n"

page = a_page


def write(place: Path, returned: int, comment: str = "ask twice") -> None:
    text = LOGIN.format(returned).replace("ask twice", comment)
    (place / "src" / "login.py").write_text(text)
    settle()


@pytest.fixture
def project(clew: Clew) -> Path:
    return clew.workspace


def test_adopting_a_fork(clew: Clew, page: Transcript, project: Path) -> None:
    write(project, 200)
    page.quietly("save", "it works", "--name", "v1")
    place = project.parent / "fork"
    page.quietly("fork", "v1", str(place), "--name", "redirect")
    write(place, 302)
    (place / "notes.txt").write_text("try a redirect\n")
    clew.ok("save", "redirect", cwd=place)
    write(project, 200, "ask once")
    page.run("adopt", "redirect", "--dry-run")
    page.run("adopt", "redirect")
    page.run("adopt", "redirect", "--yes")
    page.run("cat", "@", "src/login.py")
    page.run("adopt", "redirect")
    page.run("undo", "--yes")
    page.run("adopt", "nowhere")

    assert page.matches("""
$ clew adopt redirect --dry-run
Adopting redirect would
  overwrite or delete 1 file written by hand:
    M  src/login.py  91 B, not saved yet
  create 1 path, 15 B:
    A  notes.txt  15 B
  merge 1 file changed on both sides
      src/login.py
The current state is saved first; `clew undo` brings it back.
$ clew adopt redirect
Adopting redirect would
  overwrite or delete 1 file written by hand:
    M  src/login.py  91 B, not saved yet
  create 1 path, 15 B:
    A  notes.txt  15 B
  merge 1 file changed on both sides
      src/login.py
The current state is saved first; `clew undo` brings it back.
! Error: Confirmation required: 1 file would be overwritten
! Hint: Run the command again with --yes to confirm
[exit 5]
$ clew adopt redirect --yes
Now at <1> (adopted redirect)
  1 created, 1 replaced; verified
  merged 1 file changed on both sides
      src/login.py
  the previous state is saved as <2>; `clew undo` restores it
$ clew cat @ src/login.py
def login():
    # ask once
    # then give up
    # or not
    # who knows
    return 302
$ clew adopt redirect
Nothing to adopt from redirect
$ clew undo --yes
Now at <2> (↩ rescue before adopting redirect)
  1 replaced, 1 deleted; verified
$ clew adopt nowhere
! Error: No fork of this workspace matches: 'nowhere'
! Hint: List the forks with `clew forks`
[exit 2]
""")


def test_conflicts(clew: Clew, page: Transcript, project: Path) -> None:
    write(project, 200)
    page.quietly("save", "it works", "--name", "v1")
    write(project, 302)
    (project / "notes.txt").write_text("try a redirect\n")
    page.quietly("save", "redirect")
    write(project, 500)
    page.run("restore", "v1", "--keep-mine", "--yes")
    page.run("restore", "v1", "notes.txt", "--keep-mine", "--yes")
    page.run("restore", "v1", "--keep-mine", "--ours", "--yes")
    page.run("restore", "v1", "--ours")

    assert page.matches("""
$ clew restore v1 --keep-mine --yes
Restoring <1> (v1 · it works) and keeping later edits is blocked by 1 conflict
  src/login.py: both changed the same lines
! Error: Merge conflicts: both sides changed the same paths; nothing was written
! Hint: Resolve them with --theirs or --ours, or limit the merge to other paths with PATH
[exit 1]
$ clew restore v1 notes.txt --keep-mine --yes
Now at <2> (restored <1>, keeping later edits)
  1 deleted; verified
  the previous state is saved as <3>; `clew undo` restores it
$ clew restore v1 --keep-mine --ours --yes
Nothing to restore from <1> (v1 · it works)
  resolved 1 conflict in favour of ours
      src/login.py: both changed the same lines
$ clew restore v1 --ours
! Error: --ours: requires --keep-mine
! Hint: See `clew restore --help`
[exit 2]
""")
