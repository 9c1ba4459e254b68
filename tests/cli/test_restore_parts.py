"""`clew restore` with a session: all of a moment, some of it, or what was said written to a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.cli.exits import ExitCode
from tests.cli.fakes import FakeClew
from tests.cli.transcript import Transcript
from tests.kit.running import Clew


@pytest.fixture
def transcript(clew: Clew, tmp_path: Path) -> Path:
    """A transcript whose first line is kept as `first`; more was said and done since."""
    path = tmp_path / "said.jsonl"
    path.write_text('{"n": 1}\n')
    (clew.workspace / "app.py").write_text("first\n")
    clew.ok("init")
    clew.ok("session", "attach", "--agent", "example", "--transcript", str(path))
    clew.ok("task", "add", "write it")
    clew.ok("save", "the first", "--name", "first")
    (clew.workspace / "app.py").write_text("second\n")
    with path.open("a") as file:
        file.write('{"n": 2}\n')
    clew.ok("task", "done", "1")
    return path


def test_a_restore_says_what_it_brings_back(clew: Clew, transcript: Path) -> None:
    page = Transcript(clew)
    page.run("restore", "first", "--dry-run")
    page.run("restore", "first", "--yes")
    page.run("undo", "--yes")

    assert page.matches("""
$ clew restore first --dry-run
Restoring <1> (first · the first) would
  overwrite or delete 1 file written by hand:
    M  app.py  7 B → 6 B, not saved yet
  restore the conversation of <2> (example), 9 B
  restore the task list of <2> (example): 0 of 1 task done
The current state is saved first; `clew undo` brings it back.
$ clew restore first --yes
Now at <1> (first · the first)
  1 replaced; verified
  the previous state is saved as <3>; `clew undo` restores it
  restored the conversation of <2> (example): 9 B
  restored the task list of <2> (example): 0 of 1 task done
$ clew undo --yes
Now at <3> (↩ rescue before restoring <1>)
  1 replaced; verified
  restored the conversation of <2> (example): 18 B
  restored the task list of <2> (example): 1 of 1 task done
""")


def test_parts_that_do_not_fit_are_named(clew: Clew, transcript: Path) -> None:
    found = clew.json("restore", "first", "--files", "--yes")
    then = found["target"][:8]

    assert found["parts"] == ["files"]
    assert found["warnings"] == [
        f"The files are from {then}, the conversation is current",
        f"The files are from {then}, the task list is current",
    ]
    assert transcript.read_text() == '{"n": 1}\n{"n": 2}\n'


def test_a_conversation_is_written_out_and_nothing_else_done(
    clew: Clew, transcript: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    found = clew.json("restore", "first", "--conversation", str(out))
    again = clew.run("restore", "first", "--conversation", str(out))
    shown = clew.ok("restore", "first", "--conversation", "-")

    assert (found["path"], found["conversation_bytes"]) == (str(out), 9)
    assert out.read_text() == shown.out == '{"n": 1}\n'
    assert out.stat().st_mode & 0o077 == 0
    assert again.code == 2
    assert "file exists, --yes overwrites it" in again.err
    assert (clew.workspace / "app.py").read_text() == "second\n"
    assert transcript.read_text() == '{"n": 1}\n{"n": 2}\n'


def test_files_come_back_while_the_conversation_goes_to_a_file(
    clew: Clew, transcript: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("older")
    found = clew.json("restore", "first", "--files", "--conversation", str(out), "--yes")

    assert found["conversation_file"]["conversation_bytes"] == 9
    assert out.read_text() == '{"n": 1}\n'
    assert (clew.workspace / "app.py").read_text() == "first\n"
    assert transcript.read_text() == '{"n": 1}\n{"n": 2}\n'


def test_a_moment_without_a_conversation_has_none_to_write(clew: Clew, tmp_path: Path) -> None:
    clew.ok("save", "--name", "bare")
    ran = clew.run("restore", "bare", "--conversation", str(tmp_path / "out"))

    assert ran.code == 2
    assert "--conversation: checkpoint has no conversation" in ran.err
    assert not (tmp_path / "out").exists()


def test_json_has_standard_output_to_itself(clew: Clew, transcript: Path) -> None:
    ran = clew.run("restore", "first", "--conversation", "-", "--json")

    assert ran.code == 2
    assert json.loads(ran.out)["error"]["kind"] == "bad-option"


def test_what_another_did_is_named(clew: Clew, transcript: Path) -> None:
    clew.ok("save", "more")
    clew.ok("session", "attach", "--agent", "other")
    page = Transcript(clew)
    page.run("restore", "first", "--yes")

    assert page.matches("""
$ clew restore first --yes
Now at <1> (first · the first)
  1 replaced; verified
  the previous state is saved as <2>; `clew undo` restores it
  The conversation is current: <1> belongs to session <3>, which is not attached
  reverted 1 path changed by session <3> (example)
      app.py
""")


def test_restore_passes_on_before_failure_and_the_session(fake: FakeClew) -> None:
    fake.run("restore", "--before-failure", "--dry-run", "--session", "one")
    fake.run("restore", "--before-failure", "--yes")

    assert fake.workspace.asked == [
        ("preview", None, [], ("before_failure", True), ("session", "one")),
        ("restore", None, [], ("before_failure", True)),
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["v1", "--before-failure"],
        ["--before-failure", "--abort"],
        ["--before-failure", "--conversation=out"],
    ],
    ids=str,
)
def test_before_failure_is_not_combined_with_what_makes_no_sense(
    fake: FakeClew, words: list[str]
) -> None:
    ran = fake.run("restore", *words)

    assert ran.code == ExitCode.USAGE
    assert "failure" in ran.err
