from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.detectors.detector import Evidence
from clew.detectors.repositories.git import Git
from clew.model.fact import Fact
from tests.detectors.real_git import CANARY, Repo
from tests.kit.moments import evidence, findings
from tests.kit.tools import require


@pytest.fixture
def root(tmp_path: Path) -> Path:
    require("git")
    return tmp_path / "root"


def _made(root: Path, place: str = "", *options: str) -> Repo:
    repo = Repo(root, place)
    repo.git("init", "-q", *options)
    repo.commit("first.py")
    return repo


def _during(repo: Repo, act: Callable[[], object]) -> Evidence:
    before = repo.moment()
    act()
    return evidence(before, repo.moment())


def _facts(found: Evidence) -> list[Fact]:
    result = [fact for finding in findings(Git(), found) for fact in finding.facts]
    assert CANARY not in repr(result)
    return result


def _said(found: Evidence) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(fact.scope, fact.kind[4:], fact.subject, fact.marks) for fact in _facts(found)]


def test_a_clone_is_one_fact_that_says_where_it_came_from(root: Path) -> None:
    repo = _made(root, "origin")
    before = repo.moment()
    repo.git("clone", "-q", "file://" + str(repo.path), "../copy")

    found = evidence(before, repo.moment())

    assert _said(found) == [
        ("git:copy", "branch", "main", ("cloned", f"from file://{repo.path}")),
    ]


def test_the_address_of_a_clone_loses_its_password(root: Path) -> None:
    repo = _made(root)
    log = f"{'0' * 40} {'1' * 40} a <a> 1 +0000\tclone: from https://u:{CANARY}@example.com/r\n"
    after = {f"new/{path}": what for path, what in repo.moment().items()}
    after["new/.git/logs/HEAD"] = log.encode()

    assert _said(evidence({}, after))[0][3] == ("cloned", "from https://example.com/r")


def test_a_new_repository_is_one_fact_with_its_commits(root: Path) -> None:
    repo = Repo(root)
    assert _said(_during(repo, lambda: repo.git("init", "-q"))) == [
        ("git:.", "branch", "main", ("initialised",))
    ]
    assert _said(_during(repo, lambda: repo.commit("a"))) == [
        ("git:.", "commit", "main", ("1 commit",))
    ]

    assert _said(_during(repo, lambda: _made(root, "inner"))) == [
        ("git:inner", "commit", "main", ("initialised", "1 commit"))
    ]


def test_a_repository_that_is_gone_is_told_and_one_that_moved_is_not_new(root: Path) -> None:
    repo = _made(root, "a")
    found = _during(repo, lambda: (root / "a").rename(root / "b"))
    assert _said(found) == [("git:b", "branch", "main", ("moved from a",))]
    assert {path for path in found.changes if "/.git" in path} <= {
        claim for finding in findings(Git(), found) for claim in finding.claims
    }

    found = _during(Repo(root), lambda: shutil.rmtree(root / "b"))
    assert _said(found) == [("git:b", "branch", "main", ("repository removed", "with its 1 file"))]


def test_a_repository_that_was_made_anew_is_loud(root: Path) -> None:
    repo = _made(root)
    repo.commit("a")

    def again() -> None:
        shutil.rmtree(repo.path / ".git")
        repo.git("init", "-q")
        repo.commit("b")

    result = _facts(_during(repo, again))

    assert [(fact.kind, fact.severity) for fact in result] == [("git.reset", "high")]


def test_work_in_a_worktree_belongs_to_its_repository(root: Path) -> None:
    repo = _made(root, "main")
    found = _during(repo, lambda: repo.git("worktree", "add", "-q", "../side", "-b", "topic"))
    assert _said(found) == [
        ("git:main", "branch", "topic", ("created",)),
    ]
    assert "side/.git" in findings(Git(), found)[0].claims

    side = Repo(root, "side")
    assert _said(_during(side, lambda: side.commit("s"))) == [
        ("git:main", "commit", "topic", ("1 commit",))
    ]


def test_a_submodule_is_told_as_a_repository_of_its_own(root: Path) -> None:
    library = _made(root.parent, "library")
    repo = _made(root)
    found = _during(repo, lambda: repo.git("submodule", "add", "-q", str(library.path), "libs/x"))
    assert ("git:libs/x", "branch", "main", ("cloned", f"from {library.path}")) in _said(found)

    inner = Repo(root, "libs/x")
    assert _said(_during(inner, lambda: inner.commit("i"))) == [
        ("git:libs/x", "commit", "main", ("1 commit",))
    ]


def test_a_push_to_a_bare_repository_is_counted_without_a_log(root: Path) -> None:
    repo = _made(root, "work")
    repo.git("clone", "-q", "--bare", ".", "../hub.git")
    repo.git("remote", "add", "origin", "../hub.git")
    repo.commit("a")
    repo.commit("b")

    found = _during(repo, lambda: repo.git("push", "-q", "origin", "main"))

    assert _said(found) == [
        ("git:hub.git", "commit", "main", ("2 commits",)),
        ("git:work", "remote", "origin/main", ("pushed",)),
    ]
    claimed = {claim for finding in findings(Git(), found) for claim in finding.claims}
    assert claimed >= {path for path in found.changes if path.startswith("hub.git")}


def test_a_forced_update_of_a_remote_branch_is_loud_unless_the_commits_are_here(
    root: Path,
) -> None:
    origin = _made(root.parent, "origin")
    origin.commit("a")
    repo = Repo(root)
    repo.git("clone", "-q", str(origin.path), ".")
    origin.git("commit", "--amend", "-qm", "rewritten")
    (fact,) = _facts(_during(repo, lambda: repo.git("fetch", "-q")))
    assert (fact.kind, fact.subject, fact.severity) == ("git.reset", "origin/main", "note")
    assert fact.marks == ("forced update", "1 commit dropped", "1 new")

    repo.git("reset", "-q", "--hard", "origin/main")
    origin.commit("b")
    repo.git("fetch", "-q")
    origin.git("reset", "-q", "--hard", "HEAD~2")
    (fact,) = _facts(_during(repo, lambda: repo.git("fetch", "-q")))
    assert (fact.subject, fact.severity) == ("origin/main", "high")


def test_a_fetch_and_a_fast_forward_are_no_warning(root: Path) -> None:
    origin = _made(root.parent, "origin")
    repo = Repo(root)
    repo.git("clone", "-q", str(origin.path), ".")
    origin.commit("a")
    origin.commit("b")
    found = _during(repo, lambda: repo.git("fetch", "-q"))
    assert _said(found) == [("git:.", "remote", "origin/main", ("fetched",))]
    assert not _facts(found)[0].direct

    found = _during(repo, lambda: repo.git("pull", "-q"))
    assert _said(found) == [("git:.", "commit", "main", ("2 commits", "fast-forward"))]


def test_a_repository_with_long_ids_is_read_too(root: Path) -> None:
    repo = _made(root, "", "--object-format=sha256")
    repo.commit("a")
    repo.commit("b")

    (fact,) = _facts(_during(repo, lambda: repo.git("reset", "-q", "--hard", "HEAD~1")))

    assert (fact.severity, fact.marks) == ("high", ("1 commit dropped",))


def test_a_directory_that_only_looks_like_a_repository_is_left_alone() -> None:
    found = evidence({}, {".git/HEAD": b"ref: refs/heads/main\n", "objects/a": b"", "refs/b": b""})

    assert findings(Git(), found) == []
