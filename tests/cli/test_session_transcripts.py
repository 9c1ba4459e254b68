"""Whole conversations about sessions and tasks with the real command, in a process of its own."""

from __future__ import annotations

import json

from tests.cli.transcript import Transcript
from tests.kit.alone import be_alone
from tests.kit.running import Clew

CANARY = "Kq7canary9fX2vB4nM8pL1zT"


def test_tasks_and_where_to_go_on(clew: Clew) -> None:
    (clew.workspace / "app.py").write_text("print('hello')\n")
    clew.ok("save", "begin")
    page = Transcript(clew)
    page.run("task", "list")
    page.run("task", "add", "write the login")
    page.run("task", "add", "test it")
    page.run("task", "start", "1")
    page.run("resume")
    page.quietly("save", "half way")
    page.run("task", "done", "1", "--note", "took a while")
    page.run("task", "done", "1")
    page.run("task", "done", "7")
    page.run("task", "list")
    page.run("resume")
    page.run("task", "skip", "2")
    page.run("resume")

    assert page.matches("""
$ clew task list
! Error: No session is attached to this workspace
! Hint: Attach one with `clew session attach`, or choose one with --session ID
[exit 2]
$ clew task add write the login
○ 1  write the login
! Started session: <1>
$ clew task add test it
○ 2  test it
$ clew task start 1
▸ 1  write the login  since <time>
$ clew resume
Next: task 1 of 2
  ▸ 1  write the login  since <time>
Open after it: 2
No checkpoint of this session yet: `clew save`
$ clew task done 1 --note took a while
✔ 1  write the login  (took a while)
$ clew task done 1
! Error: Task 1 is already completed: 'write the login'
! Hint: List the tasks with `clew task list`
[exit 2]
$ clew task done 7
! Error: No such task: '7'
! Hint: List the tasks with `clew task list`
[exit 2]
$ clew task list
1 of 2 tasks done, session <1> (tasks)
  ✔ 1  write the login  (took a while)
  ○ 2  test it
$ clew resume
Next: task 2 of 2
  ○ 2  test it
Continue from <2> (half way), where the workspace is
$ clew task skip 2
– 2  test it
$ clew resume
1 of 2 tasks done, 1 skipped: nothing left to do in session <1> (tasks)
Its newest checkpoint is <2> (half way), where the workspace is
""")


def test_an_agent_and_a_person_in_one_workspace(clew: Clew) -> None:
    be_alone(clew)
    transcript = clew.workspace.parent / "run.jsonl"
    said = {"role": "user", "content": f"use api_key={CANARY}"}
    transcript.write_text(json.dumps(said) + "\n")
    (clew.workspace / "app.py").write_text("1\n")
    clew.ok("save", "by hand")
    page = Transcript(clew)
    agent = ("--agent", "example", "--agent-version", "1.4", "--name", "run 7")
    clew.ok("session", "attach", *agent, "--transcript", str(transcript))
    page.run("session", "list")
    clew.ok("save", "agent begins")
    (clew.workspace / "app.py").write_text("2\n")
    clew.ok("save", "agent works")
    clew.ok("save", "by hand again", "--session", "none")
    page.run("log")
    page.run("log", "--session", "run 7")
    page.run("log", "--session", "none")
    page.run("session", "files")
    page.run("session", "migrate", "--to", "2.0", "--with", "cat")
    page.run("session", "detach")
    page.run("session", "list")

    assert page.matches("""
$ clew session list
●  <1>  example  1.4  run 7  <time>  0 checkpoints  ← attached
$ clew log
@ <2> <time> you by hand again ← here  nothing changed
│ example (2 checkpoints)
● <3> <time>     agent works           edited app.py
● <4> <time>     agent begins          nothing changed
● <5> <time> you by hand               new workspace, 1 file
$ clew log --session run 7
  example (2 checkpoints)
● <3> <time> agent works   edited app.py
● <4> <time> agent begins  nothing changed
$ clew log --session none
@ <2> <time> by hand again ← here  nothing changed
● <5> <time> by hand               new workspace, 1 file
$ clew session files
1 file touched in session <1> (example 1.4, run 7):
   M  app.py  (seen in the snapshots)
$ clew session migrate --to 2.0 --with cat
Session <6> (example 2.0, run 7) continues <1> (example 1.4, run 7)
  with 68 B of conversation
$ clew session detach
Session <6> (example 2.0, run 7) is detached
$ clew session list
○  <6>  example  2.0  run 7  <time>  0 checkpoints
○  <1>  example  1.4  run 7  <time>  2 checkpoints
""")


def test_no_listing_holds_what_was_said_in_secret(clew: Clew) -> None:
    transcript = clew.workspace.parent / "run.jsonl"
    said = {"role": "user", "content": f"use api_key={CANARY}"}
    transcript.write_text(json.dumps(said) + "\n")
    (clew.workspace / "app.py").write_text("1\n")
    clew.ok("save", "begin")
    clew.ok("session", "attach", "--transcript", str(transcript), "--name", f"token={CANARY}")
    clew.ok("task", "add", f"log in with password={CANARY}")
    clew.ok("task", "fail", "1", "--note", f"password={CANARY} was refused")
    clew.ok("save", "taken")
    listings = (
        ("session", "list"), ("session", "show"), ("session", "files"), ("task", "list"),
        ("resume",), ("log",), ("show", "@"),
    )  # fmt: skip
    for words in listings:
        for options in ((), ("--json",)):
            ran = clew.ok(*words, *options)

            assert CANARY not in ran.out + ran.err, words
    assert clew.json("session", "show")["messages"] == [
        {"role": "user", "text": "use api_key=[redacted]"}
    ]
