"""A command in a fork does what it does in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit import fork_server
from tests.kit.running import Clew, Ran


def in_a_process(clew: Clew, *words: str) -> Ran:
    done = subprocess.run(
        clew.command(*words), cwd=clew.workspace, env=clew.environment(), capture_output=True,
        stdin=subprocess.DEVNULL, text=True, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "words",
    [("log",), ("--json", "show", "@"), ("show", "nobody"), ("no-such-command",), ("config",)],
    ids=" ".join,
)
def test_a_fork_says_what_a_process_says(clew: Clew, words: tuple[str, ...]) -> None:
    (clew.workspace / "file").write_text("1")
    clew.save("one")

    assert clew.run(*words) == in_a_process(clew, *words)


def test_a_fork_has_the_environment_of_the_command_alone(
    clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_TESTS", "1")
    clew.extra["OF_THE_COMMAND"] = "2"
    found = clew.json("save", "--verify", "env > ../seen; pwd >> ../seen")
    seen = (clew.workspace.parent / "seen").read_text().splitlines()

    assert found["verdict"]["status"] == "passing"
    assert "OF_THE_COMMAND=2" in seen
    assert "OF_THE_TESTS=1" not in seen
    assert seen[-1] == str(clew.workspace)


def test_a_fork_that_takes_too_long_is_killed(clew: Clew) -> None:
    (clew.workspace / "file").write_text("1")

    with pytest.raises(subprocess.TimeoutExpired):
        clew.run("save", "--verify", "sleep 60", timeout=2)


@pytest.mark.parametrize(
    "extra", [{"LC_ALL": "C"}, {"PYTHONPATH": "."}, {"LANG": "de_DE"}], ids=str
)
def test_what_changes_how_python_starts_is_no_fork(clew: Clew, extra: dict[str, str]) -> None:
    clew.extra.update(extra)

    assert not fork_server.usable(clew.environment())


def test_a_program_can_start_a_fork(clew: Clew, tmp_path: Path) -> None:
    server = fork_server.fork_server()
    done = subprocess.run(
        server.command("log", "--nonsense"), cwd=clew.workspace, env=clew.environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 2
    assert done.stdout == ""
    assert "--nonsense" in done.stderr
    assert server.command()[0] == sys.executable
