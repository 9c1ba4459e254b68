"""`clew repl`: lines from a pipe, each answered, and one exit code for all."""

from __future__ import annotations

import json
import subprocess

from clew.cli.exits import ExitCode
from tests.kit.running import Clew


def repl(clew: Clew, typed: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        clew.command("repl", *words), cwd=clew.workspace, env=clew.environment(None),
        input=typed, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_lines_are_taken_to_the_end(clew: Clew) -> None:
    file = clew.workspace / "a"
    file.write_text("old")
    repl(clew, "/checkpoint create clean\n")
    file.write_text("new")
    ran = repl(clew, "\n/undo\n/quit\n/redo\n")

    assert ran.returncode == ExitCode.DONE
    assert ran.stdout.startswith("Now at ")
    assert "clew>" not in ran.stderr  # nobody to prompt
    assert file.read_text() == "old"


def test_a_mistake_does_not_end_it_but_shows_in_the_exit_code(clew: Clew) -> None:
    ran = repl(clew, "hello\n/checkpoint create clean\n")

    assert ran.returncode == ExitCode.FAILED
    assert ran.stderr.splitlines()[0] == "Unknown command: 'hello'. Commands:"
    assert "Saved" in ran.stdout


def test_one_line_can_be_given_as_an_argument(clew: Clew) -> None:
    ran = clew.run("repl", "/undo")

    assert (ran.code, ran.out) == (ExitCode.FAILED, "")
    assert ran.talk[-1] == "Nothing to undo"


def test_each_line_is_one_object_without_secrets(clew: Clew) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ran = repl(clew, f"/checkpoint create clean\n/checkpoint restore {secret}\n", "--json")
    first, second = map(json.loads, ran.stdout.splitlines())

    assert (first["line"], first["is_ok"], first["has_changed_files"]) == (
        "/checkpoint create clean", True, False,
    )  # fmt: skip
    assert not second["is_ok"]
    assert secret not in ran.stdout + ran.stderr
