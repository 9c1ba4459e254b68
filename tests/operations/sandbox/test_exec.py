"""Exec: one command in a throw-away copy, and what it would change; nothing is left of it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit import walker
from tests.kit.tools import require
from tests.kit.trying import NO_NAMESPACES, Place, place_for, wait_for


@pytest.fixture(params=["root", "ordinary"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_for(request.param) as found:
        yield found


@pytest.fixture
def roots() -> Iterator[Place]:
    with place_for("root") as found:
        yield found


def execute(place: Place, ref: str, *words: str) -> tuple[int, Any]:
    ran = place.clew.run("--json", "exec", ref, *words)
    return ran.code, json.loads(ran.out)


def changes(found: Any) -> list[tuple[str, str]]:
    return [(one["kind"], one["path"]) for one in found["difference"]["changes"]]


def test_what_a_command_would_change_is_told_and_not_done(place: Place) -> None:
    place.write("edited.txt", "one\n")
    place.write("gone.txt", "x\n")
    saved = place.clew.save()
    place.write("edited.txt", "live\n")
    before = walker.look(place.project)
    code, found = execute(
        place, saved, "--", "cat edited.txt; echo two >> edited.txt; rm gone.txt; mkdir new"
    )

    assert code == 0
    assert found["output"] == "one\n"
    assert changes(found) == [
        ("modified", "edited.txt"), ("deleted", "gone.txt"), ("added", "new"),
    ]  # fmt: skip
    assert found["difference"]["headline"] == ("edited edited.txt, deleted gone.txt; new added")
    assert walker.differences(before, walker.look(place.project)) == []
    assert place.copies() == []


def test_a_command_that_changes_nothing_is_told_so(place: Place) -> None:
    place.write("sub/file", "x")
    place.write("script", "#!/bin/sh\n", mode=0o755)
    os.symlink("sub", place.project / "link")
    os.link(place.project / "script", place.project / "sub" / "same")
    os.mkfifo(place.project / "fifo")
    place.give_away()
    saved = place.clew.save()

    assert changes(execute(place, saved, "--", "true")[1]) == []


@pytest.mark.parametrize("who", ["root", "ordinary"])
def test_nothing_else_can_be_written(who: str) -> None:
    with place_for(who) as place:
        saved = place.clew.save()
        for there in (place.root / "home" / "x", place.root / "x", place.clew.store / "x"):
            code, found = execute(place, saved, "--", f"touch {there}")

            assert code == 1
            assert not there.exists()
            assert "Read-only" in found["output"]


def test_there_is_no_network_unless_it_is_asked_for(roots: Place) -> None:
    saved = roots.clew.save()
    count = "grep -c : /proc/net/dev"

    assert execute(roots, saved, "--", count)[1]["output"] == "1\n"
    own = execute(roots, saved, "--", "readlink /proc/self/ns/net")[1]
    host = execute(roots, saved, "--network", "host", "--", "readlink /proc/self/ns/net")[1]
    assert own["output"].strip() != os.readlink("/proc/self/ns/net")
    assert host["output"].strip() == os.readlink("/proc/self/ns/net")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("true",), 0),
        (("exit 7",), 7),
        (("kill -TERM $$",), 143),
        (("no-such-thing", "x"), 127),
    ],
)
def test_the_exit_code_is_the_commands_own(roots: Place, words: tuple[str, ...], code: int) -> None:
    saved = roots.clew.save()

    assert roots.clew.run("exec", saved, "--", *words).code == code


def test_a_command_that_takes_too_long_is_ended_and_told_what_it_had_done(roots: Place) -> None:
    saved = roots.clew.save()
    code, found = execute(roots, saved, "--timeout", "0.5s", "--", "touch begun; sleep 600")

    assert (code, found["end_reason"]) == (124, "timeout")
    assert changes(found) == [("added", "begun")]
    assert roots.marked_processes() == []


def test_an_interrupt_leaves_nothing(place: Place) -> None:
    place.write("file", "x")
    saved = place.clew.save()
    process = place.start("exec", saved, "--", "echo begun; sleep 600")
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Different in the copy: ")
    assert process.stderr.readline() == "begun\n"  # said while it runs
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)

    assert process.returncode == 130
    assert out.startswith("echo begun; sleep 600: interrupted, ")
    assert place.marked_processes() == []
    assert place.mounts() == []
    assert place.copies() == []


def test_the_live_workspace_can_be_used_while_a_command_runs(roots: Place) -> None:
    roots.write("file", "x")
    saved = roots.clew.save()
    process = roots.start("exec", saved, "--", "echo begun; sleep 600")
    assert process.stderr is not None
    process.stderr.readline()
    roots.write("file", "y")
    roots.clew.save("meanwhile")
    roots.clew.ok("gc")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert process.returncode == 130


def test_at_a_terminal_the_commands_words_are_seen_and_drive_nothing(roots: Place) -> None:
    saved = roots.clew.save()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        roots.clew.command("exec", saved, "--", "printf 'hi \\033[2J there\\n'"),
        cwd=roots.project,
        env={**roots.clew.environment(), "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    screen = b""
    while piece := _read(ours):
        screen += piece
    os.close(ours)

    assert process.wait(timeout=60) == 0
    assert b"hi \\x1b[2J there\r\n" in screen
    assert b"No changes since" in screen


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # what Linux says when the other side has gone
        return b""


def test_without_namespaces_nothing_is_run(roots: Place) -> None:
    require("unshare")
    saved = roots.clew.save()
    roots.clew.prefix = list(NO_NAMESPACES)
    flag = roots.root / "home" / "ran"
    code, error = roots.clew.error("exec", saved, "--", f"touch {flag}")

    assert (code, error["kind"]) == (1, "sandbox-unavailable")
    assert not flag.exists()


def test_what_was_excluded_is_neither_there_nor_deleted(roots: Place) -> None:
    roots.write("out/file", "x")
    roots.clew.ok("init", "--exclude", "out")
    saved = roots.clew.save()
    _, found = execute(roots, saved, "--", "ls; mkdir out; touch out/new kept")

    assert found["output"] == ""
    assert changes(found) == [("added", "kept")]
    assert "Not in the checkpoint: out (excluded)" in found["notes"]


def test_a_wait_for_nothing_is_not_needed(roots: Place) -> None:
    """A daemon that the command leaves behind ends with it."""
    saved = roots.clew.save()
    wait_for(lambda: not roots.marked_processes(), "something runs before we began")
    execute(roots, saved, "--", "(setsid sleep 600 &); echo ok")

    assert roots.marked_processes() == []
    assert Path(roots.project).is_dir()
