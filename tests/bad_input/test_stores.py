"""Stores that cannot be used: read-only, somebody else's, newer, or no store at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from tests.kit import filesystems
from tests.kit.ordinary_user import UID, as_ordinary_user
from tests.kit.running import Clew
from tests.kit.walker import differences, look

READING = (["log"], ["show", "@"], ["cat", "@", "file"], ["ls", "@"])
WRITING = (["save", "x"], ["delete", "@"], ["gc"], ["edit", "@", "--intent", "x"])


@pytest.fixture
def saved(on_ext4: Path) -> Clew:
    """A project with one checkpoint."""
    (on_ext4 / "project").mkdir()
    (on_ext4 / "project" / "file").write_text("content")
    clew = Clew(on_ext4 / "project", on_ext4 / "store")
    clew.save("first")
    return clew


def test_a_store_from_a_newer_format_is_refused(saved: Clew) -> None:
    _rewrite_format(saved.store, lambda text: text.replace("version 1", "version 2"))
    _check_refused(saved, [*READING, *WRITING], {"store-too-new"}, 1)


def test_a_store_with_a_key_nobody_knows_is_refused(saved: Clew) -> None:
    _rewrite_format(saved.store, lambda text: text + "flavour new\n")
    _check_refused(saved, [*READING, *WRITING], {"store-too-new"}, 1)


def test_another_user_s_store_is_refused(saved: Clew) -> None:
    os.chown(saved.store, 4321, 4321)
    _check_refused(saved, [*READING, *WRITING], {"store-wrong-owner"}, 1)


def test_a_store_that_an_ordinary_user_may_not_enter_is_refused(saved: Clew) -> None:
    os.chown(saved.workspace, UID, UID)
    user = Clew(saved.workspace, saved.store, prefix=as_ordinary_user())
    _check_refused(user, [*READING, *WRITING], {"store-wrong-owner", "store-read-only"}, 1)


def test_a_read_only_store_can_be_read_but_not_written(saved: Clew) -> None:
    # bound over itself and made read-only, as a mounted backup would be
    with filesystems.bound(saved.store, saved.store):
        os.system(f"mount -o remount,bind,ro '{saved.store}'")
        before = look(saved.workspace)
        (saved.workspace / "more").write_text("x")
        for arguments in WRITING:
            code, error = saved.error(*arguments)

            assert (code, error["kind"]) == (1, "store-read-only"), arguments
            assert error["hint"]
        for arguments in READING:
            ran = saved.run(*arguments)

            assert ran.code == 0 or (ran.code == 1 and "Traceback" not in ran.err), arguments
        (saved.workspace / "more").unlink()
        assert differences(before.state(), look(saved.workspace).state()) == []


def test_a_directory_that_is_no_store_is_refused_and_left_alone(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "holiday.jpg").write_bytes(b"precious")
    before = look(tmp_path / "pictures")
    ran = clew.run("save", "x", "--store", str(tmp_path / "pictures"), "--json")

    assert ran.code == 1
    assert "not-a-store" in ran.out
    assert differences(before, look(tmp_path / "pictures")) == []


@pytest.mark.parametrize("arguments", READING)
def test_a_directory_that_is_no_store_is_named_to_a_reader(
    saved: Clew, tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "holiday.jpg").write_bytes(b"precious")
    elsewhere = Clew(saved.workspace, tmp_path / "pictures")
    code, error = elsewhere.error(*arguments)

    assert (code, error["kind"]) == (1, "not-a-store")
    assert error["message"] == f"Not a clew store: {str(tmp_path / 'pictures')!r}"


def test_an_empty_directory_is_a_store_without_workspaces(saved: Clew, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for store in ("empty", "missing"):
        code, error = Clew(saved.workspace, tmp_path / store).error("log")

        assert (code, error["kind"]) == (2, "not-a-workspace")


def test_a_file_where_the_store_should_be_is_refused(clew: Clew) -> None:
    clew.store.write_text("a file")
    code, error = clew.error("save", "x")

    assert code == 1
    assert error["hint"]
    assert clew.store.read_text() == "a file"


def test_a_store_on_a_path_that_cannot_be_made_is_refused(clew: Clew) -> None:
    ran = clew.run("save", "x", "--store", "/proc/no/store", "--json")

    assert ran.code == 1
    assert "Traceback" not in ran.err


def test_a_workspace_that_was_moved_is_recognised_and_not_made_anew(saved: Clew) -> None:
    saved.workspace.rename(saved.workspace.with_name("moved"))
    there = Clew(saved.workspace.with_name("moved"), saved.store)
    before = look(there.workspace)
    for arguments in (["save", "x"], ["restore", "@", "--yes"], ["log"]):
        code, error = there.error(*arguments)

        assert (code, error["kind"]) == (2, "workspace-moved"), arguments
        assert "--attach" in error["hint"]
    assert differences(before, look(there.workspace)) == []


def test_a_workspace_that_was_replaced_is_said_and_rescued_first(saved: Clew) -> None:
    saved.workspace.rename(saved.workspace.with_name("moved"))
    saved.workspace.mkdir()
    (saved.workspace / "unrelated").write_text("another project")
    ran = saved.run("restore", "@", "--yes")
    rescue = saved.json("log")["checkpoints"][0]

    assert "replaced" in ran.err
    assert rescue["origin"] == "rescue"
    assert saved.ok("cat", rescue["id"], "unrelated").out == "another project"


def test_a_workspace_that_was_moved_can_be_attached(saved: Clew) -> None:
    moved = saved.workspace.with_name("moved")
    identifier = saved.json("log")["checkpoints"][0]["workspace"]
    saved.workspace.rename(moved)
    there = Clew(moved, saved.store)
    there.ok("init", str(moved), "--attach", identifier)

    assert len(there.ids()) == 1
    assert there.json("status")["changes"] == []


def _rewrite_format(store: Path, change: Callable[[str], str]) -> None:
    lines = (store / "format").read_text().splitlines(keepends=True)
    text = change("".join(lines[:-1]))
    (store / "format").write_text(f"{text}check {crc32(text.encode()):08x}\n")


def _check_refused(clew: Clew, commands: list[list[str]], kinds: set[str], code: int) -> None:
    before = look(clew.workspace)
    for arguments in commands:
        found, error = clew.error(*arguments)

        assert found == code, f"{arguments}: {error}"
        assert error["kind"] in kinds, arguments
        assert error["hint"], arguments
        assert "\n" not in error["message"], arguments
        plain = clew.run(*arguments)
        assert 1 <= len(plain.talk) <= 2, plain.err
    assert differences(before, look(clew.workspace)) == []
