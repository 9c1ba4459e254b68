"""The subject of the last commit, read from untrusted files."""

from __future__ import annotations

import os
import shutil
import zlib
from pathlib import Path

import pytest

from clew.worktree import git_subject
from clew.worktree.git_subject import read_subject
from tests.kit.everything import git, repository

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    repository(tmp_path / "project", {"file": "1\n"}, "first: the subject\n\nand a body")
    return tmp_path / "project"


def subject(project: Path) -> str | None:
    return read_subject(os.fsencode(project)).text or None


def test_a_fresh_commit(project: Path) -> None:
    assert subject(project) == "first: the subject"


def test_the_last_of_several(project: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "second")

    assert subject(project) == "second"


def test_a_detached_head(project: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "second")
    git(project, "checkout", "-q", "--detach", "HEAD~1")

    assert subject(project) == "first: the subject"


def test_packed_refs(project: Path) -> None:
    git(project, "pack-refs", "--all")
    assert not (project / ".git" / "refs" / "heads" / "main").exists()

    assert subject(project) == "first: the subject"


def test_packed_objects_are_found_in_the_reflog(project: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "second: packed")
    git(project, "gc", "-q")
    assert not any(len(path.parent.name) == 2 for path in (project / ".git" / "objects").rglob("*"))

    assert subject(project) == "second: packed"


def test_an_amended_commit_in_a_pack(project: Path) -> None:
    git(project, "commit", "-q", "--amend", "-m", "amended")
    git(project, "gc", "-q", "--prune=now")

    assert subject(project) == "amended"


def test_a_branch_whose_name_has_slashes(project: Path) -> None:
    git(project, "checkout", "-q", "-b", "feature/deep/down")
    git(project, "commit", "-q", "--allow-empty", "-m", "on a branch")

    assert subject(project) == "on a branch"


def test_no_git_and_no_commit_yet(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    repository(tmp_path / "unborn", {"file": "x"}, message=None)

    assert subject(tmp_path / "plain") is None
    assert subject(tmp_path / "unborn") is None
    assert subject(tmp_path / "nowhere") is None


def test_a_git_file_that_points_elsewhere_is_not_followed(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "second"))
    assert (tmp_path / "second" / ".git").is_file()

    assert subject(tmp_path / "second") is None


def test_a_git_directory_that_is_a_symlink_is_not_followed(project: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").symlink_to(project / ".git")

    assert subject(tmp_path / "linked") is None


def test_a_commit_that_is_no_text_is_still_text(project: Path) -> None:
    commit = b"tree 0\nauthor a\n\n\xff\xfe\x1b[31m broken\nbody"
    raw = b"commit %d\x00" % len(commit) + commit
    identifier = "ab" * 20
    (project / ".git" / "objects" / "ab").mkdir(exist_ok=True)
    (project / ".git" / "objects" / "ab" / ("ab" * 19)).write_bytes(zlib.compress(raw))
    (project / ".git" / "HEAD").write_text(identifier + "\n")

    assert subject(project) == "\ufffd\ufffd\x1b[31m broken"


@pytest.mark.parametrize(
    "head",
    [
        b"ref: ../../etc/passwd",
        b"ref: refs/../../../etc/passwd",
        b"ref: /etc/passwd",
        b"ref: refs/heads/\x00main",
        b"ref: refs/",
        b"ref: " + b"refs/" * 500_000,
        b"\x00\x01\x02\xff" * 1000,
        b"",
        b"0" * 40,
        b"../" * 13 + b"x",
        b"g" * 40,
    ],
)
def test_a_hostile_head_says_nothing(project: Path, head: bytes) -> None:
    (project / ".git" / "HEAD").write_bytes(head)

    assert subject(project) is None


def test_refs_that_name_each_other_end(project: Path) -> None:
    (project / ".git" / "HEAD").write_text("ref: refs/heads/a\n")
    (project / ".git" / "refs" / "heads" / "a").write_text("ref: refs/heads/b\n")
    (project / ".git" / "refs" / "heads" / "b").write_text("ref: refs/heads/a\n")

    assert subject(project) is None


@pytest.mark.parametrize("what", ["fifo", "directory", "symlink"])
def test_a_head_that_is_no_file_says_nothing_and_nobody_waits(project: Path, what: str) -> None:
    head = project / ".git" / "HEAD"
    head.unlink()
    if what == "fifo":
        os.mkfifo(head)
    elif what == "directory":
        head.mkdir()
    else:
        head.symlink_to("/etc/hostname")
    before = len(os.listdir("/proc/self/fd"))

    assert subject(project) is None
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_object_that_unpacks_without_end_is_cut(project: Path) -> None:
    bomb = zlib.compress(b"commit 9\x00tree 0\n\n" + b"x" * (64 << 20), 9)
    (project / ".git" / "objects" / "ab").mkdir(exist_ok=True)
    (project / ".git" / "objects" / "ab" / ("ab" * 19)).write_bytes(bomb)
    (project / ".git" / "HEAD").write_text("ab" * 20)

    found = subject(project)

    assert found is not None
    assert len(found) <= git_subject._LIMIT


def test_a_fresh_clone(project: Path, tmp_path: Path) -> None:
    for number in range(40):
        git(project, "commit", "-q", "--allow-empty", "-m", f"commit number {number}")
    git(project, "repack", "-adq")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", f"file://{project}", str(clone))
    assert not list((clone / ".git" / "objects").glob("??"))

    assert subject(clone) == "commit number 39"


def test_a_clone_whose_commits_are_deltas(project: Path, tmp_path: Path) -> None:
    body = "\n\n" + "".join(f"the same long line {number}\n" for number in range(200))
    for number in range(20):
        git(project, "commit", "-q", "--allow-empty", "-m", f"number {number}{body}")
    git(project, "repack", "-adfq", "--depth=50")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", f"file://{project}", str(clone))

    for steps in (0, 10, 19):
        git(clone, "checkout", "-q", "--detach", f"origin/HEAD~{steps}")
        (clone / ".git" / "logs" / "HEAD").unlink(missing_ok=True)
        assert subject(clone) == f"number {19 - steps}"


def test_a_pack_with_any_byte_changed_never_hurts(project: Path) -> None:
    for number in range(5):
        git(project, "commit", "-q", "--allow-empty", "-m", f"number {number}")
    git(project, "repack", "-adq")
    (project / ".git" / "logs" / "HEAD").unlink()
    for end in ("idx", "pack"):
        (path,) = (project / ".git" / "objects" / "pack").glob(f"*.{end}")
        path.chmod(0o600)
        whole = path.read_bytes()
        for at in range(0, len(whole), 7):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
            subject(project)
        path.write_bytes(whole)

    assert subject(project) == "number 4"


def test_an_offset_beyond_any_file_is_refused(project: Path) -> None:
    git(project, "repack", "-adq")
    (project / ".git" / "logs" / "HEAD").unlink()
    (path,) = (project / ".git" / "objects" / "pack").glob("*.idx")
    index = path.read_bytes()
    count = int.from_bytes(index[8 + 255 * 4 : 8 + 256 * 4], "big")
    path.chmod(0o600)
    path.write_bytes(index[: -40 - 4 * count] + b"\x80\0\0\0" * count + b"\xff" * 40)

    assert subject(project) is None
