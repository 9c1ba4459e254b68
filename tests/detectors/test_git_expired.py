"""Commits that only a log of git kept, and tags that were deleted together."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.detectors.repositories.git import Git
from clew.model.fact import Fact, Severity
from tests.detectors.real_git import Repo
from tests.kit.moments import Moment, facts
from tests.kit.tools import require


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    require("git")
    made = Repo(tmp_path / "root")
    made.git("init", "-q")
    for number in range(5):
        made.commit(f"part_{number}.py")
    return made


def _facts(before: Moment, repo: Repo) -> list[Fact]:
    return facts(Git(), before, repo.moment())


def _expire(repo: Repo) -> None:
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")


def test_commits_that_only_the_log_kept_are_a_loss(repo: Repo) -> None:
    repo.git("reset", "-q", "--hard", "HEAD~3")
    before = repo.moment()
    _expire(repo)
    (fact,) = _facts(before, repo)
    assert (fact.subject, fact.severity) == ("3 commits", Severity.HIGH)


def test_a_log_that_is_shorter_loses_nothing_that_a_branch_has(repo: Repo) -> None:
    repo.git("branch", "kept")
    repo.git("reset", "-q", "--hard", "HEAD~3")
    before = repo.moment()
    _expire(repo)
    assert _facts(before, repo) == []


def test_many_tags_that_are_deleted_are_one_fact(repo: Repo) -> None:
    for number in range(5):
        repo.git("tag", f"v1.{number}", f"HEAD~{number}")
    before = repo.moment()
    for number in range(5):
        repo.git("tag", "-d", f"v1.{number}")
    (fact,) = _facts(before, repo)
    assert (fact.subject, fact.marks) == ("5 tags", ("tags", "deleted", "(v1.0 … v1.4)"))


def test_many_tags_that_alone_kept_commits_are_told_one_by_one(repo: Repo) -> None:
    for number in range(4):
        repo.git("tag", f"v1.{number}")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    before = repo.moment()
    for number in range(4):
        repo.git("tag", "-d", f"v1.{number}")
    assert {fact.severity for fact in _facts(before, repo)} == {Severity.HIGH}
