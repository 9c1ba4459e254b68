"""A conversation about a moment and several ways from it, with the real command."""

from __future__ import annotations

import pytest

from clew.worktree.sandbox import why_unavailable
from tests.cli.transcript import Transcript
from tests.kit.running import Clew
from tests.kit.tools import require_root


@pytest.fixture
def page(clew: Clew) -> Transcript:
    require_root("the notes of an ordinary user are others")
    if why := why_unavailable():
        pytest.skip(why)
    (clew.workspace / "app.py").write_text("print('hello')\n")
    return Transcript(clew)


def test_judging_and_trying(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--name", "v1")
    page.quietly("config", "set", "verify", "grep -q hello app.py")
    (clew.workspace / "app.py").write_text("print('bye')\n")
    page.quietly("save", "be polite")
    page.run("verify", "v1")
    page.run("verify", "@")
    page.run("exec", "v1", "--", "echo working; echo x > notes.txt")
    page.run("try", "v1", "--attempt", "add=echo >> app.py")
    page.run("try", "v1", "--attempt", "drop=rm app.py; exit 3")
    page.run("compare", "add", "drop", "@")
    page.run("verify", "v1", "--", "http://127.0.0.1:3000/")

    assert page.matches("""
$ clew verify v1
●  <1>  v1  <time>
  ✔ grep -q hello app.py: passing, exit 0, <duration>
  ran in a private copy with its own network
  · The home directory and the rest of the disk are not isolated
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
$ clew verify @
●  <2>  checkpoint-2  <time>  ← here
  ✘ grep -q hello app.py: failing, exit 1, <duration>
  ran in a private copy with its own network
  · The home directory and the rest of the disk are not isolated
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
[exit 4]
$ clew exec v1 -- echo working; echo x > notes.txt
echo working; echo x > notes.txt: exit 0, <duration>; the copy was discarded
  · Disks, mounts, the clock and kernel settings cannot be changed
  · The home directory and the rest of the disk are read-only
1 change since <1> (v1 · it works):
  added notes.txt
  Files
    added notes.txt (+1 line)

  A  notes.txt  2 B
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
! working
$ clew try v1 --attempt add=echo >> app.py
1 attempt from <1> (v1 · it works), checked with grep -q hello app.py:
  add  command exit 0, <duration>  ✔ check passing (exit 0)  ~1  reformatted app.py
  · The home directory and the rest of the disk are not isolated

add: echo >> app.py
1 change from <1> (v1 · it works) to <3> (echo >> app.py):
  reformatted app.py
  Files
    reformatted app.py (+1 line, layout only)

  M  app.py  15 B → 16 B
  `clew adopt add` merges it
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
$ clew try v1 --attempt drop=rm app.py; exit 3
1 attempt from <1> (v1 · it works), checked with grep -q hello app.py:
  drop  command exit 3, <duration>  ✘ check failing (exit 2)  -1  deleted app.py
  · The home directory and the rest of the disk are not isolated

drop: rm app.py; exit 3
1 change from <1> (v1 · it works) to <4> (rm app.py; exit 3):
  deleted app.py
  Files
    deleted app.py (−1 line)

  D  app.py  15 B
  `clew adopt drop` merges it
! Different in the copy: no live TCP services; inode and device numbers, change times, the filesystem and its free space
[exit 4]
$ clew compare add drop @
Since <1> (v1 · it works):
  add   ✔ grep -q hello app.py  ~1  reformatted app.py
  drop  ✘ grep -q hello app.py  -1  deleted app.py
  @     ✘ grep -q hello app.py  ~1  edited app.py

Changed by add, drop and @, differently:
  M/D/M  app.py
$ clew verify v1 -- http://127.0.0.1:3000/
! Error: --serve: required to probe a URL in a sandboxed copy: 'http://127.0.0.1:3000/'
! Hint: See `clew verify --help`
[exit 2]
""")
