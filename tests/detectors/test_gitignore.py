from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from clew.detectors.repositories.gitignore import Ignored, parse_rules
from tests.detectors.real_git import Repo
from tests.kit.moments import MemoryTree
from tests.kit.tools import require

IGNORES = {
    ".gitignore": b"""\xef\xbb\xbf# a comment
*.log
!keep.log
/only-top
build/
docs/*.html
**/deep/secret
a/**/z
tail/**
\\#literal
\\!bang
spaced\\ \t
trailing\x20\x20
foo.[oa]
!foo.a
*.tmp\r
out
!out/kept
sub/dir/
x?z
[!q]uestion
//never
lonely\\
""",
    "sub/.gitignore": b"!special.log\n/anchored\nnested/*\n!nested/keep\n",
    "sub/dir2/.gitignore": b"*\n!.gitignore\n!seen.py\n",
    ".git/info/exclude": b"excluded\n*.private\n",
}  # fmt: skip

_PATHS = """
a.log keep.log sub/keep.log sub/special.log special.log only-top sub/only-top build/x sub/build/x
build.py docs/a.html docs/in/a.html x/docs/a.html deep/secret y/deep/secret y/deep/other a/z a/b/z
a/b/c/z a/b/y tail/x tail/y/z tail2 #literal !bang foo.o foo.a foo.c n.tmp out/kept out/other
sub/dir/x sub/dir/y/z other/sub/dir/x xyz xz uestion question zuestion sub/anchored sub/q/anchored
sub/nested/a sub/nested/keep sub/nested/d/e sub/dir2/.gitignore sub/dir2/seen.py sub/dir2/x
sub/dir2/inner/seen.py excluded q/excluded a.private trailing never lonely\\ src/main.py README.md
"""
PATHS = _PATHS.split()


def _check(repo: Repo, path: str) -> bool:
    """Query git itself; the path is passed unchanged."""
    done = subprocess.run(
        ["git", "check-ignore", "-q", "--no-index", "--stdin", "-z"],
        input=path.encode() + b"\0", cwd=repo.path, env={"HOME": "/nonexistent", "PATH": "/usr/bin"},
    )  # fmt: skip
    assert done.returncode in (0, 1)
    return done.returncode == 0


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    require("git")
    made = Repo(tmp_path)
    made.git("init", "-q")
    for path, content in IGNORES.items():
        (made.path / path).parent.mkdir(parents=True, exist_ok=True)
        (made.path / path).write_bytes(content)
    for path in PATHS:
        if not (made.path / path).exists():
            made.write(path, "")
    return made


def test_every_path_is_ignored_exactly_when_git_ignores_it(repo: Repo) -> None:
    ignored = Ignored(MemoryTree(IGNORES), "", ".git")

    ours = {path: ignored.covers(path) for path in PATHS}

    assert ours == {path: _check(repo, path) for path in PATHS}
    assert 20 < sum(ours.values()) < len(PATHS) - 15  # both answers occur


def test_a_repository_below_the_root_has_its_own_rules() -> None:
    tree = MemoryTree({".gitignore": b"*.py\n", "web/.gitignore": b"*.js\n"})
    ignored = Ignored(tree, "web", "web/.git")

    assert ignored.covers("a.js")
    assert not ignored.covers("a.py")  # the file above belongs to another repository


def test_names_that_are_no_text_are_matched_as_bytes() -> None:
    ignored = Ignored(MemoryTree({".gitignore": b"\xff*\n"}), "", ".git")

    assert ignored.covers("d/\udcffx")
    assert not ignored.covers("d/ÿx")


def test_hostile_rules_take_no_time() -> None:
    lines = [b"*a" * 120 + b"b", b"[" * 240, b"**/" * 80 + b"x", b"!" * 240, b"?" * 240]
    started = time.perf_counter()
    rules = parse_rules(b"\n".join(lines * 100))
    ignored = Ignored(MemoryTree({".gitignore": b"\n".join(lines * 100)}), "", ".git")
    for number in range(50):
        ignored.covers("a" * 200 + f"/{number}/" + "a" * 250)

    assert [sign for sign, _ in rules.runs[:3]] == [True, False, True]
    assert time.perf_counter() - started < 5


def test_a_file_of_rules_that_is_too_large_ignores_nothing() -> None:
    tree = MemoryTree({".gitignore": b"*\n" * 200_000})

    assert not Ignored(tree, "", ".git").covers("a")
