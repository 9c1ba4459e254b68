from __future__ import annotations

import random
import zlib
from pathlib import Path

import pytest

from clew.detectors.repositories.git_checkout import CommitFiles, blob_id
from clew.detectors.repositories.git_history import divergence
from clew.detectors.repositories.git_objects import Objects
from tests.detectors.real_git import Repo
from tests.kit.moments import MemoryTree, Moment, file
from tests.kit.tools import require


@pytest.fixture(params=["sha1", "sha256"])
def repo(tmp_path: Path, request: pytest.FixtureRequest) -> Repo:
    require("git")
    made = Repo(tmp_path / "root")
    made.git("init", "-q", f"--object-format={request.param}")
    random.seed(7)
    for number in range(8):
        # many names and small changes, so that packed trees are deltas of each other
        for name in random.sample(range(60), 20):
            made.write(f"src/deep/file{name}.py", f"{name} {random.random()}\n")
        made.commit(f"c{number}", f"{number}\n")
    return made


def _objects(moment: Moment, repo: Repo) -> Objects:
    size = len(repo.git("rev-parse", "HEAD")) // 2
    return Objects((MemoryTree(moment),), ".git", id_size=size)


def _check_all(repo: Repo, objects: Objects) -> None:
    for commit in repo.git("rev-list", "HEAD").split():
        found = objects.commit(commit)
        assert found is not None
        assert [found.tree, *found.parents] == repo.git(
            "show", "-s", "--format=%T %P", commit
        ).split()
        files = CommitFiles(objects, commit)
        for line in repo.git("ls-tree", "-r", commit).splitlines():
            mode, _, rest = line.partition(" ")
            identity, _, path = rest.partition(" ")[2].partition("\t")
            entry = files.find(path)
            assert entry is not None
            assert (entry.mode, entry.id) == (int(mode, 8), identity)


def test_loose_commits_and_trees_are_what_git_says(repo: Repo) -> None:
    _check_all(repo, _objects(repo.moment(), repo))


def test_packed_ones_are_the_same_with_either_sort_of_delta(repo: Repo) -> None:
    repo.git("gc", "-q", "--aggressive", "--prune=now")
    assert "chain length" in repo.git("verify-pack", "-v", *_packs(repo))
    _check_all(repo, _objects(repo.moment(), repo))

    repo.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")
    _check_all(repo, _objects(repo.moment(), repo))


def _packs(repo: Repo) -> list[str]:
    return [str(path) for path in (repo.path / ".git/objects/pack").glob("*.idx")]


def test_divergence_is_what_git_counts(repo: Repo) -> None:
    repo.git("checkout", "-qb", "side", "HEAD~4")
    repo.commit("s1")
    repo.git("merge", "-q", "-m", "m", "main~2")
    repo.commit("s2")
    objects = _objects(repo.moment(), repo)
    names = ["main", "side", "main~3", "side~1", "main~7"]
    for old in names:
        for new in names:
            found = divergence(objects, [repo.git("rev-parse", old)], [repo.git("rev-parse", new)])
            counted = repo.git("rev-list", "--left-right", "--count", f"{old}...{new}").split()
            assert found is not None
            assert [str(found.lost), str(found.gained)] == counted


def test_a_blob_is_named_as_git_names_it(repo: Repo) -> None:
    content = (repo.path / "c1").read_bytes()
    size = len(repo.git("rev-parse", "HEAD")) // 2

    assert blob_id(content, size) == repo.git("hash-object", "c1")


def test_damage_anywhere_gives_nothing_and_never_a_wrong_commit(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    good = _objects(repo.moment(), repo).commit(head)
    repo.git("gc", "-q", "--prune=now")
    moment = dict(repo.moment())
    (index,) = [path for path in moment if path.endswith(".idx")]
    (pack,) = [path for path in moment if path.endswith(".pack")]
    generator = random.Random(11)
    for path in (index, pack):
        thing = moment[path]
        assert not isinstance(thing, bytes)
        for _ in range(50):
            content = bytearray(thing.content)
            if generator.random() < 0.3:
                del content[generator.randrange(len(content)) :]
            else:
                for _ in range(20):
                    content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
            found = _objects({**moment, path: bytes(content)}, repo).commit(head)
            assert found in (None, good)


def test_a_bomb_is_not_blown_up() -> None:
    bomb = zlib.compress(b"tree 1000000000\0" + bytes(64 << 20))
    identity = "ab" + "0" * 38

    objects = Objects((MemoryTree({f".git/objects/ab/{'0' * 38}": bomb}),), ".git")

    assert objects.listing(identity) is None
    assert objects.commit(identity) is None


def test_a_pack_that_is_too_large_is_not_read(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    repo.git("gc", "-q", "--prune=now")
    moment = dict(repo.moment())
    (pack,) = [path for path in moment if path.endswith(".pack")]
    moment[pack] = file(b"", size=1 << 30)

    assert _objects(moment, repo).commit(head) is None


def test_an_object_that_is_not_what_its_name_says_is_not_believed() -> None:
    body = f"tree {'c' * 40}\nparent {'a' * 40}\ncommitter a <a> 1 +0000\n\n".encode()
    content = zlib.compress(b"commit %d\0" % len(body) + body)
    objects = Objects((MemoryTree({f".git/objects/aa/{'a' * 38}": content}),), ".git")

    assert objects.commit("a" * 40) is None  # it would be its own parent
    assert divergence(objects, ["a" * 40], ["a" * 40]) is None
