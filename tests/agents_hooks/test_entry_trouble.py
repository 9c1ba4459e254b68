"""Hooks with a broken or locked store: the agent continues and nothing is lost."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.agents.hooks.bundle import bundle_path
from tests.agents_hooks.hooking import LONGEST, Hook, batch
from tests.kit.filesystems import bound
from tests.kit.killing import kill_at, moments
from tests.kit.running import Ran
from tests.kit.tools import require_root, require_tracing


def impatient(hook: Hook, content: bytes) -> Ran:
    """Run a hook that gives up after a moment."""
    program = (
        "import sys; from clew.agents.hooks import entry; entry.TIMEOUT_SECONDS = 0.7;"
        " sys.exit(entry.run(['claude-code']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=hook.clew.workspace,
        env=hook.environment,
        input=content,
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def workspace_held(hook: Hook) -> Iterator[None]:
    """Another command is at work in the workspace for as long as this lasts."""
    (lock,) = (one for one in (hook.clew.store / "locks").iterdir() if len(one.name) == 32)
    descriptor = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def catalogue_held(hook: Hook) -> Iterator[None]:
    """Another process writes to the catalogue, and does not come to an end."""
    database = sqlite3.connect(hook.clew.store / "catalog.db", isolation_level=None)
    try:
        database.execute("BEGIN IMMEDIATE")
        yield
    finally:
        database.close()


def until_it_waits(pid: int) -> None:
    """Return once a process waits for a lock."""
    deadline = time.monotonic() + LONGEST
    while not any("->" in line and f" {pid} " in line for line in _locks()):
        assert time.monotonic() < deadline, "it does not wait"
        time.sleep(0.01)


def _locks() -> list[str]:
    return Path("/proc/locks").read_text().splitlines()


def _garbage_catalogue(store: Path) -> None:
    (catalogue,) = store.glob("catalog*")
    catalogue.write_bytes(b"garbage" * 10_000)


def _no_catalogue(store: Path) -> None:
    (catalogue,) = store.glob("catalog*")
    catalogue.write_bytes(b"")


def _desks_are_a_file(store: Path) -> None:
    shutil.rmtree(store / "desks", ignore_errors=True)
    (store / "desks").write_text("x")


@pytest.mark.parametrize("wound", [_garbage_catalogue, _no_catalogue, _desks_are_a_file])
def test_a_damaged_store_is_a_line_in_the_log(hook: Hook, wound: Callable[[Path], None]) -> None:
    sound = hook.clew.store.parent / "sound"
    shutil.copytree(hook.clew.store, sound)
    wound(hook.clew.store)
    (hook.clew.workspace / "made.txt").write_text("made")
    ran = hook.run(batch(hook))
    shutil.rmtree(hook.clew.store)
    sound.rename(hook.clew.store)

    assert ran == Ran(0, "", "")
    assert hook.log[0]["event"] == "PostToolBatch"
    hook.clew.ok("check", "--read-data")
    assert hook.clew.json("status")["changes"]


def test_a_store_that_cannot_be_written_is_a_line_in_the_log(hook: Hook) -> None:
    require_root("mounting")
    store = hook.clew.store
    (hook.clew.workspace / "made.txt").write_text("made")
    with bound(store, store):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(store)], check=True)
        ran = hook.run(batch(hook))

    assert ran == Ran(0, "", "")
    assert "is not writable" in hook.log[0]["message"]
    assert len(hook.clew.ids()) == 1


def test_a_full_store_is_a_line_in_the_log_and_loses_nothing(hook: Hook) -> None:
    (hook.clew.workspace / "large.bin").write_bytes(bytes(range(256)) * 40_000)

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, 1 << 12))

    ran = hook.run(batch(hook), preexec_fn=small_files)
    (line,) = hook.log
    hook.log_path.unlink()
    hook.after("make")

    assert (ran.code, ran.out) == (0, "")
    assert line["event"] == "PostToolBatch"
    hook.clew.ok("check", "--read-data")
    assert len(hook.clew.ids()) == 2


def test_a_workspace_that_is_held_for_too_long_is_a_line_in_the_log(hook: Hook) -> None:
    (hook.clew.workspace / "made.txt").write_text("made")
    with workspace_held(hook):
        ran = impatient(hook, batch(hook))
    hook.log_path.rename(hook.log_path.with_name("kept"))
    hook.after("make")

    assert (ran.code, ran.out) == (0, "")
    (line,) = map(json.loads, hook.log_path.with_name("kept").read_text().splitlines())
    assert "another clew command may be running" in line["message"]
    assert line["event"] == "PostToolBatch"
    assert len(hook.clew.ids()) == 2


def test_an_end_in_the_middle_is_a_line_in_the_log_and_loses_nothing(hook: Hook) -> None:
    (hook.clew.workspace / "made.txt").write_text("made")
    with workspace_held(hook):
        process = hook.start()
        assert process.stdin is not None
        process.stdin.write(batch(hook))
        process.stdin.close()
        process.stdin = None  # it is told all there is
        until_it_waits(process.pid)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LONGEST)
    lines = hook.log
    hook.log_path.unlink()
    hook.after("make")

    assert (process.returncode, out, err) == (0, b"", b"")
    assert "did not finish in time" in lines[0]["message"]
    assert len(hook.clew.ids()) == 2


def test_a_hook_that_is_terminated_after_its_answer_exits_without_an_error(hook: Hook) -> None:
    require_tracing()
    bundle = Path(bundle_path(hook.environment))
    trace = hook.clew.workspace.parent / "trace"
    command = hook.clew.command("hook", "claude-code")

    def hook_with(*options: str) -> subprocess.CompletedProcess[bytes]:
        bundle.unlink(missing_ok=True)  # the hook writes it after its answer
        return subprocess.run(
            [
                "strace",
                "-f",
                "-qq",
                "-y",
                "-o",
                str(trace),
                "-e",
                "trace=write",
                *options,
                *command,
            ],
            cwd=hook.clew.workspace,
            env=hook.environment,
            input=batch(hook),
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )

    hook_with()  # the first one stores the conversation
    hook_with()
    count = trace.read_text().count(" write(")
    done = hook_with("-e", f"inject=write:signal=TERM:when={count}")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    written, received = trace.read_text().splitlines()[-2:]
    assert f"<{bundle.parent}/" in written
    assert "SIGTERM" in received
    assert not hook.log_path.exists()


def test_a_catalogue_that_is_held_for_too_long_is_a_line_in_the_log(hook: Hook) -> None:
    (hook.clew.workspace / "made.txt").write_text("made")
    with catalogue_held(hook):
        ran = impatient(hook, batch(hook))

    assert (ran.code, ran.out) == (0, "")
    assert len(hook.log) == 1
    assert hook.clew.save("by hand")


def test_a_restore_that_was_interrupted_is_told_when_the_agent_starts_and_not_carried_out(
    hook: Hook,
) -> None:
    clew = hook.clew
    (clew.workspace / "file").write_text("first")
    first = clew.save("first")
    (clew.workspace / "file").write_text("second")
    command = clew.command("restore", first, "--yes")
    found = [
        m for m in moments(command, clew.workspace, clew.environment()) if m.call == "renameat2"
    ]
    (clew.workspace / "file").write_text("third")
    assert kill_at(found[-1], command, clew.workspace, clew.environment())

    answer = hook.tell("SessionStart")
    (clew.workspace / "new").write_text("made by the agent")
    hook.after("echo made by the agent > new")

    assert "clew restore --continue" in answer["systemMessage"]
    assert (clew.workspace / "file").read_text() == "third"
    assert clew.json("status")["interrupted_restore"] is not None
