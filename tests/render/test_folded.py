"""Folded listings: written files first, generated directories in one line each."""

from __future__ import annotations

import re

from clew.model.change import ChangeKind
from clew.render import folded
from clew.render.folded import Folding, ListedPath
from clew.render.style import Style

LOOK = Style(0, lambda _: 0, 100, False)

ADDED, MODIFIED, DELETED = ChangeKind.ADDED, ChangeKind.MODIFIED, ChangeKind.DELETED


def added(path: str, size: int = 10) -> ListedPath:
    return ListedPath(path.encode(), ADDED, 0, size)


def edited(path: str, before: int = 10, after: int = 20) -> ListedPath:
    return ListedPath(path.encode(), MODIFIED, before, after)


def deleted(path: str, size: int = 10) -> ListedPath:
    return ListedPath(path.encode(), DELETED, size, 0)


def directory(path: str, kind: str) -> ListedPath:
    return ListedPath(path.encode(), kind, 0, 0, is_directory=True)


def shown(*paths: ListedPath, folding: Folding | None = None) -> list[str]:
    formatted: list[int] = []

    def describe(at: int) -> tuple[str, str]:
        formatted.append(at)
        return paths[at].path.decode() + ("/" if paths[at].is_directory else ""), ""

    found = list(folded.lines(paths, describe, folding or Folding(), LOOK))
    assert len(formatted) <= len(found)  # what is folded is not formatted
    return found


def numbers(lines: list[str]) -> int:
    """Return how many files the lines count or name."""
    total = 0
    for line in lines:
        if "lists all" in line:
            continue
        before_bytes = re.search(r"  ([+~−][\d,+~− ]*) files?,", line)
        counts = re.findall(r"[\d,]+", before_bytes[1]) if before_bytes else ["1"]
        total += sum(int(count.replace(",", "")) for count in counts)
    return total


def test_few_files_take_one_line_each_and_deletions_are_first() -> None:
    assert shown(edited("a.py"), added("b/c.py"), deleted("d.py")) == [
        "  D  d.py",
        "  M  a.py",
        "  A  b/c.py",
    ]


def test_generated_directories_are_counted_below_what_people_wrote() -> None:
    assert shown(
        edited("app.py"),
        *(deleted(f"web/node_modules/a/{number}.js", 1000) for number in range(1200)),
        *(edited(f"src/{number}/__pycache__/m.pyc") for number in range(3)),
        added("web/dist/a.js", 700), edited("web/dist/b.js", 500, 100), deleted("web/dist/c.js", 900),
    ) == [
        "  M  app.py",
        "     web/node_modules/              −1,200 files, 1.2 MB",
        "     __pycache__/ in 3 directories  ~3 files, +30 B",
        "     web/dist/                      +1 ~1 −1 files, −600 B",
        "  `--all` lists all 1,207 paths",
    ]  # fmt: skip


def test_an_ambiguous_directory_is_folded_if_it_was_explained() -> None:
    paths = [edited("web/build/a.js")]

    assert shown(*paths) == ["  M  web/build/a.js"]
    assert shown(*paths, folding=Folding((b"web/build",)))[0] == "     web/build/  ~1 file, +10 B"


def test_a_directory_that_came_or_went_as_a_whole_is_one_line() -> None:
    assert shown(
        directory("old", DELETED),
        directory("old/sub", DELETED),
        *(deleted(f"old/sub/{number}") for number in range(5)),
        directory("two", ADDED), added("two/a"), added("two/b"),
        directory("void", ADDED),
    ) == [
        "  D  old/   −5 files, 50 B",
        "  A  two/a",
        "  A  two/b",
        "  A  void/",
        "  `--all` lists all 11 paths",
    ]  # fmt: skip


def test_what_was_asked_for_is_listed() -> None:
    paths = [directory("old", DELETED), *(deleted(f"old/{number}") for number in range(5))]
    packages = [edited(f"node_modules/a/{number}.js") for number in range(5)]

    assert len(shown(*paths, folding=Folding(named=(b"old",)))) == 5
    assert len(shown(*packages, folding=Folding(named=(b"node_modules/a",)))) == 5


def test_too_many_files_are_folded_by_directory_and_deletions_stay_in_sight() -> None:
    paths = [
        *(added(f"data/{number:03}.txt") for number in range(40)),
        deleted("data/precious.txt"),
        *(edited(f"src/{number}.py") for number in range(5)),
    ]
    lines = shown(*paths)

    assert lines[0] == "  D  data/precious.txt"
    assert "  A  data/ (others)     +27 files, 270 B" in lines
    assert "  M  src/4.py" in lines
    assert len(lines) == 21  # with the line about `--all`
    assert numbers(lines) == len(paths)


def test_a_change_of_very_many_files_is_a_summary() -> None:
    paths = [
        deleted(".env"), deleted("README.md"), deleted("app.db", 28_000), deleted("pyproject.toml"),
        *(deleted(f"app/m{number}.py") for number in range(40)),
        *(deleted(f"tests/t{number}.py") for number in range(60)),
        *(deleted(f"web/node_modules/{number}.js") for number in range(900)),
        *(deleted(f".venv/{number}.py") for number in range(300)),
        *(deleted(f"app/__pycache__/{number}.pyc") for number in range(40)),
    ]  # fmt: skip

    assert shown(*paths) == [
        "  D  .env",
        "  D  app/                               −40 files, 400 B",
        "  D  tests/                             −60 files, 600 B",
        "  D  README.md, app.db, pyproject.toml  −3 files, 28.0 kB",
        "     web/node_modules/                  −900 files, 9.0 kB",
        "     2 other generated places           −340 files, 3.4 kB",
        "  `--all` lists all 1,344 paths",
    ]


def test_nothing_is_left_out_without_a_count() -> None:
    for top in (1, 7, 30, 300):
        paths = [edited(f"d{number % top}/e{number % 11}/f{number}") for number in range(700)]
        paths += [added(f"g{number}") for number in range(top)]

        lines = shown(*paths)

        assert len(lines) < 25
        assert numbers(lines) == len(paths)


def test_everything_is_listed_on_request_in_the_order_of_paths() -> None:
    paths = [added("a/node_modules/x"), deleted("b"), added("c")]

    assert shown(*paths, folding=Folding(everything=True)) == [
        "  A  a/node_modules/x",
        "  D  b",
        "  A  c",
    ]


def test_a_repository_that_was_deleted_is_one_line() -> None:
    lines = shown(
        directory(".git", DELETED), deleted(".git/HEAD"), deleted(".git/config"),
        directory(".git/hooks", DELETED), deleted(".git/hooks/a"), deleted("a.py"),
    )  # fmt: skip

    assert lines[:2] == ["  D  a.py", "     .git/  −3 files, 30 B"]
    assert shown(edited(".git/hooks/a"), edited(".git/index"))[0] == "  M  .git/hooks/a"


def test_a_name_cannot_forge_a_line() -> None:
    lines = shown(*(edited(f"x\n\x1b[2J/node_modules/{number}") for number in range(3)))

    assert lines[0] == "     x\\n\\x1b[2J/node_modules/  ~3 files, +30 B"
