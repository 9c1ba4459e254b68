"""Files of a copy that name the directory it was copied from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clew.model.fork_results import GitLink, PathReferences
from clew.worktree.path_references import find_references, names_path
from tests.kit.tools import require


def found_in(copy: Path, original: Path) -> PathReferences:
    return find_references(bytes(copy), [bytes(original)])


def named_in(copy: Path, original: Path) -> list[str]:
    groups = found_in(copy, original).groups
    return sorted(os.fsdecode(path) for group in groups for path in group.paths)


@pytest.mark.parametrize(
    "content",
    [
        b"#!/srv/app/.venv/bin/python\n",
        b"home = /srv/app",
        b'{"root": "/srv/app"}',
        b"file:///srv/app/x",
        b"PATH=/bin:/srv/app:/usr/bin",
        b"cc -I/srv/app/include",
        b"see /srv/app.",
        b"/srv/app2 and then /srv/app\0",
    ],
)
def test_a_path_is_named(content: bytes) -> None:
    assert names_path(content, b"/srv/app")


@pytest.mark.parametrize(
    "content",
    [
        b"/srv/app2/x",
        b"/srv/app.old/x",
        b"/srv/app-1",
        b"/opt/srv/app/x",
        b"${HOME}/srv/app",
        b"~/srv/app",
        "/srv/appé".encode(),
        b"/srv/ap",
        b"",
    ],
)
def test_another_path_is_not_the_path(content: bytes) -> None:
    assert not names_path(content, b"/srv/app")


def test_symlinks_and_the_start_of_files_are_searched(tmp_path: Path) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    (copy / "lib" / "deep").mkdir(parents=True)
    (copy / "link").symlink_to(original / "data")
    (copy / "relative").symlink_to("data")
    (copy / "lib" / "deep" / "tool").write_text(f"#!{original}/bin/x\n")
    (copy / "lib" / "module.pyc").write_text(f"{original}/module.py")
    (copy / "late").write_bytes(b"x" * (64 << 10) + bytes(original))
    os.mkfifo(copy / "fifo")
    (copy / "unreadable").write_text("")
    (copy / "unreadable").chmod(0)

    assert named_in(copy, original) == ["lib/deep/tool", "link"]


def test_files_are_grouped_by_their_top_directory_and_counted(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / "build" / "x").mkdir(parents=True)
    for number in range(12):
        (copy / "build" / "x" / f"{number:02}").write_text("/srv/app/x")
    (copy / "Makefile").write_text("ROOT = /srv/app")
    build, alone = find_references(bytes(copy), [b"/srv/app"]).groups

    assert (build.directory, build.files, len(build.paths)) == (b"build", 12, 10)
    assert build.paths[0] == b"build/x/00"
    assert (alone.directory, alone.files, alone.paths) == (b"", 1, (b"Makefile",))


def test_a_virtual_environment_names_itself(tmp_path: Path) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(original / ".venv")], check=True
    )
    shutil.copytree(original, copy, symlinks=True)
    found = named_in(copy, original)

    assert ".venv/bin/activate" in found
    assert named_in(copy, tmp_path / "elsewhere") == []


def test_a_linked_worktree_of_git_names_its_repository_and_the_other_way_round(
    tmp_path: Path,
) -> None:
    require("git")
    main, linked, copy = tmp_path / "main", tmp_path / "linked", tmp_path / "copy"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost", "-C", str(main)]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(linked)], check=True)
    shutil.copytree(linked, copy)

    assert found_in(copy, linked).git_links == (
        GitLink(b".git", bytes(main / ".git" / "worktrees" / "linked")),
    )
    assert found_in(main, main).git_links == (
        GitLink(b".git/worktrees/linked/gitdir", bytes(linked / ".git")),
    )


def test_git_metadata_inside_the_workspace_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("[core]\n\tworktree = ..\n")

    assert found_in(tmp_path, Path("/srv/app")).git_links == ()


def test_a_worktree_setting_that_leads_outside_is_a_link(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text('[core]\n\tworktree = "/srv/other"\n')

    assert found_in(tmp_path, Path("/srv/app")).git_links == (
        GitLink(b".git/config", b"/srv/other"),
    )
