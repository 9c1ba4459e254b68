"""An `rm -rf` across 36,000 files: what decides is on the first screen of each command."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from clew.model.shorten import width_of
from tests.kit.running import Clew

WIDTH = 100
PACKAGES = 330
FILES = 100


def build(root: Path) -> int:
    """Write a project with its dependencies, and return how many files it has."""
    files: dict[str, str] = {
        ".env": "SECRET_KEY=abc\nDEBUG=1\n", "README.md": "# App\n", "notes/plan.md": "plan\n",
        "web/package.json": '{"name": "web", "dependencies": {"pkg1": "^1.0.0"}}',
        ".venv/pyvenv.cfg": "version = 3.12.3\n",
    }  # fmt: skip
    for number in range(60):
        files[f"app/m{number}.py"] = f"def f{number}():\n    return {number}\n"
        files[f"app/__pycache__/m{number}.cpython-312.pyc"] = "code"
        files[f"tests/test_m{number}.py"] = "def test():\n    assert True\n"
    for package in range(PACKAGES):
        place = f"web/node_modules/pkg{package}"
        files[f"{place}/package.json"] = f'{{"name": "pkg{package}", "version": "1.0.0"}}'
        files.update((f"{place}/lib/f{number}.js", f"{package}") for number in range(FILES))
    for package in range(30):
        place = f".venv/lib/python3.12/site-packages/lib{package}"
        files[f"{place}-1.0.dist-info/METADATA"] = f"Name: lib{package}\nVersion: 1.0\n"
        files.update((f"{place}/m{number}.py", "pass\n") for number in range(FILES))
    for path, content in files.items():
        place_of_file = root / path
        place_of_file.parent.mkdir(parents=True, exist_ok=True)
        place_of_file.write_text(content)
    with closing(sqlite3.connect(root / "app.db")) as database, database:
        database.execute("create table orders(id integer primary key)")
        database.executemany("insert into orders values (?)", [(one,) for one in range(1200)])
    return len(files) + 1


@pytest.fixture
def emptied(clew: Clew) -> tuple[Clew, int]:
    """Return a workspace that somebody has emptied, and how many files it had."""
    number = build(clew.workspace)
    clew.save("works")
    for place in clew.workspace.iterdir():
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    (clew.workspace / "todo.md").write_text("where is everything?\n")
    return clew, number


def test_what_decides_is_on_the_first_screen(emptied: tuple[Clew, int]) -> None:
    clew, number = emptied
    assert number > 36_000
    clew.extra["COLUMNS"] = str(WIDTH)
    pages = [
        clew.run(*words).out.splitlines()
        for words in (("status",), ("diff",), ("restore", "@", "--dry-run"))
    ]
    question = 1

    assert sum(map(len, pages)) + question < 40
    assert max(width_of(line) for page in pages for line in page) <= WIDTH
    for page in pages:
        text = "\n".join(page)
        assert "app.db removed (1 table, 1,200 rows: orders)" in text
        assert "--all" in text
    for page in pages[:2]:
        assert any(line.split()[:2] == ["D", ".env"] for line in page)
        assert any("web/node_modules/" in line and "−33,330 files" in line for line in page)
    assert any("3 generated places" in line and "+36,421 files" in line for line in pages[2])
    assert "    D  todo.md  21 B, not saved yet" in pages[2]
    assert pages[2][-1] == "The current state is saved first; `clew undo` brings it back."

    patch = clew.run("diff", "--patch").out.splitlines()
    assert len(patch) < 50
    assert "+where is everything?" in patch
    every = clew.run("diff", "--all").out.splitlines()
    assert len(every) > number
    assert len(clew.run("diff", "--name-status").out.splitlines()) > number
