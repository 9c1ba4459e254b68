"""The git environment: files are restored, and the repository is never written."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from clew.compat.chimera import CheckpointManager, GitEnvironment

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "--quiet")
    (project / "tracked").write_text("committed\n")
    (project / ".gitignore").write_text("ignored\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "the user's own")
    return project


@pytest.fixture
def env(repository: Path) -> GitEnvironment:
    return GitEnvironment(repository)


def git(directory: Path, *words: str) -> str:
    settings = ["-c", "user.name=Example", "-c", "user.email=example@example.org"]
    command = ["git", "-C", str(directory), *settings, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def content(directory: Path) -> dict[str, bytes]:
    found = (path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


def test_not_a_byte_of_the_repository_changes(repository: Path, env: GitEnvironment) -> None:
    before = content(repository / ".git")
    with env:
        identifier = env.checkpoint()
        env.write_file("tracked", "changed")
        env.restore(identifier)

    assert content(repository / ".git") == before


def test_commits_made_after_a_checkpoint_stay(repository: Path, env: GitEnvironment) -> None:
    identifier = env.checkpoint()
    (repository / "tracked").write_text("later\n")
    git(repository, "commit", "--quiet", "-a", "-m", "later")
    env.restore(identifier)

    assert (repository / "tracked").read_text() == "committed\n"
    assert git(repository, "log", "--format=%s").split("\n")[:2] == ["later", "the user's own"]
    assert git(repository, "status", "--short") == " M tracked\n"


def test_a_file_added_after_the_checkpoint_goes(repository: Path, env: GitEnvironment) -> None:
    identifier = env.checkpoint()
    (repository / "added").write_text("staged")
    git(repository, "add", "added")
    (repository / "untracked").write_text("not staged")
    env.restore(identifier)

    assert sorted(os.listdir(repository)) == [".git", ".gitignore", "tracked"]


def test_what_git_ignores_comes_back_too(repository: Path, env: GitEnvironment) -> None:
    (repository / "ignored").write_text("old")
    identifier = env.checkpoint()
    (repository / "ignored").write_text("new")
    env.restore(identifier)

    assert (repository / "ignored").read_text() == "old"


@pytest.mark.parametrize("text", ["deadbeef", "HEAD", "0", "a" * 64, "--help", "here"])
def test_an_unknown_id_is_refused_and_nothing_deleted(
    repository: Path, env: GitEnvironment, text: str
) -> None:
    env.checkpoint()
    (repository / "untracked").write_text("precious")

    with pytest.raises(ValueError, match="not found"):
        env.restore(text)
    assert (repository / "untracked").read_text() == "precious"


def test_an_empty_workspace_leaves_the_repository_where_it_is(project: Path) -> None:
    env = GitEnvironment(project)
    env.setup()
    identifier = env.checkpoint()
    git(project, "commit", "--quiet", "--allow-empty", "-m", "later")
    env.restore(identifier)

    assert git(project, "log", "--format=%s") == "later\ninitial\n"


def test_a_directory_without_a_repository_gets_one_with_a_commit(project: Path) -> None:
    with GitEnvironment(project):
        pass

    assert git(project, "log", "--all", "--format=%s by %an") == "initial by Chimera\n"
    assert sorted(os.listdir(project)) == [".git", ".gitkeep"]


def test_undo_walks_back_though_commits_were_made_meanwhile(
    repository: Path, env: GitEnvironment
) -> None:
    manager = CheckpointManager(env)
    for word in ("one", "two"):
        (repository / "tracked").write_text(word)
        manager.create(word)
    git(repository, "commit", "--quiet", "-a", "-m", "two")

    assert [one.name for one in (manager.undo(), manager.undo()) if one] == ["two", "one"]
    assert (repository / "tracked").read_text() == "one"


def test_a_clone_is_a_repository_of_its_own(repository: Path, env: GitEnvironment) -> None:
    clone = env.clone()
    git(clone.workdir, "commit", "--quiet", "--allow-empty", "-m", "in the clone")

    assert isinstance(clone, GitEnvironment)
    assert git(repository, "log", "--format=%s") == "the user's own\n"
