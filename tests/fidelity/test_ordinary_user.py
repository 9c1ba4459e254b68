"""An ordinary user can use all of it; what only root may set back is reported, and not fatal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.kit import walker
from tests.kit.ordinary_user import UID, as_ordinary_user
from tests.kit.running import Clew


@pytest.fixture
def user(on_ext4: Path) -> Clew:
    """The command line of an ordinary user, who owns a project with some of root's files in it."""
    os.chown(on_ext4, UID, UID)
    project = on_ext4 / "project"
    project.mkdir()
    (project / "mine.txt").write_text("mine\n")
    (project / "mine.txt").chmod(0o600)
    os.setxattr(project / "mine.txt", "user.note", b"\x00\x01")
    (project / "directory").mkdir()
    (project / "directory" / "script").write_text("#!/bin/sh\n")
    (project / "directory" / "script").chmod(0o755)
    os.link(project / "mine.txt", project / "directory" / "same as mine")
    os.symlink("mine.txt", project / "link")
    os.mkfifo(project / "fifo")
    for path in (project, *project.rglob("*")):
        os.chown(path, UID, UID, follow_symlinks=False)
    return Clew(project, on_ext4 / "store", prefix=as_ordinary_user())


def test_their_files_come_back_exactly(user: Clew) -> None:
    before = walker.look(user.workspace)
    saved = user.save("mine")
    (user.workspace / "mine.txt").unlink()
    (user.workspace / "directory" / "script").chmod(0o644)
    (user.workspace / "link").unlink()
    result = user.restore(saved)

    assert walker.differences(before, walker.look(user.workspace)) == []
    assert result["is_verified"] is True


def test_a_file_they_cannot_read_is_counted_and_left_alone(user: Clew) -> None:
    secret = user.workspace / "of root"
    secret.write_text("only root reads this")
    secret.chmod(0o600)
    saved = user.json("save", "with a secret")["checkpoint"]
    before = walker.look(user.workspace)
    (user.workspace / "mine.txt").write_text("changed")
    user.restore(saved["id"])

    assert "of root" in json.dumps(saved["coverage"])
    assert "unreadable" in json.dumps(saved["coverage"])
    assert walker.differences(before.state(), walker.look(user.workspace).state()) == []


def test_an_unreadable_file_makes_a_strict_save_partial(user: Clew) -> None:
    (user.workspace / "of root").write_text("x")
    (user.workspace / "of root").chmod(0o600)
    relaxed, strict = user.run("save", "a"), user.run("save", "b", "--strict")

    assert (relaxed.code, strict.code) == (0, 3)
    assert "1" in relaxed.err + relaxed.out


def test_an_unreadable_directory_is_never_deleted(user: Clew) -> None:
    saved = user.save("before")
    hidden = user.workspace / "hidden"
    hidden.mkdir()
    (hidden / "inside").write_text("root's")
    hidden.chmod(0o700)
    user.run("restore", saved, "--yes")

    assert (hidden / "inside").read_text() == "root's"


def test_an_owner_that_only_root_can_set_is_reported_and_the_file_comes_back(user: Clew) -> None:
    foreign = user.workspace / "of somebody"
    foreign.write_text("readable by all")
    os.chown(foreign, 4321, 4321)
    foreign.chmod(0o644)
    saved = user.save("with a foreign owner")
    foreign.unlink()
    ran = user.run("restore", saved, "--yes", "--json")

    assert ran.code in (0, 3), ran.err
    assert foreign.read_text() == "readable by all"
    assert "of somebody" in ran.out


def test_a_device_that_only_root_can_make_is_reported_and_the_rest_comes_back(user: Clew) -> None:
    os.mknod(user.workspace / "null", 0o020666, os.makedev(1, 3))
    saved = user.save("with a device")
    (user.workspace / "null").unlink()
    (user.workspace / "mine.txt").unlink()
    ran = user.run("restore", saved, "--yes", "--json")

    assert ran.code == 3, ran.err
    assert (user.workspace / "mine.txt").read_text() == "mine\n"
    assert "null" in ran.out


def test_the_store_is_closed_to_others(user: Clew) -> None:
    user.save("mine")
    open_to_others = [path for path in user.store.rglob("*") if path.stat().st_mode & 0o077]

    assert user.store.stat().st_mode & 0o777 == 0o700
    assert open_to_others == []
