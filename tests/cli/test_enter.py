"""A program in a fork sees the fork at the path of the workspace; everything else stays as it is."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from clew.cli.exits import ExitCode
from clew.worktree.sandbox import why_unavailable
from tests.cli.fakes import FakeClew
from tests.kit.ordinary_user import UID, as_ordinary_user
from tests.kit.running import Clew, Ran

CLEW = f"{sys.executable} -m clew"
PATIENCE = 30


@pytest.fixture(autouse=True)
def namespaces() -> None:
    if (why := why_unavailable()) is not None:
        pytest.skip(f"no namespaces here: {why}")


@pytest.fixture(params=["root", "ordinary"])
def forked(request: pytest.FixtureRequest, scratch: Path) -> Clew:
    """A workspace with a fork beside it, of root and of an ordinary user."""
    prefix = as_ordinary_user() if request.param == "ordinary" else []
    (scratch / "project" / "sub").mkdir(parents=True)
    (scratch / "project" / "sub" / "file").write_text("original\n")
    if prefix:
        for path in (scratch, *scratch.rglob("*")):
            os.chown(path, UID, UID)
    found = Clew(scratch / "project", scratch / "store", prefix=prefix)
    found.ok("save", "start")
    found.ok("fork", "@", "../fork")
    return found


def beside(clew: Clew, name: str) -> Path:
    return clew.workspace.parent / name


def entered(clew: Clew, *words: str, fork: str = "fork", cwd: Path | None = None) -> Ran:
    return clew.run("enter", fork, "--", *words, cwd=cwd)


def test_what_is_written_at_the_path_of_the_workspace_is_in_the_fork(forked: Clew) -> None:
    path = forked.workspace / "sub" / "file"
    ran = entered(forked, f"echo changed > {path} && cat {path} && pwd")

    assert ran == Ran(0, f"changed\n{forked.workspace}\n", "")
    assert path.read_text() == "original\n"
    assert (beside(forked, "fork") / "sub" / "file").read_text() == "changed\n"


def test_clew_inside_works_on_the_fork(forked: Clew) -> None:
    before = forked.ids()
    ran = entered(
        forked,
        f"echo new > sub/new && {CLEW} save inside && {CLEW} restore @~1 --yes && ls sub &&"
        f" {CLEW} undo --yes && ls sub && env -u CLEW_FORK {CLEW} log",
    )

    assert ran.code == 0, ran
    assert "\nfile\n" in ran.out
    assert "\nfile\nnew\n" in ran.out
    assert forked.ids() == before
    assert "inside" in forked.ok("log", cwd=beside(forked, "fork")).out
    assert forked.ok("status").out.startswith("No changes")
    assert forked.ok("adopt", "fork", "--yes").code == 0
    assert (forked.workspace / "sub" / "new").read_text() == "new\n"


def test_the_path_of_the_workspace_stays_its_own(clew: Clew) -> None:
    saved_with_fork(clew)
    other = beside(clew, "other")
    other.mkdir()
    known = clew.json("init", cwd=other)["workspace"]["id"]
    again = entered(clew, f"{CLEW} init --exclude x --json")
    attached = entered(clew, f"{CLEW} init --attach {known}")

    assert (
        json.loads(again.out)["workspace"]["id"]
        == clew.json("forks")["forks"][0]["workspace"]["id"]
    )
    assert attached.code == ExitCode.USAGE
    assert attached.err.startswith("Error: A fork is mounted there by `clew enter`: ")
    assert not clew.json("config")["config"].get("exclude")
    assert clew.ok("status").out.startswith("No changes")


def test_a_sandbox_can_be_used_inside(forked: Clew) -> None:
    ran = entered(forked, f"echo mine > sub/file; {CLEW} save x; {CLEW} exec @ -- cat sub/file")

    assert "mine\n" in ran.err
    assert ran.code == 0


@pytest.mark.parametrize(("line", "code"), [("exit 7", 7), ("kill -TERM $$", -signal.SIGTERM)])
def test_the_exit_code_is_that_of_the_command(clew: Clew, line: str, code: int) -> None:
    saved_with_fork(clew)
    ran = subprocess.run(
        clew.command("enter", "fork", "--", line), cwd=clew.workspace, env=clew.environment()
    )

    assert ran.returncode == code


def test_a_command_that_does_not_exist_cannot_be_started(forked: Clew) -> None:
    ran = entered(forked, "no-such-command", "x")

    assert ran.code == ExitCode.NOT_STARTED
    assert ran.err.startswith(
        "Error: Cannot start the command (No such file or directory): 'no-such-command'\n"
    )


def test_the_directory_is_the_same_one_inside(forked: Clew) -> None:
    fork, elsewhere = beside(forked, "fork"), beside(forked, "store")
    shutil.rmtree(fork / "sub")
    (fork / "only here").mkdir()
    own = forked.run("enter", "--", "pwd", cwd=fork / "only here")
    told = forked.run("-C", str(forked.workspace), "enter", "fork", "--", "pwd", cwd=elsewhere)

    assert entered(forked, "pwd", cwd=forked.workspace / "sub").out == f"{forked.workspace}\n"
    assert own.out == f"{forked.workspace}/only here\n"
    assert told.out == f"{forked.workspace}\n"


def test_the_environment_names_the_fork_and_the_directory(forked: Clew) -> None:
    ran = entered(forked, "echo $CLEW_FORK $PWD $CLEW_HOME; trap -p PIPE")

    assert ran.out == f"fork {forked.workspace} {forked.store}\n"


def test_a_store_that_was_an_option_is_the_store_inside(clew: Clew) -> None:
    other = str(beside(clew, "other-store"))
    for words in (["save", "x"], ["fork", "@", "../fork"]):
        clew.ok("--store", other, *words)
    clew.ok("save", "in the default store")
    ran = clew.run("--store", other, "enter", "fork", "--", f"{CLEW} save inside --json")

    assert ran.code == 0, ran
    assert len(clew.ids()) == 1


def test_a_fork_of_a_fork_is_at_the_paths_of_both(forked: Clew) -> None:
    fork = beside(forked, "fork")
    forked.ok("fork", "@", "../second", cwd=fork)
    path = forked.workspace / "sub" / "file"
    ran = forked.run("enter", "second", "--", f"echo 2 > {path}; cat {fork}/sub/file", cwd=fork)

    assert ran.out == "2\n"
    assert (beside(forked, "second") / "sub" / "file").read_text() == "2\n"
    assert (fork / "sub" / "file").read_text() == path.read_text() == "original\n"


def test_a_fork_of_a_fork_names_the_paths_of_both(clew: Clew) -> None:
    saved_with_fork(clew)
    fork = beside(clew, "fork")
    (fork / "a").write_text(f"{clew.workspace}/x\n")
    (fork / "b").write_text(f"{fork}/x\n")
    outside = clew.json("fork", "latest", "../before", cwd=fork)
    inside = entered(clew, f"{CLEW} save s >/dev/null && {CLEW} fork @ ../second --json")

    assert outside["path_references"]["groups"] == []
    assert json.loads(inside.out)["path_references"]["groups"][0]["paths"] == [
        {"path": "a"},
        {"path": "b"},
    ]


def test_another_fork_can_be_entered_from_a_fork(forked: Clew) -> None:
    forked.ok("fork", "@", "../other")
    ran = entered(forked, f"{CLEW} enter other -- 'echo there > sub/file'")

    assert ran.code == 0, ran
    assert (beside(forked, "other") / "sub" / "file").read_text() == "there\n"
    assert (beside(forked, "fork") / "sub" / "file").read_text() == "original\n"


def test_a_fork_in_the_store_and_a_store_in_the_workspace(scratch: Path) -> None:
    (scratch / "project").mkdir()
    (scratch / "project" / "file").write_text("original\n")
    clew = Clew(scratch / "project", scratch / "project" / ".store")
    clew.ok("save", "start")
    clew.ok("fork", "@", "--name", "kept")
    ran = entered(clew, f"echo changed > file && {CLEW} save inside", fork="kept")

    assert ran.code == 0, ran
    assert (clew.workspace / "file").read_text() == "original\n"
    assert (clew.store / "forks" / "kept" / "file").read_text() == "changed\n"


def test_a_workspace_that_is_not_at_its_path_is_there_inside(forked: Clew) -> None:
    moved = beside(forked, "moved")
    forked.workspace.rename(moved)
    ran = forked.run("enter", "--", "pwd; cat sub/file", cwd=beside(forked, "fork"))

    assert ran.out == f"{forked.workspace}\noriginal\n"
    assert not forked.workspace.exists()


def test_a_virtual_environment_in_a_fork_writes_to_the_fork(clew: Clew) -> None:
    subprocess.run([sys.executable, "-m", "venv", clew.workspace / ".venv"], check=True)
    clew.ok("save", "x")
    found = clew.json("fork", "@", "../fork")["path_references"]
    pip = clew.workspace / ".venv" / "bin" / "pip"
    line = f"head -1 {pip}; .venv/bin/python -c 'import sys; print(sys.prefix)'; touch .venv/mark"
    ran = entered(clew, line)

    assert found["original_path"] == str(clew.workspace)
    assert found["groups"][0]["path"] == ".venv"
    assert {"path": ".venv/bin/pip"} in found["groups"][0]["paths"]
    assert ran.out.splitlines()[-1] == str(clew.workspace / ".venv")
    assert not (clew.workspace / ".venv" / "mark").exists()
    assert (beside(clew, "fork") / ".venv" / "mark").exists()


def test_the_fork_of_a_try_is_entered_once_it_has_a_directory(clew: Clew) -> None:
    (clew.workspace / "file").write_text("original\n")
    clew.ok("save", "x")
    clew.ok("try", "@", "--attempt", "a=echo tried > file")
    refused = entered(clew, "cat file", fork="a")
    written = clew.run("fork", "fork:a", "../tried")
    again = clew.run("fork", "fork:a", "../more")

    assert refused.code == ExitCode.USAGE
    assert refused.err == (
        "Error: Cannot enter the fork (it has no directory): 'a'\n"
        "Hint: Write its files to a directory with `clew fork fork:a DIR`\n"
    )
    assert f"as a: {beside(clew, 'tried')}\n" in written.out
    assert entered(clew, "cat file", fork="a").out == "tried\n"
    assert "the fork has a directory already" in again.err
    assert not beside(clew, "more").exists()
    assert clew.ok("discard", "a", "--files", "--yes").code == 0
    assert not beside(clew, "tried").exists()


def test_what_cannot_be_entered_says_why(forked: Clew) -> None:
    none = forked.run("enter", "--", "true")
    unknown = entered(forked, "true", fork="nothing")
    shutil.rmtree(beside(forked, "fork"))
    missing = entered(forked, "true")

    assert none.err.startswith("Error: FORK: required, because the workspace is not a fork\n")
    assert unknown.err.startswith("Error: No fork of this workspace matches: 'nothing'\n")
    assert missing.err.startswith("Error: Cannot enter the fork (its directory is missing): 'fork'")
    assert {none.code, unknown.code, missing.code} == {ExitCode.USAGE}


def test_a_fork_that_is_discarded_meanwhile_is_not_taken_for_the_workspace(forked: Clew) -> None:
    ready, go = beside(forked, "ready"), beside(forked, "go")
    waits = f"cd /; touch {ready}; until [ -e {go} ]; do sleep 0.05; done"
    process = subprocess.Popen(
        forked.command("enter", "fork", "--", f"{waits}; {CLEW} -C {forked.workspace} save oops"),
        cwd=forked.workspace, env=forked.environment(), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    until(ready.exists)
    before = forked.ids()
    forked.ok("discard", "fork", "--files", "--yes")
    go.touch()
    _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == ExitCode.USAGE
    assert said.startswith("Error: No fork of this workspace matches: 'fork'\n")
    assert forked.ids() == before


def test_a_process_inside_does_not_run_in_the_workspace(clew: Clew) -> None:
    saved_with_fork(clew)
    ready = beside(clew, "ready")
    process = subprocess.Popen(
        clew.command("enter", "fork", "--", "sh", "-c", f"touch {ready}; exec sleep 61.5"),
        cwd=clew.workspace, env=clew.environment(), start_new_session=True,
    )  # fmt: skip
    try:
        until(ready.exists)
        outside = clew.ok("save", "z").out
    finally:
        process.kill()
        process.wait()

    assert "sleep 61.5" not in outside


def test_a_machine_that_permits_no_namespaces_says_so(clew: Clew) -> None:
    if os.geteuid() != 0:
        pytest.skip("a kernel setting needs root")
    saved_with_fork(clew)
    # A user namespace of its own, in which no other can be made.
    limit = "echo 0 > /proc/sys/user/max_mnt_namespaces; exec"
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", f'{limit} "$@"', "sh"]
    ran = subprocess.run(
        [*words, *clew.command("enter", "fork", "--", "true")],
        cwd=clew.workspace, env=clew.environment(), capture_output=True, text=True,
    )  # fmt: skip

    assert ran.returncode == ExitCode.FAILED
    assert ran.stderr.startswith("Error: Sandbox not available: mount namespaces: ")
    assert "Hint: Allow user namespaces" in ran.stderr


def test_a_shell_has_the_terminal_and_controls_its_jobs(clew: Clew) -> None:
    saved_with_fork(clew)
    environment = {**clew.environment(), "SHELL": shutil.which("bash") or "/bin/sh", "PS1": "> "}
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(clew.workspace)
        os.execvpe(sys.executable, clew.command("enter", "fork"), environment)
    screen = Screen(terminal)
    screen.type("", f"In the fork fork: {clew.workspace} is its directory until you exit")
    screen.type("sleep 62\n", "sleep 62")
    time.sleep(0.5)
    screen.type("\x03", "^C")
    screen.type("echo was $?; set -o | grep monitor; echo x > sub/file\n", "was 130")
    screen.type("sleep 63\n", "sleep 63")
    time.sleep(0.5)
    screen.type("\x1a", "Stopped")
    screen.type("fg\n", "sleep 63")
    time.sleep(0.5)
    screen.type("\x03", "^C")
    screen.type("exit 9\n", "exit 9")
    screen.close()

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert "monitor" in screen.text
    assert (beside(clew, "fork") / "sub" / "file").read_text() == "x\n"


def test_enter_passes_on_the_fork_and_the_command(fake: FakeClew) -> None:
    fake.run("enter", "login")
    fake.run("enter", "--", "make | tail -3")
    fake.run("-C", "/x", "enter", "login", "--", "make", "-h")

    assert fake.workspace.asked == [
        ("enter", "login", None, "."),
        ("enter", None, "make | tail -3", "."),
        ("enter", "login", ("make", "-h"), "/x"),
    ]


def saved_with_fork(clew: Clew) -> None:
    (clew.workspace / "sub").mkdir()
    (clew.workspace / "sub" / "file").write_text("original\n")
    clew.ok("save", "start")
    clew.ok("fork", "@", "../fork")


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Screen:
    """A terminal, and everything it has shown."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.text = ""

    def type(self, keys: str, expected: str) -> None:
        """Press keys, and wait until something is shown after that."""
        os.write(self._descriptor, keys.encode())
        shown = "".join(self._pieces(expected))
        assert expected in shown

    def close(self) -> None:
        """Read until the last process has left the terminal."""
        with suppress(OSError):  # then nothing has it open
            while os.read(self._descriptor, 4096):
                pass
        os.close(self._descriptor)

    def _pieces(self, expected: str) -> Iterator[str]:
        found, deadline = "", time.monotonic() + PATIENCE
        while expected not in found and time.monotonic() < deadline:
            if select.select([self._descriptor], [], [], 0.1)[0]:
                found += (piece := os.read(self._descriptor, 4096).decode())
                self.text += piece
                yield piece
