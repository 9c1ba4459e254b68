"""Whole conversations with the real command, in a process of its own."""

from __future__ import annotations

import pytest

from tests.cli.transcript import Transcript
from tests.kit.alone import be_alone
from tests.kit.running import Clew


@pytest.fixture
def page(clew: Clew) -> Transcript:
    """A small project; nobody else's ports are seen from it, or they would be in the stories."""
    be_alone(clew)
    (clew.workspace / "app.py").write_text("print('hello')\n")
    (clew.workspace / "src").mkdir()
    (clew.workspace / "src" / "login.py").write_text("def login():\n    return 200\n")
    (clew.workspace / "src" / "login.py").chmod(0o644)
    return Transcript(clew)


def break_login(clew: Clew) -> None:
    (clew.workspace / "src" / "login.py").write_text("def login():\n    return 302\n")
    (clew.workspace / "notes.txt").write_text("try a redirect\n")


def test_saving_and_looking(clew: Clew, page: Transcript) -> None:
    page.run("save", "it works", "--name", "v1", "--verify", "true", "--meta", "ticket=7")
    break_login(clew)
    page.run("status")
    page.run("save", "redirect", "--verify", "echo expected 200; exit 3")
    page.run("save", "--skip-unchanged")
    page.run("log")
    page.run("log", "--verdict", "passing")

    assert page.matches("""
$ clew save it works --name v1 --verify true --meta ticket=7
●  <1>  v1  <time>  ← here
  it works
  new workspace, 2 files
  3 added; <size> new in <duration>
  ✔ true: passing, exit 0, <duration>
! Created workspace with its store in STORE: PROJECT
! Checking: true
! Read 3 entries, 43 B; later saves read only what changed
$ clew status
2 changes since <1> (v1 · it works):
  src/login.py: ~login(); added notes.txt
  Files
    src/login.py: ~login() (+1 −1 lines)
    added notes.txt (+1 line)

  A  notes.txt     15 B
  M  src/login.py  28 B
$ clew save redirect --verify echo expected 200; exit 3
●  <2>  checkpoint-2  <time>  ← here
  redirect
  src/login.py: ~login(); added notes.txt
  1 added, 1 modified; <size> new in <duration>
  ✘ echo expected 200; exit 3: failing, exit 3, <duration>
    expected 200
! Checking: echo expected 200; exit 3
$ clew save --skip-unchanged
●  <2>  checkpoint-2  <time>  ← here
  redirect
  nothing changed, no checkpoint created
  ✘ echo expected 200; exit 3: failing in the workspace, <time>
$ clew log
  check: echo expected 200; exit 3
@ <2> <time> ✘ redirect ← here  src/login.py: ~login(); added notes.txt
│ check: true
● <1> <time> ✔ v1 · it works    new workspace, 2 files
$ clew log --verdict passing
  check: true
● <1> <time> ✔ v1 · it works  new workspace, 2 files
""")


def test_checking(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--name", "v1")
    page.run("good")
    page.run("save", "--check")
    page.run("config", "set", "verify", "grep 200 src/login.py")
    page.run("save", "checked", "--check")
    break_login(clew)
    page.run("save", "redirect", "--check", "--strict")
    page.run("save", "disturbed", "--verify", "echo more >> notes.txt; touch made")
    page.run("log")
    page.run("good")
    page.run("restore", "good", "--yes")

    assert page.matches("""
$ clew good
! Error: No checkpoint matches: 'good'
! Hint: Run a check with `clew save --verify COMMAND` or `clew verify REF`; none has passed yet
[exit 2]
$ clew save --check
! Error: No check is configured for this workspace
! Hint: Configure one with `clew config set verify COMMAND`
[exit 2]
$ clew config set verify grep 200 src/login.py
verify = grep 200 src/login.py
$ clew save checked --check
●  <1>  checkpoint-2  <time>  ← here
  checked
  nothing changed
  no changes; <size> new in <duration>
  ✔ grep 200 src/login.py: passing, exit 0, <duration>
! Checking: grep 200 src/login.py
$ clew save redirect --check --strict
●  <2>  checkpoint-3  <time>  ← here
  redirect
  src/login.py: ~login(); added notes.txt
  1 added, 1 modified; <size> new in <duration>
  ✘ grep 200 src/login.py: failing, exit 1, <duration>
! Checking: grep 200 src/login.py
[exit 4]
$ clew save disturbed --verify echo more >> notes.txt; touch made
●  <3>  checkpoint-4  <time>  ← here
  disturbed
  nothing changed
  no changes; <size> new in <duration>
  ✔! echo more >> notes.txt; touch made: passing, but its inputs changed, exit 0, <duration>
    changed while it ran: notes.txt
    1 path generated
! Checking: echo more >> notes.txt; touch made
! Hint: Run the check in a sandboxed copy with `clew verify @ -- 'echo more >> notes.txt; touch made'`
$ clew log
  check: grep 200 src/login.py
@ <3> <time> ✘ disturbed ← here  nothing changed
● <2> <time> ✘ redirect          src/login.py: ~login(); added notes.txt
● <1> <time> ✔ checked           nothing changed
● <4> <time> ✔ v1 · it works     new workspace, 2 files
$ clew good
●  <1>  checkpoint-2  <time>
  checked
  ✔ grep 200 src/login.py: passing in the workspace, <time>
$ clew restore good --yes
Now at <1> (checked)
  1 replaced, 2 deleted; verified
  the previous state is saved as <5>; `clew undo` restores it
""")


def test_comparing(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--name", "v1")
    break_login(clew)
    page.quietly("save", "redirect")
    page.run("diff", "v1", "@")
    page.run("diff", "v1", "@", "--name-status")
    page.run("diff", "v1", "--stat")
    page.run("diff", "v1", "--patch", "--", "src")
    page.run("cat", "v1", "src/login.py")
    page.run("ls", "v1", "src")
    page.run("diff")

    assert page.matches("""
$ clew diff v1 @
2 changes from <1> (v1 · it works) to <2> (redirect):
  src/login.py: ~login(); added notes.txt
  Files
    src/login.py: ~login() (+1 −1 lines)
    added notes.txt (+1 line)

  A  notes.txt     15 B
  M  src/login.py  28 B
$ clew diff v1 @ --name-status
A notes.txt
M src/login.py
$ clew diff v1 --stat
  notes.txt         +15 B  ████████████████████
  src/login.py        0 B
2 changes since <1> (v1 · it works); +15 B
$ clew diff v1 --patch -- src
--- a/src/login.py
+++ b/src/login.py
@@ -1,2 +1,2 @@
 def login():
-    return 200
+    return 302
$ clew cat v1 src/login.py
def login():
    return 200
$ clew ls v1 src
-rw-r--r--  <owner>  28  <time>  login.py
$ clew diff
No changes since <2> (redirect)
""")


def test_one_checkpoint_in_full(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--verify", "echo fine", "--meta", "ticket=7")
    page.quietly("edit", "@", "--name", "v1", "--description", "Last known good.", "--pin")
    page.run("show")
    page.run("show", "v1", "--verbose")

    assert page.matches("""
$ clew show
●  <1>  v1  <time>  ← here  pinned  you
  it works

  Last known good.

  new workspace, 2 files
  verdict      ✔ echo fine: passing, exit 0, <duration>
               ran in the workspace, <time>
    fine
  meta         ticket = 7
  `--verbose` shows ids, coverage and position
$ clew show v1 --verbose
●  <1>  v1  <time>  ← here  pinned  you
  it works

  Last known good.

  new workspace, 2 files
  verdict      ✔ echo fine: passing, exit 0, <duration>
               ran in the workspace, <time>
    fine
  meta         ticket = 7

  id           <1>…
  time         <time>
  origin       manual, number 1 of its workspace
  parent       none, this is the first
  tree         <2>…
  state        <3>…
  changes      3 added
  consistency  stable
  holds        3 entries, 43 B
""")


def test_what_happened_and_when(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--name", "v1")
    (clew.workspace / ".env").write_text("TOKEN=canary\nPORT=8000\n")
    page.quietly("save", "configure the port")
    (clew.workspace / ".env").write_text("TOKEN=other\nPORT=8000\n")
    page.quietly("save", "turn the token")
    page.run("diff", "v1", "@", "--facts")
    page.run("diff", "@", "v1", "--facts")
    page.run("diff", "@~1", "--patch")
    page.run("diff", "@~1", "--patch", "--reveal")
    page.run("blame", "TOKEN")
    page.run("blame", ".env")
    page.run("blame", "nginx")
    page.run("log", "--grep", "~token")

    assert page.matches("""
$ clew diff v1 @ --facts
1 change from <1> (v1 · it works) to <2> (turn the token):
  .env +PORT and +TOKEN
  Configuration
    .env: +PORT and +TOKEN
$ clew diff @ v1 --facts
1 change from <2> (turn the token) to <1> (v1 · it works):
  ! .env deleted (TOKEN and PORT)
  Warnings
    ⚠ .env deleted (22 B with TOKEN and PORT)
$ clew diff @~1 --patch
--- a/.env
+++ b/.env
@@ -1,2 +1,2 @@
-TOKEN=[redacted]
+TOKEN=[redacted]
 PORT=[redacted]
$ clew diff @~1 --patch --reveal
--- a/.env
+++ b/.env
@@ -1,2 +1,2 @@
-TOKEN=canary
+TOKEN=other
 PORT=8000
$ clew blame TOKEN
<time>  <2>  turn the token
    env.changed TOKEN (.env)
<time>  <3>  configure the port
    env.added TOKEN (.env)
$ clew blame .env
<time>  <2>  turn the token
    .env: modified
    env.changed TOKEN (.env)
<time>  <3>  configure the port
    .env: added
    env.added PORT (.env)
    env.added TOKEN (.env)
$ clew blame nginx
No checkpoint changed nginx
$ clew log --grep ~token
@ <2> <time> turn the token ← here  .env ~TOKEN
""")


def test_going_back_and_forth(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--name", "v1")
    break_login(clew)
    page.run("restore", "v1", "--dry-run")
    page.run("restore", "v1")
    page.run("restore", "v1", "--yes")
    page.run("log")
    page.run("undo", "--yes")
    page.run("redo", "--yes")
    page.run("redo")

    assert page.matches("""
$ clew restore v1 --dry-run
Restoring <1> (v1 · it works) would
  overwrite or delete 2 files written by hand:
    D  notes.txt     15 B, not saved yet
    M  src/login.py  28 B, not saved yet
The current state is saved first; `clew undo` brings it back.
$ clew restore v1
Restoring <1> (v1 · it works) would
  overwrite or delete 2 files written by hand:
    D  notes.txt     15 B, not saved yet
    M  src/login.py  28 B, not saved yet
The current state is saved first; `clew undo` brings it back.
! Error: Confirmation required: 2 files would be overwritten or deleted
! Hint: Run the command again with --yes to confirm
[exit 5]
$ clew restore v1 --yes
Now at <1> (v1 · it works)
  1 replaced, 1 deleted; verified
  the previous state is saved as <2>; `clew undo` restores it
$ clew log
  ◦ <2> <time> ↩ before restoring <1>  src/login.py: ~login(); added notes.txt
@─╯ <1> <time> v1 · it works ← here         new workspace, 2 files
$ clew undo --yes
Now at <2> (↩ rescue before restoring <1>)
  1 created, 1 replaced; verified
$ clew redo --yes
Now at <1> (v1 · it works)
  1 replaced, 1 deleted; verified
$ clew redo
! Error: Nothing to redo
! Hint: Restore any checkpoint with `clew restore REF`
[exit 1]
""")


def test_json_of_a_restore(clew: Clew, page: Transcript) -> None:
    page.quietly("save", "it works", "--name", "v1")
    break_login(clew)
    page.run("restore", "v1", "--yes", "--json")

    assert page.matches("""
$ clew restore v1 --yes --json
{"target": "<1>…", "rescue": "<2>…", "current": "<1>…", "created_count": 0, "replaced_count": 1, "deleted_count": 1, "metadata_count": 0, "is_verified": true, "is_partial": false, "skipped": [], "changed_after": [], "no_longer_running": [], "problems": [], "effects": [], "parts": ["files"], "session": null, "warnings": [], "resumable_session": null, "concurrent_work": []}
""")


def test_settings(page: Transcript) -> None:
    page.run("init", "--exclude", "*.log")
    page.run("config", "set", "keep-last", "7")
    page.run("config")
    page.run("config", "unset", "keep-last")
    page.run("config", "set", "keep-last", "many")
    page.run("config", "set", "colour", "blue")

    assert page.matches("""
$ clew init --exclude *.log
Created workspace: PROJECT
Store: STORE
$ clew config set keep-last 7
keep-last = 7
$ clew config
drill.every = off  (default)
exclude = *.log
exclude-larger-than =  (default)
gate = off  (default)
gate.rules =  (default)
keep-last = 7
keep-within =  (default)
max-bytes = 20GB  (default)
min-free = auto  (default)
restore.ask = unsaved  (default)
restore.unattended = off  (default)
story.background = on  (default)
story.detectors =  (default)
story.live-databases = off  (default)
story.writer =  (default)
verify =  (default)
$ clew config unset keep-last
keep-last =  (default)
$ clew config set keep-last many
! Error: keep-last: must be a whole number
! Hint: See `clew config --help`
[exit 2]
$ clew config set colour blue
! Error: colour: no such setting; there are drill.every, exclude, exclude-larger-than, gate, gate.rules, keep-last, keep-within, max-bytes, min-free, restore.ask, restore.unattended, story.background, story.detectors, story.live-databases, story.writer, verify
! Hint: See `clew config --help`
[exit 2]
""")


def test_files_above_the_size_limit(clew: Clew, page: Transcript) -> None:
    data = clew.workspace / "data.bin"
    data.write_bytes(bytes(500))
    page.run("save", "small", "--name", "small")
    page.run("config", "set", "exclude-larger-than", "lots")
    page.run("config", "set", "exclude-larger-than", "1k")
    data.write_bytes(bytes(2000))
    page.run("status")
    page.run("save", "grown")
    page.run("status")
    page.run("restore", "small")

    assert data.stat().st_size == 2000
    assert page.matches("""
$ clew save small --name small
●  <1>  small  <time>  ← here
  small
  new workspace, 3 files
  4 added; <size> new in <duration>
! Created workspace with its store in STORE: PROJECT
! Read 4 entries, 543 B; later saves read only what changed
$ clew config set exclude-larger-than lots
! Error: exclude-larger-than: not a size like 5GB, 512MiB or 1000: 'lots'
! Hint: See `clew config --help`
[exit 2]
$ clew config set exclude-larger-than 1k
exclude-larger-than = 1k
$ clew status
No changes since <1> (small · small)
1 file not captured, larger than `exclude-larger-than`: data.bin
$ clew save grown
●  <2>  checkpoint-2  <time>  ← here
  grown
  nothing changed
  no changes; <size> new in <duration>
  ⚠ 1 file not captured, larger than `exclude-larger-than`: data.bin
$ clew status
No changes since <2> (grown)
$ clew restore small
Now at <1> (small · small)
  nothing differed; verified
  the result is saved as <3> (after restoring <1>)
  left alone 1 path
      data.bin: too large
      `clew config unset exclude-larger-than` lifts the size limit
""")


def test_refusals(clew: Clew, page: Transcript) -> None:
    page.run("log")
    page.quietly("save", "it works")
    page.run("show", "nothing")
    page.run("show", "../../etc/passwd")
    page.run("cat", "@", "/etc/passwd")
    page.run("cat", "@", "src")
    page.run("save", "--name", "latest")
    page.run("undo")
    page.run("redo")
    page.run("log", "--verdict", "fine")
    page.run("log", "--since", "someday")

    assert page.matches("""
$ clew log
! Error: Not in a workspace: 'PROJECT'
! Hint: Create one here with `clew save` or `clew init`, or choose one of `clew workspaces` with -w NAME
[exit 2]
$ clew show nothing
! Error: No checkpoint matches: 'nothing'
! Hint: List the checkpoints with `clew log`
[exit 2]
$ clew show ../../etc/passwd
! Error: No checkpoint matches: '../../etc/passwd'
! Hint: List the checkpoints with `clew log`
[exit 2]
$ clew cat @ /etc/passwd
! Error: Path is outside the workspace: '/etc/passwd'
! Hint: Give a path inside the workspace, or choose another workspace with -C DIR
[exit 2]
$ clew cat @ src
! Error: Not a file but a directory in checkpoint <1>: 'src'
! Hint: List the files of a checkpoint with `clew ls REF`
[exit 2]
$ clew save --name latest
! Error: Invalid checkpoint name (reserved word): 'latest'
! Hint: Choose a name that starts with a letter and is not an id, a time or a reserved word
[exit 2]
$ clew undo
! Error: Nothing to undo
! Hint: List the checkpoints with `clew log`, restore one with `clew restore REF`
[exit 1]
$ clew redo
! Error: Nothing to redo
! Hint: Restore any checkpoint with `clew restore REF`
[exit 1]
$ clew log --verdict fine
! Error: --verdict: must be one of passing, failing, unknown, flaky, inconclusive, none
! Hint: See `clew log --help`
[exit 2]
$ clew log --since someday
! Error: --since: not a duration like 2h nor a time like <time> or <day>: 'someday'
! Hint: See `clew log --help`
[exit 2]
""")


def test_looking_after_the_store(clew: Clew, page: Transcript) -> None:
    for number in range(4):
        (clew.workspace / "app.py").write_text(f"print({number})\n")
        page.quietly("save", f"number {number}")
    page.run("delete", "@~3")
    page.run("prune", "--keep-last", "1", "--dry-run")
    page.run("gc")
    page.run("fsck")
    page.run("fsck", "--read-data")
    page.run("stats")
    page.run("prune", "--keep-within", "long")

    assert page.matches("""
$ clew delete @~3
Deleted 1 checkpoint, freed <size>
  <1>  <time>  number 0
$ clew prune --keep-last 1 --dry-run
Would remove 0 checkpoints and free about <size>
  kept 1: current
  kept 2: undo
Store size: <size> of 20.0 GB
$ clew gc
Freed <size>: 0 objects, 0 packs
Store size: <size>
$ clew fsck
The store is intact: 4 packs, <some> objects, 3 checkpoints, <size> read
$ clew fsck --read-data
The store is intact: 4 packs, <some> objects, 3 checkpoints, <size> read
$ clew stats
store        STORE
on disk      <size>, as `du` counts it
  packs        <size>
  catalogue    <size>
  caches       <size>
  forks        <size>
  copies       <size>
  reserve      <size>  released when the disk is full
  other        <size>
history      <size> of 20.0 GB; without forks, copies and reserve
holds        <size> before compression
workspace    3 checkpoints, of 3 in the store
packs        4
objects      <some>
  blob               4      <size>
  tree               7     <size>
  links              1       <size>
  rules              1      <size>
  signals      <some>
  record             3    <size>
$ clew prune --keep-within long
! Error: --keep-within: not a duration like 45s, 90m, 36h, 7d or 2w: 'long'
! Hint: See `clew prune --help`
[exit 2]
""")
