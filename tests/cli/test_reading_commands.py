"""Commands that read write nothing to the store: not a row, not a file, not a time.

SQLite creates `catalog.db-wal` and `catalog.db-shm` while the catalogue is open and removes them when
the last connection closes it, and a story's scratch directory is in `tmp/` while it is derived.  So the
times of directories are not compared; nothing else is left out.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from clew import opening
from clew.model.record import Origin
from tests.kit.running import Clew
from tests.mcp_server.talking import call

READING = [
    ("log",),
    ("log", "--path", "app.py"),
    ("log", "--grep", "hook"),
    ("status",),
    ("show", "@"),
    ("show", "@", "--paths"),
    ("show", "@~1"),
    ("good",),
    ("diff",),
    ("diff", "@~2", "@", "--patch"),
    ("diff", "@~2", "@", "--facts"),
    ("blame", "app.py"),
    ("blame", "NEW"),
    ("ls", "@"),
    ("cat", "@", "app.py"),
    ("restore", "@~1", "--dry-run"),
    ("forks",),
    ("grep", "one"),
    ("search", "hook"),
    ("search", "app", "--all-workspaces"),
    ("workspaces",),
    ("session", "list"),
    ("session", "show"),
    ("task", "list"),
    ("effect", "list"),
    ("brief",),
    ("stats",),
    ("doctor",),
    ("config",),
    ("check", "--read-data"),
]
TOOLS = [
    ("log", {}),
    ("show", {"ref": "@"}),
    ("status", {}),
    ("diff", {"a": "@~2", "b": "@"}),
    ("good", {}),
    ("blame", {"subject": "app.py"}),
    ("tasks", {}),
    ("effects", {}),
]
Files = dict[str, tuple[object, ...]]


def files_of(store: Path) -> Files:
    """Return everything in a store: kinds and modes of all, and times and contents of files."""
    found: Files = {}
    for path in sorted(store.rglob("*")):
        stat = path.lstat()
        times = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        is_file = path.is_file()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else ""
        found[str(path)] = (stat.st_mode, stat.st_ino, *(times if is_file else ()), digest)
    return found


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Clew:
    """A workspace with checkpoints of hooks that no command has read, and work that is not saved."""
    place = tmp_path_factory.mktemp("reading")
    project = place / "project"
    project.mkdir()
    clew = Clew(project, place / "store")
    (project / "app.py").write_text("one = 1\n")
    database = sqlite3.connect(project / "data.db")
    database.execute("CREATE TABLE people (name)")
    database.commit()
    clew.ok("save", "by hand", "--verify", "true")
    clew.ok("session", "attach", "--agent", "bot")
    clew.ok("task", "add", "write")
    clew.ok("effect", "record", "deploy")
    clew.ok("fork", "@", str(place / "fork"), "--name", "other")
    with opening.open(project, store=clew.store) as ws:
        for number in range(3):
            (project / "app.py").write_text(f"one = {number + 2}\n")
            (project / ".env").write_text("NEW=1\n" * number)
            database.execute(f"CREATE TABLE more{number} (name)")
            database.commit()
            saved = ws.save(f"hook {number}", origin=Origin.HOOK)
            assert saved.story is None
    database.close()
    (project / "app.py").write_text("not saved\n")
    return clew


def unread(clew: Clew) -> int:
    """Return how many checkpoints have no story in the store."""
    with closing(
        sqlite3.connect(f"file:{clew.store}/catalog.db?mode=ro&immutable=1", uri=True)
    ) as database:
        found: int = database.execute(
            "SELECT count(*) FROM checkpoints WHERE id NOT IN (SELECT checkpoint FROM stories)"
        ).fetchone()[0]
    return found


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_command_that_reads_leaves_the_store_as_it_is(
    scene: Clew, words: tuple[str, ...]
) -> None:
    before = files_of(scene.store)
    assert unread(scene) >= 3

    scene.ok(*words)

    assert files_of(scene.store) == before


@pytest.mark.parametrize(("tool", "arguments"), TOOLS, ids=[name for name, _ in TOOLS])
def test_a_tool_that_reads_leaves_the_store_as_it_is(
    scene: Clew, tool: str, arguments: dict[str, str]
) -> None:
    before = files_of(scene.store)

    answered = call(scene, tool, arguments)

    assert not answered.is_error, answered.content
    assert files_of(scene.store) == before


def test_what_is_read_has_stories_although_none_is_stored(scene: Clew) -> None:
    log = scene.json("log")["checkpoints"]

    assert [one["headline"] for one in log[:3]] != [None, None, None]
    assert "more2" in str(scene.json("show", "@")["story_lines"])
    assert unread(scene) >= 3


def test_a_status_over_the_budget_writes_nothing_either(scene: Clew) -> None:
    scene.ok("config", "set", "max-bytes", "1")
    try:
        before = files_of(scene.store)
        ran = scene.ok("status")

        assert "more than max-bytes" in ran.err
        assert files_of(scene.store) == before
    finally:
        scene.ok("config", "unset", "max-bytes")


@pytest.fixture(scope="module")
def read_only(scene: Clew) -> Iterator[Clew]:
    """The same store, mounted read-only, as a backup would be."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    subprocess.run(["mount", "--bind", scene.store, scene.store], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", scene.store], check=True)
        yield scene
    finally:
        subprocess.run(["umount", scene.store], check=True)


@pytest.mark.parametrize("words", [one for one in READING if one != ("doctor",)], ids=" ".join)
def test_a_read_only_store_can_be_read(read_only: Clew, words: tuple[str, ...]) -> None:
    before = files_of(read_only.store)

    read_only.ok(*words)

    assert files_of(read_only.store) == before
