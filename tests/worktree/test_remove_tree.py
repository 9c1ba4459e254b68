"""A tree is removed whatever protects it, and nothing else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from clew.worktree.remove_tree import remove_tree
from tests.kit import everything, filesystems
from tests.kit.walker import differences, look
from tests.operations.forks.forked import NOBODY, forked, needs_root


def _remove(path: Path) -> None:
    remove_tree(os.fsencode(path.parent), os.fsencode(path.name))


@needs_root
def test_every_kind_of_file_goes(on_ext4: Path) -> None:
    everything.build(on_ext4 / "tree")

    _remove(on_ext4 / "tree")

    assert os.listdir(on_ext4) == []


def test_paths_deeper_than_path_max_go(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    everything.build_deep(tmp_path / "tree")

    _remove(tmp_path / "tree")

    assert os.listdir(tmp_path) == []


@needs_root
def test_an_immutable_file_goes_and_so_does_an_immutable_directory(on_ext4: Path) -> None:
    place = on_ext4 / "tree" / "frozen"
    place.mkdir(parents=True)
    (place / "file").write_text("x")
    (place / "file").chmod(0)
    for path in (place / "file", place, on_ext4 / "tree"):
        subprocess.run(["chattr", "+i", path], check=True)

    _remove(on_ext4 / "tree")

    assert os.listdir(on_ext4) == []


@needs_root
def test_an_ordinary_user_removes_what_is_theirs_whatever_its_mode(open_place: Path) -> None:
    def body() -> list[str]:
        place = open_place / "tree"
        (place / "shut" / "inner").mkdir(parents=True)
        (place / "shut" / "inner" / "file").write_text("x")
        for path in (place / "shut" / "inner", place / "shut", place):
            path.chmod(0)
        _remove(place)
        return os.listdir(open_place)

    assert forked(body, uid=NOBODY) == []


def test_a_link_is_removed_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("x")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "way out").symlink_to(tmp_path / "outside")
    os.link(tmp_path / "outside" / "precious", tmp_path / "tree" / "twin")
    before = look(tmp_path / "outside")
    (tmp_path / "entrance").symlink_to(tmp_path / "outside")

    _remove(tmp_path / "tree")
    _remove(tmp_path / "entrance")

    assert differences(before, look(tmp_path / "outside")) == []
    assert os.listdir(tmp_path) == ["outside"]


def test_a_mount_inside_is_never_entered(tmp_path: Path) -> None:
    if reason := filesystems.missing_for("tmpfs"):
        pytest.skip(reason)
    for name in ("outside", "tree"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside" / "precious").write_text("x")
    (tmp_path / "tree" / "mounted").mkdir()

    with filesystems.bound(tmp_path / "outside", tmp_path / "tree" / "mounted"):
        with pytest.raises(OSError, match="cross-device"):
            _remove(tmp_path / "tree")

        assert (tmp_path / "outside" / "precious").read_text() == "x"
    _remove(tmp_path / "tree")
    assert os.listdir(tmp_path) == ["outside"]


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    _remove(tmp_path / "nothing")
    remove_tree(os.fsencode(tmp_path), b"no/such/path")

    assert os.listdir(tmp_path) == []
