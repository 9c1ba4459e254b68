"""After a hook has saved, a process in the background derives the story; the hook waits for nothing."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.operations.history import stories_process
from clew.operations.history.background_stories import start_background_stories
from clew.store.locks import try_lock
from clew.store.store import Store
from clew.workspace import Workspace
from tests.agents_hooks.hooking import LONGEST, Hook
from tests.kit.background import (
    ON,
    held,
    is_alive,
    is_running,
    kill_stories,
    lock_files,
    pids,
    wait_for_stories,
)
from tests.kit.fake_host import quiet_host


@pytest.fixture
def hook(hook: Hook) -> Iterator[Hook]:
    """The hook, with the process in the background, which is waited for."""
    hook.clew.extra.update(ON)
    hook.tell("SessionStart")
    yield hook
    wait_for_stories(hook.clew.store)


def stored(store: Path) -> list[str | None]:
    """Return the stored headlines of all checkpoints, newest first."""
    opened = Store.open(str(store))
    try:
        rows = opened.database.execute(
            "SELECT s.headline FROM checkpoints c LEFT JOIN stories s ON s.checkpoint = c.id"
            " WHERE c.deleted IS NULL ORDER BY c.sequence DESC"
        )
        return [row[0] for row in rows]
    finally:
        opened.close()


def edit(hook: Hook, name: str, text: str = "x = 1\n") -> None:
    (hook.clew.workspace / name).write_text(text)


def slow(hook: Hook, tmp_path: Path) -> Path:
    """Make the process wait after it has derived a story, until the file is removed."""
    gate = tmp_path / "gate"
    gate.touch()
    hook.clew.ok("config", "set", "story.writer", f"while test -e '{gate}'; do sleep 0.02; done")
    return gate


def until_started(store: Path) -> int:
    """Wait until the process has started, and return its pid."""
    deadline = time.monotonic() + LONGEST
    while not (is_running(store) and pids(store)):
        assert time.monotonic() < deadline, "no process derives stories"
        time.sleep(0.01)
    return pids(store)[0]


def test_a_hook_that_saved_has_its_story_derived(hook: Hook) -> None:
    edit(hook, "made.py")
    hook.after("touch made.py")
    wait_for_stories(hook.clew.store)

    assert stored(hook.clew.store) == ["added made.py", "new workspace, 1 file"]


def test_a_hook_that_saved_nothing_starts_nothing(hook: Hook) -> None:
    hook.after("true")

    assert lock_files(hook.clew.store) == []


def test_older_stories_that_are_missing_are_derived_too(hook: Hook) -> None:
    hook.clew.extra["CLEW_BACKGROUND"] = "off"
    edit(hook, "a.py")
    hook.after("touch a.py")
    assert stored(hook.clew.store)[0] is None
    hook.clew.extra.update(ON)
    edit(hook, "b.py")
    hook.after("touch b.py")
    wait_for_stories(hook.clew.store)

    assert stored(hook.clew.store)[:2] == ["added b.py", "added a.py"]


def test_no_open_file_of_the_hook_stays_open(hook: Hook, tmp_path: Path) -> None:
    gate = slow(hook, tmp_path)
    reading, writing = os.pipe()
    edit(hook, "made.py")
    ran = hook.run(
        hook_event(hook),
        pass_fds=(writing,),
    )  # returns when its streams are closed
    os.close(writing)

    assert (ran.code, ran.err, hook.log) == (0, "", [])
    pid = until_started(hook.clew.store)
    assert os.read(reading, 1) == b""  # no process has the other end
    os.close(reading)
    targets = {os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()}
    assert not [one for one in targets if one.startswith("pipe:") and not _is_own_pipe(pid, one)]
    assert os.getsid(pid) != os.getsid(0)
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    gate.unlink()


def hook_event(hook: Hook) -> bytes:
    import json

    call = {"tool_name": "Write", "tool_input": {}, "tool_use_id": "c1"}
    with hook.transcript.open("a") as file:
        file.write('{"message":{"content":[{"tool_use_id":"c1"}]}}\n')
    return json.dumps(hook.payload("PostToolBatch", tool_calls=[call])).encode()


def _is_own_pipe(pid: int, target: str) -> bool:
    """Tell whether a child of the process, such as the story's writer, has the other end."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return any(
        target in {os.readlink(path) for path in Path(f"/proc/{child}/fd").iterdir()}
        for child in children
    )


def test_there_is_one_process_for_a_workspace_and_it_finds_what_came_meanwhile(
    hook: Hook, tmp_path: Path
) -> None:
    gate = slow(hook, tmp_path)
    edit(hook, "a.py")
    hook.after("touch a.py")
    first = until_started(hook.clew.store)
    for name in ("b.py", "c.py"):
        edit(hook, name)
        hook.after(f"touch {name}")

    assert pids(hook.clew.store) == [first]
    assert is_alive(first)
    gate.unlink()
    wait_for_stories(hook.clew.store)
    assert pids(hook.clew.store) == [first]
    assert stored(hook.clew.store)[:3] == ["added c.py", "added b.py", "added a.py"]


def test_a_taken_lock_means_that_nothing_is_started(hook: Hook) -> None:
    store = Store.open(str(hook.clew.store))
    name = store.workspaces.all()[0].uuid.hex()
    store.close()
    with held(hook.clew.store / "locks" / f"stories-{name}"):
        edit(hook, "a.py")
        hook.after("touch a.py")

    assert not is_running(hook.clew.store)
    assert stored(hook.clew.store)[0] is None


@pytest.mark.parametrize("at", ["deriving", "anywhere"])
def test_a_killed_process_leaves_a_store_that_works(hook: Hook, tmp_path: Path, at: str) -> None:
    gate = slow(hook, tmp_path) if at == "deriving" else None
    for number in range(3):
        edit(hook, f"{number}.py")
        hook.after(f"touch {number}.py")
        until_started(hook.clew.store) if gate else time.sleep(0.03 * number)
        kill_stories(hook.clew.store)
    if gate:
        gate.unlink()
    hook.clew.ok("check", "--read-data")
    hook.clew.ok("gc")
    assert list((hook.clew.store / "tmp").iterdir()) == []

    edit(hook, "last.py")
    hook.after("touch last.py")
    wait_for_stories(hook.clew.store)

    assert stored(hook.clew.store)[:2] == ["added last.py", "added 2.py"]
    assert None not in stored(hook.clew.store)


def test_turned_off_by_a_setting_nothing_is_started_and_log_describes_in_memory(
    hook: Hook,
) -> None:
    hook.clew.ok("config", "set", "story.background", "off")
    edit(hook, "a.py")
    hook.after("touch a.py")

    assert lock_files(hook.clew.store) == []
    assert hook.clew.json("log")["checkpoints"][0]["headline"] == "added a.py"
    assert stored(hook.clew.store)[0] is None


def test_a_restore_has_the_story_of_its_rescue_derived(hook: Hook) -> None:
    edit(hook, "unsaved.py")
    hook.clew.restore("@")
    wait_for_stories(hook.clew.store)

    assert stored(hook.clew.store)[0] == "added unsaved.py"


def test_a_save_by_hand_has_missing_stories_derived(hook: Hook) -> None:
    hook.clew.extra["CLEW_BACKGROUND"] = "off"
    edit(hook, "a.py")
    hook.after("touch a.py")
    hook.clew.extra.update(ON)
    edit(hook, "b.py")
    hook.clew.save("by hand")
    wait_for_stories(hook.clew.store)

    assert stored(hook.clew.store)[:2] == ["added b.py", "added a.py"]
    before = lock_files(hook.clew.store)[0].stat().st_mtime_ns
    edit(hook, "c.py")
    hook.clew.save("by hand")
    wait_for_stories(hook.clew.store)
    assert lock_files(hook.clew.store)[0].stat().st_mtime_ns == before  # nothing was started


def test_a_read_only_store_starts_nothing(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_BACKGROUND", "on")
    ws._access.store.writable = False

    start_background_stories(ws._access.context)

    assert lock_files(Path(ws._access.store.layout.root)) == []


@pytest.mark.refuses("vfork", errno.EAGAIN)
@pytest.mark.refuses("clone", errno.EAGAIN)
def test_a_process_that_cannot_be_started_is_no_failure(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BACKGROUND", "on")

    start_background_stories(ws._access.context)

    assert not is_running(Path(ws._access.store.layout.root))
    assert lock_files(Path(ws._access.store.layout.root)) != [], "it was tried"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_while_the_process_exits_is_not_missed(
    ws: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """A hook commits, and tries the lock, just before or just after the process releases it."""

    store = Path(ws._access.store.layout.root)
    starts: list[bool] = []
    monkeypatch.setenv("CLEW_BACKGROUND", "on")

    def commit() -> None:
        monkeypatch.setenv("CLEW_BACKGROUND", "off")  # this save starts no process of its own
        (project / "late.py").write_text("x = 1\n")
        ws.save("late", origin="hook")
        taken = ws._access.store.locks.try_stories(ws._access.info.uuid)
        starts.append(taken is not None)
        if taken is not None:
            os.close(taken)
        monkeypatch.setenv("CLEW_BACKGROUND", "on")

    host = quiet_host()
    host.when("stories.unlock" if when == "before" else "stories.unlocked", commit, number=1)
    lock = ws._access.store.locks.try_stories(ws._access.info.uuid)
    assert lock is not None
    stories_process.run(str(store), ws._access.info.uuid, lock, host)
    os.close(lock)

    assert starts == [when == "after"]
    assert stored(store)[0] == "added late.py"


def test_of_many_that_try_at_once_one_holds_the_lock(ws: Workspace) -> None:
    locks, uuid = ws._access.store.locks, ws._access.info.uuid
    found: list[int | None] = []
    threads = [
        threading.Thread(target=lambda: found.append(locks.try_stories(uuid))) for _ in "12345678"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    holders = [one for one in found if one is not None]

    assert len(holders) == 1
    child = subprocess.Popen(["sleep", "100"], pass_fds=holders)
    os.close(holders[0])
    assert locks.try_stories(uuid) is None  # the child holds it
    child.send_signal(signal.SIGKILL)
    child.wait()
    taken = locks.try_stories(uuid)
    assert taken is not None
    assert try_lock(taken)
    os.close(taken)
