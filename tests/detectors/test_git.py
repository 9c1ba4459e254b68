from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from clew.detectors.detector import Evidence
from clew.detectors.repositories.git import Git
from clew.model.fact import Fact
from tests.detectors.real_git import CANARY, Repo
from tests.kit.moments import evidence, facts, findings, problems, story
from tests.kit.tools import require


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    require("git")
    made = Repo(tmp_path / "root")
    made.git("init", "-q")
    made.commit("first.py")
    return made


def _during(repo: Repo, act: Callable[[], object]) -> Evidence:
    before = repo.moment()
    act()
    return evidence(before, repo.moment())


def _facts(found: Evidence) -> list[Fact]:
    result = [fact for finding in findings(Git(), found) for fact in finding.facts]
    assert CANARY not in repr(result)
    return result


def _said(found: Evidence) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [
        (fact.kind.removeprefix("git."), fact.subject, fact.severity, fact.marks)
        for fact in _facts(found)
    ]


def test_commits_are_counted_and_the_whole_directory_is_claimed(repo: Repo) -> None:
    before = repo.git("rev-parse", "HEAD")

    found = _during(repo, lambda: [repo.commit("a"), repo.commit("b")])

    assert _facts(found) == [
        Fact(
            "git.commit", "git:.", "main", before[:8], repo.git("rev-parse", "HEAD")[:8],
            evidence=(".git/logs/refs/heads/main",), marks=("2 commits",),
        )
    ]  # fmt: skip
    (finding,) = findings(Git(), found)
    assert set(finding.claims) == {path for path in found.changes if path.startswith(".git")}


def test_an_amended_commit_is_one_commit(repo: Repo) -> None:
    found = _during(repo, lambda: repo.git("commit", "--amend", "-qm", "other"))
    assert _said(found) == [("commit", "main", "none", ("1 commit", "amended"))]

    found = _during(repo, lambda: [repo.commit("a"), repo.git("commit", "--amend", "-qm", "o")])
    assert _said(found) == [("commit", "main", "none", ("1 commit", "amended"))]


def test_branches_come_go_and_are_checked_out(repo: Repo) -> None:
    found = _during(repo, lambda: repo.git("checkout", "-qb", "topic/one"))
    assert _said(found) == [("branch", "topic/one", "none", ("created", "checked out"))]

    found = _during(repo, lambda: [repo.commit("a"), repo.git("checkout", "-q", "main")])
    assert _said(found) == [
        ("commit", "topic/one", "none", ("1 commit",)),
        ("branch", "main", "none", ("checked out",)),
    ]

    found = _during(repo, lambda: repo.git("branch", "-m", "topic/one", "two"))
    assert _said(found) == [("branch", "two", "none", ("renamed from topic/one",))]

    found = _during(repo, lambda: repo.git("branch", "-D", "two"))
    assert _said(found) == [("branch", "two", "high", ("deleted", "1 commit not merged"))]


def test_a_merged_branch_that_is_deleted_is_no_reason_for_a_note(repo: Repo) -> None:
    repo.git("branch", "merged")

    assert _said(_during(repo, lambda: repo.git("branch", "-d", "merged"))) == [
        ("branch", "merged", "none", ("deleted",))
    ]


def test_the_current_branch_can_be_renamed(repo: Repo) -> None:
    assert _said(_during(repo, lambda: repo.git("branch", "-m", "trunk"))) == [
        ("branch", "trunk", "none", ("renamed from main",))
    ]


def test_a_commit_without_a_branch_is_told(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    found = _during(repo, lambda: repo.git("checkout", "-q", "--detach"))
    assert _said(found) == [("branch", head[:8], "none", ("checked out", "no branch"))]

    found = _during(repo, lambda: repo.commit("a"))
    assert _said(found) == [("commit", "HEAD", "none", ("1 commit", "no branch"))]


def test_a_hard_reset_that_loses_commits_is_loud(repo: Repo) -> None:
    repo.commit("a")
    lost = repo.commit("b")

    found = _during(repo, lambda: repo.git("reset", "-q", "--hard", "HEAD~2"))

    (fact,) = _facts(found)
    assert (fact.kind, fact.subject, fact.severity) == ("git.reset", "main", "high")
    assert (fact.before, fact.after) == (lost[:8], repo.git("rev-parse", "HEAD")[:8])
    assert fact.marks == ("2 commits dropped",)


def test_a_reset_that_loses_nothing_is_not_loud(repo: Repo) -> None:
    repo.commit("a")
    found = _during(repo, lambda: repo.git("reset", "-q", "--soft", "HEAD~1"))
    assert _said(found) == [
        ("reset", "main", "note", ("1 commit dropped", "work kept in the files"))
    ]

    repo.commit("b")
    repo.git("branch", "backup")
    found = _during(repo, lambda: repo.git("reset", "-q", "--hard", "HEAD~1"))
    assert _said(found) == [("reset", "main", "note", ("1 commit dropped", "kept by another ref"))]

    found = _during(repo, lambda: repo.git("reset", "-q", "--hard", "backup"))
    assert _said(found) == [("reset", "main", "none", ("forward",))]

    repo.git("tag", "-am", "kept", "v1")
    repo.git("branch", "-D", "backup")
    found = _during(repo, lambda: repo.git("reset", "-q", "--hard", "HEAD~1"))
    assert _said(found) == [("reset", "main", "note", ("1 commit dropped", "kept by another ref"))]


def test_a_stash_does_not_keep_what_a_reset_loses(repo: Repo) -> None:
    repo.commit("a")
    repo.write("first.py", "edited\n")

    found = _during(repo, lambda: [repo.git("stash"), repo.git("reset", "--hard", "HEAD~1")])

    assert _said(found) == [
        ("reset", "main", "high", ("1 commit dropped",)),
        ("stash", "stash", "none", ("1 entry added",)),
    ]


def test_a_reset_that_moves_nothing_or_was_taken_back_is_no_fact(repo: Repo) -> None:
    repo.commit("a")
    repo.write("a", "edited\n")
    found = _during(repo, lambda: repo.git("reset", "-q", "--hard", "HEAD"))
    assert _said(found) == []

    def there_and_back() -> None:
        repo.git("reset", "-q", "--hard", "HEAD~1")
        repo.git("reset", "-q", "--hard", "ORIG_HEAD")

    assert _said(_during(repo, there_and_back)) == []


def test_a_reset_to_another_line_of_history_is_loud_after_a_gc_too(repo: Repo) -> None:
    repo.git("checkout", "-qb", "side")
    repo.commit("side.py")
    repo.git("checkout", "-q", "main")
    repo.commit("a")
    repo.git("gc", "-q")

    found = _during(repo, lambda: repo.git("reset", "-q", "--hard", "side"))

    assert _said(found) == [("reset", "main", "high", ("1 commit dropped", "1 new"))]


def test_a_rebase_is_one_fact_however_many_commits_it_moves(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    for name in "abc":
        repo.commit(name)
    repo.git("checkout", "-q", "main")
    repo.commit("m")
    repo.git("checkout", "-q", "topic")

    found = _during(repo, lambda: repo.git("rebase", "-q", "main"))

    assert _said(found) == [("rebase", "topic", "none", ())]


def test_a_rebase_that_stopped_is_under_way(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    repo.commit("same", "topic\n")
    repo.git("checkout", "-q", "main")
    repo.commit("same", "main\n")
    repo.git("checkout", "-q", "topic")

    found = _during(repo, lambda: repo.git("rebase", "-q", "main", check=False))
    marks = ("of topic", "conflicts in 1 file")
    assert _said(found) == [("broken.operation", "rebase", "high", marks)]

    found = _during(repo, lambda: repo.git("rebase", "--abort"))
    assert _said(found) == [("rebase", "topic", "none", ("given up",))]

    repo.git("rebase", "-q", "main", check=False)

    def resolve() -> None:
        repo.write("same", "both\n")
        repo.git("add", "-A")
        repo.git("rebase", "--continue")

    assert _said(_during(repo, resolve)) == [("rebase", "topic", "none", ())]


def test_merges_are_told_from_fast_forwards(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    repo.commit("a")
    repo.commit("b")
    repo.git("checkout", "-q", "main")
    found = _during(repo, lambda: repo.git("merge", "-q", "topic"))
    assert _said(found) == [("commit", "main", "none", ("2 commits", "fast-forward"))]

    repo.git("checkout", "-qb", "more")
    picked = repo.commit("c")
    repo.git("checkout", "-q", "main")
    found = _during(repo, lambda: repo.git("merge", "-q", "--no-ff", "-m", "m", "more"))
    assert _said(found) == [("commit", "main", "none", ("1 commit", "merge of more"))]

    repo.git("reset", "-q", "--hard", "HEAD^")
    found = _during(repo, lambda: repo.git("cherry-pick", picked))
    assert _said(found) == [("commit", "main", "none", ("1 commit", "cherry-pick"))]


def test_a_merge_or_a_cherry_pick_that_stopped_is_under_way(repo: Repo) -> None:
    repo.git("checkout", "-qb", "topic")
    repo.commit("same", "topic\n")
    repo.git("checkout", "-q", "main")
    repo.commit("same", "main\n")

    for words in (("merge", "topic"), ("cherry-pick", "topic")):
        found = _during(repo, partial(repo.git, *words, check=False))
        marks = ("on main", "conflicts in 1 file")
        assert _said(found) == [("broken.operation", words[0], "high", marks)]

        found = _during(repo, partial(repo.git, words[0], "--abort"))
        assert _said(found) == [("branch", "main", "none", (f"{words[0]} given up",))]

    repo.git("merge", "topic", check=False)

    def resolve() -> None:
        repo.write("same", "both\n")
        repo.git("commit", "-qam", "merged")

    assert _said(_during(repo, resolve)) == [("commit", "main", "none", ("1 commit", "merge"))]


def test_a_rebase_that_leaves_commits_out_says_how_many(repo: Repo) -> None:
    for name in ("a", "b", "c"):
        repo.commit(name)

    def drop() -> None:
        repo.git("-c", "sequence.editor=sed -i 1d", "rebase", "-qi", "HEAD~3")

    assert _said(_during(repo, drop)) == [("rebase", "main", "none", ("1 commit fewer",))]


def test_tags_are_told_and_many_are_counted(repo: Repo) -> None:
    found = _during(repo, lambda: repo.git("tag", "v1"))
    assert _said(found) == [("branch", "v1", "none", ("tag", "created"))]

    repo.commit("a")
    found = _during(repo, lambda: repo.git("tag", "-f", "v1"))
    assert _said(found) == [("branch", "v1", "note", ("tag", "moved"))]

    found = _during(repo, lambda: [repo.git("tag", f"t{number}") for number in range(9)])
    assert _said(found) == [("branch", "9 tags", "none", ("tags", "created"))]


def test_the_stash_is_counted(repo: Repo) -> None:
    repo.write("first.py", "one\n")
    found = _during(repo, lambda: repo.git("stash"))
    (fact,) = _facts(found)
    assert (fact.kind, fact.before, fact.after) == ("git.stash", "0", "1")

    found = _during(repo, lambda: repo.git("stash", "pop"))
    (fact,) = _facts(found)
    assert (fact.kind, fact.before, fact.after) == ("git.stash", "1", "0")
    assert repo.git("stash", "list") == ""


def test_remotes_are_told_without_credentials(repo: Repo) -> None:
    url = f"https://me:{CANARY}@example.com/a.git?token={CANARY}"
    found = _during(repo, lambda: repo.git("remote", "add", "origin", url))
    assert _said(found) == [("remote", "origin", "none", ("added https://example.com/a.git",))]

    found = _during(repo, lambda: repo.git("remote", "set-url", "origin", "git@example.com:b"))
    assert _said(found) == [("remote", "origin", "none", ("now git@example.com:b",))]

    before = repo.moment()
    repo.git("remote", "remove", "origin")
    assert _said(evidence(before, repo.moment())) == [("remote", "origin", "none", ("removed",))]
    assert CANARY not in repr(story([Git()], before, repo.moment()).facts)


def test_hooks_come_change_and_go_where_the_configuration_says(repo: Repo) -> None:
    hook = repo.path / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)

    def write(content: str) -> None:
        hook.write_text(content)
        hook.chmod(0o755)

    found = _during(repo, lambda: write("#!/bin/sh\n"))
    assert _said(found) == [("hook", "pre-commit", "none", ("added",))]
    assert _said(_during(repo, lambda: write("#!/bin/bash\n")))[0][3] == ("changed",)
    assert _said(_during(repo, hook.unlink))[0][3] == ("removed",)

    repo.git("config", "core.hooksPath", ".githooks")
    found = _during(repo, lambda: repo.write(".githooks/pre-push", "#!/bin/sh\n"))
    assert _said(found) == [("hook", "pre-push", "none", ("added", "not executable"))]
    assert all(".githooks/pre-push" not in one.claims for one in findings(Git(), found))


def test_what_git_does_for_itself_is_bookkeeping(repo: Repo) -> None:
    repo.commit("a")
    os.utime(repo.path / "a", (1, 1))

    for act in (("status",), ("gc", "-q"), ("add", "-A"), ("pack-refs", "--all")):
        found = _during(repo, lambda act=act: repo.git(*act))  # type: ignore[misc]
        result = findings(Git(), found)
        assert [(finding.facts, finding.text) for finding in result] in (
            [],
            [((), "git bookkeeping")],
        )


def test_damaged_files_cost_a_line_or_nothing(repo: Repo) -> None:
    before = dict(repo.moment())
    ref = ".git/refs/heads/main"
    for path in (".git/HEAD", ref, ".git/logs/refs/heads/main", ".git/config", ".git/packed-refs"):
        for content in (b"", b"\xff\x00\n" * 9, b"ref: ", b'[remote "', b"0" * 40, b"f" * 100_000):
            after = {**before, path: content}
            loud = [fact.subject for fact in facts(Git(), before, after) if fact.severity == "high"]
            is_empty = content == b"" and path in (".git/HEAD", ".git/config")
            assert path == ref or loud == (["repository"] if is_empty else [])
            assert problems(Git(), before, after) == []
