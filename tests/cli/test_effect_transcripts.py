"""A whole conversation about what no restore takes back, with the real command."""

from __future__ import annotations

import pytest

from clew.cli.exits import ExitCode
from tests.cli.fakes import FakeClew
from tests.cli.transcript import Transcript
from tests.kit.running import Clew


def test_an_act_is_written_down_listed_and_not_repeated(clew: Clew) -> None:
    (clew.workspace / "app.py").write_text("print('v2')\n")
    clew.save("before the deploy", "--name", "before")
    page = Transcript(clew)
    page.run("effect", "record", "deploy web v3 --request-id 0001", "--undo", "deploy web v2")
    page.run("effect", "settle", "1", "done", "it answers")
    (clew.workspace / "app.py").write_text("print('v3')\n")
    clew.save("after the deploy")
    page.run("restore", "before", "--yes")
    page.run("effect", "record", "deploy web v3 --request-id 0002")
    page.run("effect", "list", "--outstanding")
    page.run("effect", "record", "deploy web v3 --request-id 0002", "--again")
    page.run("effect", "settle", "1", "failed")

    assert page.matches("""
$ clew effect record deploy web v3 --request-id 0001 --undo deploy web v2
1  unknown  deploy web v3 --request-id 0001  (undo: deploy web v2)
$ clew effect settle 1 done it answers
1  done  deploy web v3 --request-id 0001: it answers  (undo: deploy web v2)
$ clew restore before --yes
Now at <1> (before · before the deploy)
  1 replaced; verified
  1 effect is not undone:
      1  done  deploy web v3 --request-id 0001: it answers  (undo: deploy web v2)
$ clew effect record deploy web v3 --request-id 0002
! Error: Already done as effect 1: 'deploy web v3 --request-id 0001'
! Hint: It is the same action as effect 1, 'deploy web v3 --request-id 0001': only a request id differs; repeat it with --again
[exit 5]
$ clew effect list --outstanding
<time>  1  done  deploy web v3 --request-id 0001: it answers  (undo: deploy web v2)  no longer in history
$ clew effect record deploy web v3 --request-id 0002 --again
2  unknown  deploy web v3 --request-id 0002
$ clew effect settle 1 failed
! Error: Effect 1 is already settled as done: 'deploy web v3 --request-id 0001'
! Hint: List the effects with `clew effect list`
[exit 2]
""")


@pytest.mark.parametrize(
    "words",
    [
        ("explode",),
        ("record",),
        ("settle", "1"),
        ("settle", "x", "done"),
        ("settle", "0", "done"),
        ("list", "1"),
        ("record", "deploy", "done"),
        ("list", "--again"),
        ("record", "deploy", "--arguments", "{"),
    ],
)
def test_what_makes_no_sense_is_refused(fake: FakeClew, words: tuple[str, ...]) -> None:
    ran = fake.run("effect", *words)

    assert ran.code == ExitCode.USAGE
    assert fake.workspace.asked == []
