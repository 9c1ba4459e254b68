from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from clew.detectors.repositories.git_index import parse_index
from tests.detectors.real_git import Repo
from tests.kit.tools import require

NAMES = [
    "a",
    "b" * 200,
    "dir/x.py",
    "dir/x.pyc",
    "dir/y z",
    "ünï/ç",
    "deep/" * 40 + "end",
    "seven77",
]


def _made(root: Path, id_format: str = "sha1") -> Repo:
    require("git")
    repo = Repo(root)
    repo.git("init", "-q", f"--object-format={id_format}")
    for number, name in enumerate(NAMES):
        repo.write(name, f"{number}\n")
    (repo.path / "a").chmod(0o755)
    (repo.path / "to").symlink_to("a")
    repo.git("add", "-A")
    return repo


def _index(repo: Repo) -> bytes:
    return (repo.path / ".git/index").read_bytes()


def _listed(repo: Repo) -> dict[str, tuple[int, str]]:
    found = {}
    for line in repo.git("ls-files", "-s", "-z").split("\0"):
        if line:
            mode, identity, rest = line.split(" ", 2)
            found[rest.partition("\t")[2]] = int(mode, 8), identity
    return found


@pytest.mark.parametrize("id_format", ["sha1", "sha256"])
@pytest.mark.parametrize("version", [2, 3, 4])
def test_tracked_paths_are_those_that_git_lists(
    tmp_path: Path, version: int, id_format: str
) -> None:
    repo = _made(tmp_path, id_format)
    repo.git("update-index", "--index-version", str(max(version, 2)))
    if version == 3:
        repo.git("update-index", "--skip-worktree", "dir/x.py")  # needs the extended flags
    assert struct.unpack(">I", _index(repo)[4:8]) == (version,)

    found = parse_index(_index(repo), 20 if id_format == "sha1" else 32)

    assert {path: (staged.mode, staged.id) for path, staged in found.items()} == _listed(repo)


def test_a_path_without_content_is_not_tracked_yet(tmp_path: Path) -> None:
    repo = _made(tmp_path)
    repo.write("later", "x\n")
    repo.git("add", "-N", "later")

    assert "later" not in parse_index(_index(repo))


def test_a_conflict_is_one_path(tmp_path: Path) -> None:
    repo = _made(tmp_path)
    repo.commit("same", "base\n")
    repo.git("checkout", "-qb", "other")
    repo.commit("same", "other\n")
    repo.git("checkout", "-q", "-")
    repo.commit("same", "ours\n")
    repo.git("merge", "-q", "other", check=False)

    found = parse_index(_index(repo))

    assert [path for path, staged in found.items() if staged.is_conflict] == ["same"]


def test_a_split_index_is_refused(tmp_path: Path) -> None:
    repo = _made(tmp_path)
    repo.git("update-index", "--split-index")

    with pytest.raises(ValueError, match="split"):
        parse_index(_index(repo))


def test_damage_is_an_error_or_an_answer_and_never_takes_long(tmp_path: Path) -> None:
    repo = _made(tmp_path)
    generator = random.Random(5)
    for version in ("2", "4"):
        repo.git("update-index", "--index-version", version)
        good = _index(repo)
        for _ in range(500):
            content = bytearray(good[: generator.randrange(len(good))])
            for _ in range(min(4, len(content))):
                content[generator.randrange(len(content))] = generator.randrange(256)
            try:
                parse_index(bytes(content))
            except ValueError:
                continue

    with pytest.raises(ValueError, match="cut off"):
        parse_index(b"DIRC" + struct.pack(">II", 2, 0xFFFFFFFF) + bytes(100))
