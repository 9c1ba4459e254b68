"""Files that PraisonAI omits from its snapshots: saved, changed and restored."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.compat.praisonai.place import Place, restored, saved


def git(directory: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments]
    found = subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True)
    return found.stdout


def needs_git() -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")


@pytest.mark.parametrize("name", ["build/out.bin", "data.db"])
def test_what_git_ignores(place: Place, name: str) -> None:
    place.write(".gitignore", "build/\n*.db\n")
    place.write(name, "old")
    service = place.service()
    before = saved(service, "before")
    place.write(name, "new")
    restored(service, before)

    assert place.read(name) == "old"


@pytest.mark.parametrize("name", [".env", "run.log", "node_modules/x/i.js", "venv/bin/p", "a.pyc"])
def test_what_the_default_patterns_leave_out_when_nothing_is_to_be_left_out(
    place: Place, name: str
) -> None:
    place.write(name, "old")
    service = place.service(exclude_patterns=[])
    before = saved(service, "before")
    place.write(name, "new")
    restored(service, before)

    assert place.read(name) == "old"


@pytest.mark.parametrize("name", [".env", "run.log", "node_modules/x/i.js", "venv/bin/p"])
def test_what_the_default_patterns_leave_out_is_left_alone(place: Place, name: str) -> None:
    place.write("a.txt", "old")
    service = place.service()
    before = saved(service, "before")
    place.write(name, "new")
    place.write("a.txt", "new")
    restored(service, before)

    assert (place.read(name), place.read("a.txt")) == ("new", "old")


def test_what_the_user_s_own_git_configuration_ignores(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ignore").write_text("*.txt\n")
    (tmp_path / ".gitconfig").write_text(f"[core]\n\texcludesFile = {tmp_path / 'ignore'}\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    place.write("a.txt", "old")
    service = place.service()
    before = saved(service, "before")
    place.write("a.txt", "new")
    restored(service, before)

    assert place.read("a.txt") == "old"


def test_signing_and_line_ends_of_the_user_s_git_change_nothing(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = "[commit]\n\tgpgsign = true\n[core]\n\tautocrlf = input\n"
    (tmp_path / ".gitconfig").write_text(settings)
    monkeypatch.setenv("HOME", str(tmp_path))
    path = place.workspace / "dos.txt"
    path.write_bytes(b"one\r\ntwo\r\n")
    service = place.service()
    before = saved(service, "before")
    path.write_bytes(b"other\n")
    restored(service, before)

    assert path.read_bytes() == b"one\r\ntwo\r\n"


def test_large_files_both_ways(place: Place) -> None:
    path = place.workspace / "model.bin"
    path.write_bytes(b"1" * (1 << 20))
    service = place.service()
    small = saved(service, "1 MB")
    path.write_bytes(b"3" * (3 << 20))
    large = saved(service, "3 MB")
    restored(service, small)
    assert path.read_bytes() == b"1" * (1 << 20)
    restored(service, large)

    assert path.read_bytes() == b"3" * (3 << 20)


def test_a_repository_inside_the_workspace(place: Place) -> None:
    needs_git()
    inner = place.write("vendor/lib/code.c", "old").parent
    git(inner, "init", "-q")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "inner")
    service = place.service()
    before = saved(service, "before")
    place.write("vendor/lib/code.c", "new")
    restored(service, before)

    assert place.read("vendor/lib/code.c") == "old"


def test_the_workspace_s_own_repository_when_nothing_is_left_out(place: Place) -> None:
    needs_git()
    place.write("a", "old")
    git(place.workspace, "init", "-q")
    git(place.workspace, "add", ".")
    git(place.workspace, "commit", "-q", "-m", "one")
    service = place.service(exclude_patterns=[])
    before = saved(service, "before")
    head = git(place.workspace, "rev-parse", "HEAD")
    place.write("a", "new")
    git(place.workspace, "commit", "-q", "-a", "-m", "two")
    restored(service, before)

    assert git(place.workspace, "rev-parse", "HEAD") == head
    assert git(place.workspace, "status", "--porcelain") == ""


def test_history_needs_nothing_of_the_user_s_repository(place: Place) -> None:
    needs_git()
    place.write("a", "old")
    git(place.workspace, "init", "-q")
    git(place.workspace, "add", ".")
    git(place.workspace, "commit", "-q", "-m", "one")
    service = place.service()
    before = saved(service, "before")
    shutil.rmtree(place.workspace / ".git")
    place.write("a", "new")
    saved(service, "still possible")
    restored(service, before)

    assert place.read("a") == "old"


def test_directories_without_files(place: Place) -> None:
    (place.workspace / "empty/deep").mkdir(parents=True)
    service = place.service()
    before = saved(service, "before")
    shutil.rmtree(place.workspace / "empty")
    restored(service, before)

    assert (place.workspace / "empty/deep").is_dir()


def test_modes_times_and_attributes(place: Place) -> None:
    path = place.write("key.pem", "old")
    path.chmod(0o600)
    os.utime(path, ns=(1_700_000_000_123_456_789, 1_700_000_000_123_456_789))
    try:
        os.setxattr(path, "user.kind", b"key")
        has_attributes = True
    except OSError:
        has_attributes = False
    service = place.service()
    before = saved(service, "before")
    path.unlink()
    place.write("key.pem", "new").chmod(0o644)
    restored(service, before)

    assert path.stat().st_mode & 0o7777 == 0o600
    assert path.stat().st_mtime_ns == 1_700_000_000_123_456_789
    assert not has_attributes or os.getxattr(path, "user.kind") == b"key"


def test_two_names_of_one_file(place: Place) -> None:
    path = place.write("one", "old")
    os.link(path, place.workspace / "two")
    service = place.service()
    before = saved(service, "before")
    path.unlink()
    place.write("one", "new")
    restored(service, before)

    assert path.stat().st_nlink == 2
    assert path.samefile(place.workspace / "two")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owners(place: Place) -> None:
    path = place.write("theirs", "old")
    os.chown(path, 1234, 2345)
    service = place.service()
    before = saved(service, "before")
    path.unlink()
    place.write("theirs", "new")
    restored(service, before)

    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_pipes(place: Place) -> None:
    os.mkfifo(place.workspace / "pipe")
    service = place.service()
    before = saved(service, "before")
    (place.workspace / "pipe").unlink()
    restored(service, before)

    assert (place.workspace / "pipe").is_fifo()


def test_what_the_original_keeps_is_kept_here_too(place: Place) -> None:
    (place.workspace / "dangling").symlink_to("nowhere")
    place.write("tool", "#!/bin/sh\n").chmod(0o755)
    place.write("thing", "a file")
    service = place.service()
    before = saved(service, "before")
    (place.workspace / "dangling").unlink()
    (place.workspace / "tool").chmod(0o644)
    (place.workspace / "thing").unlink()
    place.write("thing/now", "a directory")
    restored(service, before)

    assert os.readlink(place.workspace / "dangling") == "nowhere"
    assert (place.workspace / "tool").stat().st_mode & 0o777 == 0o755
    assert place.read("thing") == "a file"
