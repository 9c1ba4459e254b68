"""Git in a copy sees what it saw in the original: files that were up to date are up to date."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from clew.worktree.refresh_git_index import refresh_git_indexes
from tests.kit.tools import require

AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"]


def git(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *AUTHOR, *words], cwd=place, capture_output=True, text=True, check=False
    )


def said(place: Path) -> tuple[str, str]:
    """Return what git's plumbing reports, which never refreshes the index by itself."""
    return git(place, "diff-index", "--name-only", "HEAD").stdout, git(place, "diff-files").stdout


@pytest.fixture
def original(tmp_path: Path) -> Path:
    require("git")
    place = tmp_path / "original"
    (place / "sub").mkdir(parents=True)
    for name in ("a", "b", "sub/c", "sub/ünïcode"):
        (place / name).write_text(name)
    (place / "link").symlink_to("a")
    (place / "tool").write_text("#!/bin/sh\n")
    (place / "tool").chmod(0o755)
    git(place, "init", "-q", ".")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "x")
    old = time.time() - 60  # or git reads the content, because the index is as young as the files
    for path in place.rglob("*"):
        if ".git" not in path.parts:
            os.utime(path, (old, old), follow_symlinks=False)
    git(place, "update-index", "-q", "--refresh")
    return place


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_a_clean_copy_is_clean(tmp_path: Path, original: Path, version: str, kind: str) -> None:
    if kind == "sha256":
        shutil.rmtree(original / ".git")
        git(original, "init", "-q", "--object-format=sha256", ".")
        git(original, "add", "-A")
        git(original, "commit", "-qm", "x")
    if version == "3":
        git(original, "add", "-N", "a")
        (original / "new").write_text("new")
        git(original, "add", "-N", "new")  # needs the larger flags
    else:
        git(original, "update-index", "--index-version", version)
    before = said(original)
    copy = original.parent / "copy"
    shutil.copytree(original, copy, symlinks=True)

    refresh_git_indexes(bytes(copy))

    assert said(copy) == before
    assert git(copy, "fsck").returncode == 0


def test_what_was_changed_is_still_changed(original: Path) -> None:
    (original / "a").write_text("another")
    (original / "b").unlink()
    (original / "staged").write_text("staged")
    git(original, "add", "staged")
    before = said(original)
    copy = copied_as_is(original)

    refresh_git_indexes(bytes(copy))

    assert said(copy) == before
    assert before[0].split() == ["a", "b", "staged"]


def copied_as_is(original: Path) -> Path:
    copy = original.parent / "copy"
    shutil.copytree(original, copy, symlinks=True)
    return copy


def test_a_change_of_the_same_size_and_time_as_the_index_is_still_noticed(original: Path) -> None:
    """Git reads the content of files that are as young as the index: its time must stay."""
    index = original / ".git" / "index"
    (original / "a").write_text("X")  # as long as before
    moment = index.stat().st_mtime_ns
    os.utime(original / "a", ns=(moment, moment))
    git(original, "update-index", "--refresh")
    copy = copied_as_is(original)
    before = (copy / ".git" / "index").stat().st_mtime_ns

    refresh_git_indexes(bytes(copy))

    assert (copy / ".git" / "index").stat().st_mtime_ns == before
    assert "a" in said(copy)[0].split()


def test_submodules_are_refreshed(original: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    shutil.copytree(original, inner, symlinks=True)
    git(original, "submodule", "add", "-q", str(inner), "module")
    git(original, "commit", "-qm", "with a module")
    module = original / "module"
    old = time.time() - 60
    for path in module.iterdir():
        if path.name != ".git":
            os.utime(path, (old, old), follow_symlinks=False)
    git(module, "update-index", "-q", "--refresh")
    assert said(module) == ("", "")
    copy = copied_as_is(original)
    assert said(copy / "module")[0]

    refresh_git_indexes(bytes(copy))

    assert said(copy / "module") == ("", "")


def test_an_index_outside_the_copy_is_left_alone(original: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "linked"
    git(original, "worktree", "add", "-q", str(worktree))
    index = original / ".git" / "worktrees" / "linked" / "index"
    before = index.read_bytes(), index.stat().st_mtime_ns
    copy = tmp_path / "copy"
    shutil.copytree(worktree, copy, symlinks=True)

    refresh_git_indexes(bytes(copy))

    assert (index.read_bytes(), index.stat().st_mtime_ns) == before


@pytest.mark.parametrize(
    "content",
    [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff" + bytes(64), b"nonsense" * 50],
    ids=["empty", "short", "too many entries", "nonsense"],
)
def test_what_is_not_an_index_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").mkdir()
    index = tmp_path / ".git" / "index"
    index.write_bytes(content)

    refresh_git_indexes(bytes(tmp_path))

    assert index.read_bytes() == content


def test_a_link_to_an_index_elsewhere_is_not_followed(original: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / ".git").mkdir(parents=True)
    (copy / "a").write_text("a")
    (copy / ".git" / "index").symlink_to(original / ".git" / "index")
    before = (original / ".git" / "index").read_bytes()

    refresh_git_indexes(bytes(copy))

    assert (original / ".git" / "index").read_bytes() == before
