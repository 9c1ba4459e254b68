from __future__ import annotations

from pathlib import Path

import pytest

from clew.detectors.repositories.git_contents import GitContents
from clew.detectors.repositories.git_indexes import GitIndexes
from clew.detectors.repositories.git_objects import Objects
from tests.detectors.real_git import Repo
from tests.kit.moments import MemoryTree, Moment, evidence


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path)
    repo.git("init", "-q")
    repo.commit("data.csv", "id\n" + "12345\n" * 50)
    return repo


def _gone(old: Moment, path: str = "data.csv", new: Moment | None = None) -> tuple[bool, bool]:
    """Return whether git tracks, and whether it stores, a file that was deleted."""
    found = evidence(old, {p: t for p, t in (new or old).items() if p != path})
    contents = GitContents(found)
    return contents.tracks(found.changes[path]), contents.stores(found.changes[path])


def test_a_committed_file_is_tracked_and_stored(shop: Repo) -> None:
    assert _gone(shop.moment()) == (True, True)


def test_a_file_that_was_never_added_is_neither(shop: Repo) -> None:
    assert _gone({**shop.moment(), "x.csv": b"1"}, "x.csv") == (False, False)


def test_a_file_with_a_small_edit_is_tracked_and_not_stored(shop: Repo) -> None:
    shop.write("data.csv", "id\n" + "12345\n" * 60)

    assert _gone(shop.moment()) == (True, False)


def test_a_file_that_became_much_larger_is_not_kept(shop: Repo) -> None:
    shop.write("data.csv", "id\n" + "12345\n" * 900)

    assert _gone(shop.moment()) == (False, False)


def test_a_file_that_was_untracked_on_purpose_is_still_stored(shop: Repo) -> None:
    shop.git("rm", "-q", "--cached", "data.csv")

    assert _gone(shop.moment()) == (False, True)


def test_packed_objects_are_found(shop: Repo) -> None:
    shop.git("gc", "-q")

    assert _gone(shop.moment()) == (True, True)


def test_a_repository_of_sha256_is_read(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("init", "-q", "--object-format=sha256")
    repo.commit("data.csv", "id\n1\n")

    assert _gone(repo.moment()) == (True, True)


def test_objects_that_were_deleted_give_nothing_back(shop: Repo) -> None:
    old = shop.moment()
    new = {path: thing for path, thing in old.items() if "/objects/" not in path}
    new |= {path: thing for path, thing in old.items() if path in (".git/objects", ".git/refs")}

    assert _gone(old, new=new) == (False, False)


def test_an_index_that_cannot_be_read_is_replaced_by_the_last_commit(shop: Repo) -> None:
    damaged: Moment = {**shop.moment(), ".git/index": b"DIRC damaged"}

    assert _gone(damaged)[0]


def test_an_unchanged_index_is_read_once(shop: Repo) -> None:
    found = evidence(shop.moment(), {**shop.moment(), "x": b"1"})
    indexes = GitIndexes(found)

    assert indexes.old(".git") is indexes.new(".git")
    assert list(indexes.new(".git") or ()) == ["data.csv"]
    assert indexes.new("no/.git") == {}


def test_an_object_is_known_without_reading_it(shop: Repo) -> None:
    objects = Objects((MemoryTree(shop.moment()),), ".git")

    assert objects.has(shop.git("rev-parse", "HEAD"))
    assert not objects.has("0" * 40)
    assert not objects.has("not an id")
