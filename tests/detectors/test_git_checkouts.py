"""Sparse checkouts, worktrees, submodules and LFS: files that git has are not deleted."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.detectors.detector import Evidence
from clew.detectors.registry import DETECTORS, SORTERS
from clew.detectors.repositories.checkouts import Checkouts
from clew.detectors.repositories.git import Git
from clew.detectors.repositories.lfs_pointers import LfsPointers, parse_pointer
from clew.model.story import Story
from clew.story.analyse import analyse
from clew.story.compose import compose
from tests.detectors.real_git import Repo
from tests.kit.moments import evidence, facts, file, findings
from tests.kit.tools import require


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    require("git")
    made = Repo(tmp_path / "root")
    made.git("init", "-q")
    made.write("src/a.py", "a = 1\n")
    for number in range(12):
        made.write(f"docs/{number}.md", f"# {number}\n")
    made.commit("README.md")
    return made


def _during(repo: Repo, act: Callable[[], object]) -> Evidence:
    before = repo.moment()
    act()
    return evidence(before, repo.moment())


def _said(found: Evidence) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [
        (fact.kind, fact.subject, fact.severity, fact.marks)
        for finding in findings(Checkouts(), found)
        for fact in finding.facts
    ]


def _story(found: Evidence) -> Story:
    return compose(found, list(analyse(found, DETECTORS, SORTERS)))


@pytest.mark.parametrize("options", [(), ("--sparse-index",), ("--no-cone",)])
def test_files_that_a_sparse_checkout_leaves_out_are_not_deleted(
    repo: Repo, options: tuple[str, ...]
) -> None:
    found = _during(repo, lambda: repo.git("sparse-checkout", "set", *options, "src"))
    assert ("git.sparse", "docs", "none", ("left out", "12 files")) in _said(found)
    told = _story(found)
    assert not [fact for fact in told.facts if fact.kind.endswith((".deleted", ".removed"))]
    assert told.headline.startswith("sparse checkout now excludes docs/")

    found = _during(repo, lambda: repo.git("sparse-checkout", "disable"))
    assert ("git.sparse", "docs", "none", ("checked out again", "12 files")) in _said(found)


def test_a_directory_that_somebody_deletes_is_not_sparse(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "docs")
    found = _during(repo, lambda: shutil.rmtree(repo.path / "docs"))

    assert _said(found) == []


def test_a_hidden_file_without_a_sparse_checkout_was_deleted_by_hand(repo: Repo) -> None:
    def act() -> None:
        repo.git("update-index", "--skip-worktree", "src/a.py")
        (repo.path / "src/a.py").unlink()

    assert _said(_during(repo, act)) == []


def test_a_worktree_comes_and_goes_with_its_files(repo: Repo) -> None:
    found = _during(repo, lambda: repo.git("worktree", "add", "-q", "trees/fix", "-b", "fix"))
    (fact,) = [fact for one in findings(Checkouts(), found) for fact in one.facts]
    assert (fact.kind, fact.subject, fact.before, fact.after) == (
        "git.worktree", "trees/fix", None, "fix",
    )  # fmt: skip
    assert fact.marks == ("worktree added", "14 files")
    assert _story(found).headline.startswith("worktree trees/fix added (branch fix, 14 files)")

    repo.write("trees/fix/mine.py", "x = 1\n")
    repo.write("trees/fix/src/a.py", "a = 'edited'\n")
    found = _during(repo, lambda: repo.git("worktree", "remove", "--force", "trees/fix"))
    marks = ("worktree removed", "2 uncommitted files lost", "13 files")
    assert _said(found) == [("git.worktree", "trees/fix", "high", marks)]
    claimed = {path for one in findings(Checkouts(), found) for path in one.claims}
    assert not claimed & {"trees/fix/mine.py", "trees/fix/src/a.py"}


def _commit_and_remove(repo: Repo, side: Repo) -> None:
    side.commit("src/a.py", "a = 'edited'\n")
    repo.git("worktree", "remove", "--force", "trees/fix")


def test_a_worktree_whose_work_is_committed_is_no_loss(repo: Repo) -> None:
    repo.git("worktree", "add", "-q", "trees/fix", "-b", "fix")
    side = Repo(repo.root, "trees/fix")
    side.write("src/a.py", "a = 'edited'\n")
    side.write("build/.cache/x.bin", "made\n")
    side.write("__pycache__/a.pyc", "made\n")

    found = _during(repo, lambda: _commit_and_remove(repo, side))

    told = [fact for one in findings(Checkouts(), found) for fact in one.facts]
    assert [fact.severity for fact in told if fact.kind == "git.worktree"] == ["none"]


def test_a_submodule_is_added_updated_and_removed(repo: Repo, tmp_path: Path) -> None:
    library = Repo(tmp_path / "library")
    library.git("init", "-q")
    first = library.commit("l.py")
    second = library.commit("m.py")

    def submodules(found: Evidence) -> list[tuple[str, str | None, str | None, tuple[str, ...]]]:
        told = [fact for one in findings(Git(), found) for fact in one.facts]
        return [
            (fact.subject, fact.before, fact.after, fact.marks)
            for fact in told
            if fact.kind == "git.submodule"
        ]

    found = _during(repo, lambda: repo.git("submodule", "add", "-q", str(library.path), "libs/l"))
    assert submodules(found) == [("libs/l", None, second[:8], ("added",))]
    repo.git("commit", "-qm", "l")

    inside = Repo(repo.root, "libs/l")
    inside.git("checkout", "-q", first)
    found = _during(repo, lambda: repo.git("add", "libs/l"))
    assert submodules(found) == [("libs/l", second[:8], first[:8], ("updated",))]

    found = _during(repo, lambda: repo.git("rm", "-qf", "libs/l"))
    assert submodules(found) == [("libs/l", first[:8], None, ("removed",))]


def test_a_shallow_history_becomes_complete(repo: Repo, tmp_path: Path) -> None:
    repo.commit("b.py")
    clone = Repo(tmp_path / "clones")
    clone.git("clone", "-q", "--depth", "1", f"file://{repo.path}", "c")
    inside = Repo(clone.root, "c")

    found = _during(inside, lambda: inside.git("fetch", "-q", "--unshallow"))

    told = [fact for one in findings(Git(), found) for fact in one.facts]
    assert ("git.remote", "history", ("is complete now",)) in [
        (fact.kind, fact.subject, fact.marks) for fact in told
    ]


GIT: dict[str, bytes] = {
    ".git/HEAD": b"ref: refs/heads/main\n",
    ".git/objects/x": b"",
    ".git/refs/x": b"",
}
CONTENT = bytes(range(256)) * 90
OID = hashlib.sha256(CONTENT).hexdigest()
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (
    OID.encode(), len(CONTENT),
)  # fmt: skip
OTHER = POINTER.replace(OID[:8].encode(), b"0" * 8).replace(b"size 23040", b"size 99000")
KEPT = {f".git/lfs/objects/{OID[:2]}/{OID[2:4]}/{OID}": CONTENT}


@pytest.mark.parametrize(
    ("old", "new", "severity", "marks"),
    [
        (CONTENT, POINTER, "high",
         ("is now an LFS pointer", "contents not in .git/lfs", "23.0 kB")),
        (POINTER, CONTENT, "none", ("is no longer an LFS pointer", "23.0 kB")),
        (POINTER, OTHER, "none", ("has other LFS contents", "23.0 kB → 99.0 kB")),
    ],
)  # fmt: skip
def test_a_pointer_of_lfs_in_place_of_the_contents_is_told(
    old: bytes, new: bytes, severity: str, marks: tuple[str, ...]
) -> None:
    (fact,) = facts(LfsPointers(), {**GIT, "m.bin": old}, {**GIT, "m.bin": new})

    assert (fact.kind, fact.subject, fact.severity, fact.marks) == (
        "git.lfs", "m.bin", severity, marks,
    )  # fmt: skip


def test_contents_that_the_repository_has_are_not_lost() -> None:
    old, new = {**GIT, "m.bin": CONTENT}, {**GIT, **KEPT, "m.bin": POINTER}

    (fact,) = facts(LfsPointers(), old, new)

    assert (fact.severity, fact.marks[1]) == ("none", "contents kept in .git/lfs")


def test_many_files_that_became_pointers_are_counted_and_claimed() -> None:
    names = [f"art/{number}.psd" for number in range(8)]
    found = evidence(
        {**GIT, **dict.fromkeys(names, CONTENT)}, {**GIT, **dict.fromkeys(names, POINTER)}
    )

    (finding,) = findings(LfsPointers(), found)

    assert finding.facts[0].subject == "art"
    assert finding.facts[0].marks[0] == "8 files are now LFS pointers"
    assert sorted(finding.claims) == names


@pytest.mark.parametrize(
    "content",
    [
        POINTER[:-20], b"x" + POINTER, POINTER + b"more\n", POINTER.replace(b"sha256:", b"md5:"), b"",
        POINTER.replace(b"size ", b"size -"), b"\xff" * 130,
    ],
)  # fmt: skip
def test_a_file_that_only_looks_like_a_pointer_is_none(content: bytes) -> None:
    assert parse_pointer(content) is None
    assert facts(LfsPointers(), {**GIT, "m.bin": CONTENT}, {**GIT, "m.bin": content}) == []


def test_a_pointer_outside_a_repository_or_too_large_says_nothing() -> None:
    assert facts(LfsPointers(), {"m.bin": CONTENT}, {"m.bin": POINTER}) == []
    huge = file(POINTER, size=1 << 40)
    assert facts(LfsPointers(), {**GIT, "m.bin": CONTENT}, {**GIT, "m.bin": huge}) == []
