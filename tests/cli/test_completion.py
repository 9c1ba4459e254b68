"""Completion in the shells themselves, for the command line as it is declared."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from clew.cli.commands import ALIASES, VERBS
from clew.cli.completion import SCRIPTS, declared
from clew.cli.declare import COMMON
from clew.cli.exits import ExitCode
from tests.cli.fakes import FakeClew

PROBE = """\
compopt() { :; }
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_clew
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str) -> str:
    return "".join(line + "\n" for line in SCRIPTS[shell]())


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


def in_bash(directory: Path, *words: str) -> list[str]:
    """Return what bash offers for the last word."""
    (directory / "clew.bash").write_text(script("bash"))
    command = [needs("bash"), "-c", PROBE, "probe", "clew.bash", "clew", *words]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("shell", SCRIPTS)
def test_every_command_and_option_is_in_the_script(shell: str) -> None:
    text = script(shell)
    flags = {
        flag for one in declared() for option in (*one.options, *COMMON) for flag in option.flags
    }

    assert {verb for verb in (*VERBS, *ALIASES) if verb not in text} == set()
    assert {flag for flag in flags if flag.lstrip("-") not in text} == set()


@pytest.mark.parametrize(
    ("shell", "options"),
    [("bash", ["-n"]), ("zsh", ["-f", "-n"]), ("fish", ["--no-config", "--no-execute"])],
)
def test_the_script_is_one_for_its_shell(shell: str, options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_text(script(shell))
    done = subprocess.run(
        [needs(shell), *options, str(path)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["res"], ["restore", "resume"]),
        (["-C", "/tmp", "comp"], ["compare", "completion"]),
        (["save", "--skip"], ["--skip-unchanged"]),
        (["checkpoint", "--skip"], ["--skip-unchanged"]),
        (["restore", "--jso"], ["--json"]),
        (["task", "s"], ["start", "skip"]),
        (["task", "--session", "5e", "s"], ["start", "skip"]),
        (["effect", "settle", "1", "un"], ["undone"]),
        (["enable", "cla"], ["claude-code"]),
        (["completion", "f"], ["fish"]),
        (["help", "bis"], ["bisect"]),
        (["save", "--name", "res"], []),
        (["save", "--name", "=", "res"], []),
    ],
)
def test_bash_offers_what_may_come_next(
    tmp_path: Path, words: list[str], offered: list[str]
) -> None:
    assert in_bash(tmp_path, *words) == offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["restore", "good", "fi"], ["file"]),
        (["diff", "good", "--", "fi"], ["file"]),
        (["-C", "fol"], ["folder"]),
        (["fork", "good", "f"], ["folder"]),
        (["exec", "@", "--", "make", "fi"], ["file"]),
    ],
)
def test_bash_offers_files_where_files_are_meant(
    tmp_path: Path, words: list[str], offered: list[str]
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()

    assert in_bash(tmp_path, *words) == offered


def test_bash_offers_programs_where_a_command_is_run(tmp_path: Path) -> None:
    assert "bash" in in_bash(tmp_path, "exec", "@", "--", "bas")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("clew res", {"restore", "resume"}),
        ("clew restore good --dr", {"--dry-run"}),
        ("clew -C / task s", {"start", "skip"}),
    ],
)
def test_fish_offers_what_may_come_next(tmp_path: Path, line: str, offered: set[str]) -> None:
    (tmp_path / "clew.fish").write_text(script("fish"))
    command = f"source clew.fish; complete -C {line!r}"
    done = subprocess.run(
        [needs("fish"), "--no-config", "-c", command],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert {line.split("\t")[0] for line in done.stdout.splitlines()} == offered


def test_the_command_prints_the_script(fake: FakeClew) -> None:
    ran = fake.run("completion", "zsh")

    assert (ran.code, ran.err) == (ExitCode.DONE, "")
    assert ran.out == script("zsh")
    assert fake.library.opened == []


def test_json_has_the_same_script(fake: FakeClew) -> None:
    found = json.loads(fake.run("completion", "bash", "--json").out)

    assert found == {"shell": "bash", "script": script("bash")}


def test_another_shell_is_refused_with_those_that_are_known(fake: FakeClew) -> None:
    ran = fake.run("completion", "fisch")

    assert ran.code == ExitCode.USAGE
    assert "SHELL: must be one of bash, zsh, fish: 'fisch'" in ran.err
