"""Finding something again: a search, a line of a file, a project that was deleted."""

from __future__ import annotations

import shutil

from tests.cli.transcript import Transcript
from tests.kit.alone import be_alone
from tests.kit.running import Clew


def test_finding_what_was_there(clew: Clew) -> None:
    be_alone(clew)
    page = Transcript(clew)
    app = clew.workspace / "app.py"
    app.write_text("debug = True\n")
    (clew.workspace / "node_modules" / "x").mkdir(parents=True)
    (clew.workspace / "node_modules" / "x" / "debug.js").write_text("debug = 1\n")
    page.quietly("save", "add a discount column")
    app.write_text("import os\ndebug = False\n")
    page.quietly("save", "tidy up")
    page.run("search", "column", "DISCOUNT")
    page.run("search", "debug", "--in", "paths")
    page.run("search", "nothing of that kind")
    page.run("grep", "debug = (True|False)")
    page.run("grep", "-l", "debug", "--generated")
    page.run("grep", "debug", "--at", "@~1")
    page.run("grep", "(")

    assert page.matches("""
$ clew search column DISCOUNT
●  <1>  <time>  add a discount column
$ clew search debug --in paths
●  <1>  <time>  add a discount column
   path      A node_modules/x/debug.js
$ clew search nothing of that kind
! Nothing found; `clew grep` searches the contents of files
$ clew grep debug = (True|False)
app.py
  1  debug = True
     only in <1> <time>
  2  debug = False
     from <2> <time>, still there
! Not searched: 1 generated directory (node_modules); --generated includes them
$ clew grep -l debug --generated
app.py
  from <1> <time>, still there
node_modules/x/debug.js
  from <1> <time>, still there
$ clew grep debug --at @~1
app.py
  1  debug = True
! Not searched: 1 generated directory (node_modules); --generated includes them
$ clew grep (
! Error: PATTERN: not a regular expression, see -F: missing ), unterminated subpattern at position 0
! Hint: See `clew grep --help`
[exit 2]
""")


def test_bringing_back_a_project_that_was_deleted(clew: Clew) -> None:
    be_alone(clew)
    page = Transcript(clew)
    (clew.workspace / "app.py").write_text("print(1)\n")
    page.quietly("save", "it works")
    shutil.rmtree(clew.workspace)
    elsewhere = clew.workspace.parent
    name = clew.workspace.name
    page.run("log", cwd=elsewhere)
    page.run("workspaces", cwd=elsewhere)
    page.run("-w", name, "log", cwd=elsewhere)
    page.run("-w", name, "restore", "@", cwd=elsewhere)
    page.run("status")
    page.run("-w", "nothing", "log", cwd=elsewhere)

    assert page.matches("""
$ clew log
! Error: Not in a workspace: 'PLACE'
! Hint: Create one here with `clew save` or `clew init`, or choose one of `clew workspaces` with -w NAME
[exit 2]
$ clew workspaces
project  <time>  1 checkpoint  9 B  <1>
    missing: PROJECT

`clew -w project restore @` brings a missing directory back;
`clew init DIR --attach project` connects one that was moved to DIR.
$ clew -w project log
@ <2> <time> it works ← here  new workspace, 1 file
$ clew -w project restore @
Now at <2> (it works)
  1 created, 1 with metadata restored; verified
  the previous state is saved as <3>; `clew undo` restores it
$ clew status
No changes since <2> (it works)
$ clew -w nothing log
! Error: No workspace in this store matches: 'nothing'
! Hint: List them with `clew workspaces`, or choose their store with --store DIR
[exit 2]
""")
