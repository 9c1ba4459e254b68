"""A whole bisect, as people see it."""

from __future__ import annotations

import pytest

from clew.worktree.sandbox import why_unavailable
from tests.cli.test_transcripts import page
from tests.cli.transcript import Transcript
from tests.kit.running import Clew

__all__ = ["page"]


@pytest.fixture
def history(clew: Clew, page: Transcript) -> Transcript:
    """Six checkpoints, the fourth of which breaks the login, and the third cannot be judged."""
    if why := why_unavailable():
        pytest.skip(why)
    for number, status in enumerate((200, 200, 0, 302, 302, 302), 1):
        login = clew.workspace / "src" / "login.py"
        login.write_text(f"def login():\n    return {status}  # {number}\n")
        page.quietly("save", f"step {number}")
    return page


def test_looking_for_the_first_bad_one(history: Transcript) -> None:
    history.run("bisect", "--", "grep -q 'return [02]' src/login.py")
    history.run("bisect", "--", "grep", "-q", "return [02]", "src/login.py")
    history.run("bisect", "--", "! grep -q 'return 0' src/login.py || exit 125; grep -q 200 src/*")
    history.run("bisect", "--", "true")
    history.run("bisect", "--", "false")
    history.run("bisect", "@", "@~2", "--", "true")

    assert history.matches("""
$ clew bisect -- grep -q 'return [02]' src/login.py
The first bad checkpoint is
●  <1>  checkpoint-4  <time>
  step 4

  src/login.py: ~login()
  Files
    src/login.py: ~login() (+1 −1 lines)

  last good    <2> (step 3)
  check        grep -q 'return [02]' src/login.py
  searched     6 states, 4 runs
`clew restore <2>` restores the last good one
`clew show <1> --paths` lists every path that changed
! Checking <3> (step 6), about 4 more
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
! ✘ failing, exit 1, <duration>
! Checking <4> (step 1), about 3 more
! ✔ passing, <duration>
! Checking <2> (step 3), about 2 more
! ✔ passing, <duration>
! Checking <1> (step 4), about 1 more
! ✘ failing, exit 1, <duration>
$ clew bisect -- grep -q return [02] src/login.py
The first bad checkpoint is
●  <1>  checkpoint-4  <time>
  step 4

  src/login.py: ~login()
  Files
    src/login.py: ~login() (+1 −1 lines)

  last good    <2> (step 3)
  check        grep -q 'return [02]' src/login.py
  searched     4 states, 0 runs, 3 known before
`clew restore <2>` restores the last good one
`clew show <1> --paths` lists every path that changed
$ clew bisect -- ! grep -q 'return 0' src/login.py || exit 125; grep -q 200 src/*
The first bad checkpoint is one of these; the check cannot judge those before the last
    <2> (step 3)
    <1> (step 4)

  src/login.py: ~login()
  Files
    src/login.py: ~login() (+1 −1 lines)

  last good    <5> (step 2)
  check        ! grep -q 'return 0' src/login.py || exit 125; grep -q 200 src/*
  searched     6 states, 5 runs
  skipped      1 not judged
    <2> (step 3)
`clew restore <5>` restores the last good one
`clew show <1> --paths` lists every path that changed
! Checking <3> (step 6), about 4 more
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
! ✘ failing, exit 1, <duration>
! Checking <4> (step 1), about 3 more
! ✔ passing, <duration>
! Checking <2> (step 3), about 2 more
! ? skipped: the check returned 125, <duration>
! Checking <1> (step 4), about 1 more
! ✘ failing, exit 1, <duration>
! Checking <5> (step 2)
! ✔ passing, <duration>
[exit 1]
$ clew bisect -- true
All good: the check passes on <3> (step 6)
  check        true
  searched     6 states, 1 run
To search further, give a checkpoint that fails: `clew bisect GOOD BAD`
! Checking <3> (step 6), about 4 more
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
! ✔ passing, <duration>
[exit 1]
$ clew bisect -- false
All bad: the check fails even on <4> (step 1)
  check        false
  searched     6 states, 2 runs
It is the first checkpoint, so the check never passed
! Checking <3> (step 6), about 4 more
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
! ✘ failing, exit 1, <duration>
! Checking <4> (step 1), about 3 more
! ✘ failing, exit 1, <duration>
[exit 1]
$ clew bisect @ @~2 -- true
! Error: The good checkpoint is newer than the bad one: '<3>'
! Hint: Swap them: `clew bisect <1> <3>`
[exit 2]
""")
