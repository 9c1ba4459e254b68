from __future__ import annotations

from pathlib import Path

import pytest

from tests.detectors.real_git import CANARY, Repo, moment
from tests.kit.losses import losses, tell
from tests.kit.moments import Moment

KEPT: dict[str, bytes] = {"other/x": b"1"}


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path, "shop")
    repo.git("init", "-q")
    for number in range(3):
        repo.commit(f"part{number}.py", f"x = {number}\n")
    return repo


def _without(old: Moment, start: str) -> Moment:
    return {path: thing for path, thing in old.items() if not f"{path}/".startswith(start)}


def test_a_repository_that_is_gone_is_one_loss(shop: Repo) -> None:
    old = {**KEPT, **shop.moment()}

    (fact,) = losses(old, KEPT)

    assert (fact.kind, fact.scope, fact.subject) == ("loss.deleted", "repository", "shop")
    assert fact.marks == ("git repository with 3 commits",)
    assert tell(old, KEPT).headline == "! shop/ deleted (git repository with 3 commits, 3 files)"


def test_every_path_of_a_deleted_repository_is_in_one_line(shop: Repo) -> None:
    old = {**KEPT, **shop.moment()}

    story = tell(old, KEPT)

    assert sorted(path for line in story.lines for path in line.paths) == sorted(
        path for path in {*old, "shop"} if path.startswith("shop")
    )


def test_a_history_that_is_gone_under_its_files_is_a_loss(shop: Repo) -> None:
    shop.git("branch", "experiment")
    old = {**KEPT, **shop.moment()}

    story = tell(old, _without(old, "shop/.git/"))

    assert story.headline == "! shop/.git deleted (3 commits, 2 branches)"


def test_a_repository_that_moved_is_not_gone(shop: Repo) -> None:
    old = shop.moment()
    new = {path.replace("shop", "store", 1): thing for path, thing in old.items()}

    assert losses({**KEPT, **old}, {**KEPT, **new}) == []


def test_a_clone_without_work_of_its_own_can_be_cloned_again(shop: Repo, tmp_path: Path) -> None:
    Repo(tmp_path).git("clone", "-q", "shop", "copy")
    old = moment(tmp_path)

    (fact,) = losses(old, _without(old, "copy/"))

    assert (fact.subject, fact.severity) == ("copy", "note")
    assert fact.marks[1].startswith("can be cloned again from ")


def test_a_clone_with_a_commit_of_its_own_is_a_loss(shop: Repo, tmp_path: Path) -> None:
    Repo(tmp_path).git("clone", "-q", "shop", "copy")
    Repo(tmp_path, "copy").commit("mine.py")
    old = moment(tmp_path)

    (fact,) = losses(old, _without(old, "copy/"))

    assert (fact.subject, fact.severity) == ("copy", "high")


def test_what_a_clone_had_beside_its_commits_is_a_loss(shop: Repo, tmp_path: Path) -> None:
    Repo(tmp_path).git("clone", "-q", "shop", "copy")
    (tmp_path / "copy" / ".env").write_text("TOKEN=x\n")
    old = moment(tmp_path)

    found = {fact.subject: fact.severity for fact in losses(old, _without(old, "copy/"))}

    assert found == {"copy/.env": "high", "copy": "note"}


def test_a_bare_repository_is_a_repository(shop: Repo, tmp_path: Path) -> None:
    Repo(tmp_path).git("clone", "-q", "--bare", "shop", "srv/shop.git")
    Repo(tmp_path, "srv/shop.git").git("remote", "remove", "origin")
    old = moment(tmp_path)

    (fact,) = losses(old, _without(old, "srv/"))

    assert fact.severity == "high"
    assert "git repository" in " ".join(fact.marks)


@pytest.mark.parametrize(
    "place",
    ["tmp/x", "root/.cache/pre-commit/x", "root/.cargo/git/x", "a/node_modules/x", "b/vendor/x"],
)
def test_repositories_that_tools_clone_are_no_loss(place: str) -> None:
    old: Moment = {f"{place}/.git/HEAD": b"ref: refs/heads/main\n", f"{place}/a.py": b"x" * 99}

    assert losses({**KEPT, **old}, KEPT) == []


def test_a_worktree_that_was_removed_is_in_its_repository(shop: Repo, tmp_path: Path) -> None:
    shop.git("worktree", "add", "-q", "../fix")
    old = moment(tmp_path)
    shop.git("worktree", "remove", "../fix")

    assert losses(old, moment(tmp_path)) == []


def test_a_directory_of_repositories_is_one_loss(tmp_path: Path) -> None:
    for name in ("a", "b"):
        repo = Repo(tmp_path, f"projects/{name}")
        repo.git("init", "-q")
        repo.commit("x.py")

    (fact,) = losses({**KEPT, **moment(tmp_path)}, KEPT)

    assert (fact.subject, fact.marks) == ("projects", ("2 git repositories",))


def test_messages_of_commits_are_not_told(shop: Repo) -> None:
    assert CANARY not in repr(tell({**KEPT, **shop.moment()}, KEPT))


def test_a_damaged_repository_costs_nothing_else(shop: Repo) -> None:
    old = {**KEPT, **shop.moment(), "shop/.git/packed-refs": b"\xff" * 900, ".env": b"A=1"}

    assert {fact.subject for fact in losses(old, KEPT)} == {".env", "shop"}
