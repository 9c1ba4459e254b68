"""Only some paths are restored: they become what they were, and nothing else moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.running import Clew
from tests.kit.walker import differences, look


@pytest.fixture
def history(clew: Clew) -> tuple[Clew, str]:
    """A first moment, and a workspace in which everything has changed since."""
    for name in ("app/main.py", "app/deep/util.py", "docs/guide.md", "top"):
        (clew.workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (clew.workspace / name).write_text("old\n")
    saved = clew.save("old")
    for name in ("app/main.py", "app/deep/util.py", "docs/guide.md", "top"):
        (clew.workspace / name).write_text("new and longer\n")
    (clew.workspace / "app" / "added").write_text("new\n")
    (clew.workspace / "docs" / "added").write_text("new\n")
    return clew, saved


def test_one_file_comes_back_alone(history: tuple[Clew, str]) -> None:
    clew, saved = history
    before = _texts(clew.workspace)
    clew.restore(saved, "app/main.py")

    assert _texts(clew.workspace) == {**before, "app/main.py": "old\n"}


def test_a_directory_comes_back_with_all_below_it(history: tuple[Clew, str]) -> None:
    clew, saved = history
    clew.restore(saved, "app")

    assert _texts(clew.workspace) == {
        "app/main.py": "old\n",
        "app/deep/util.py": "old\n",
        "docs/guide.md": "new and longer\n",
        "docs/added": "new\n",
        "top": "new and longer\n",
    }


def test_a_deleted_file_comes_back_with_the_directories_above_it(
    history: tuple[Clew, str],
) -> None:
    clew, saved = history
    for path in ("app/deep/util.py", "app/main.py", "app/added"):
        (clew.workspace / path).unlink()
    (clew.workspace / "app" / "deep").rmdir()
    (clew.workspace / "app").rmdir()
    clew.restore(saved, "app/deep/util.py")

    assert (clew.workspace / "app" / "deep" / "util.py").read_text() == "old\n"
    assert not (clew.workspace / "app" / "main.py").exists()


def test_the_mixture_is_a_checkpoint_of_its_own_and_can_be_undone(
    history: tuple[Clew, str],
) -> None:
    clew, saved = history
    before = look(clew.workspace)
    result = clew.restore(saved, "app")
    mixture = look(clew.workspace)
    clew.ok("undo", "--yes")
    undone = look(clew.workspace)
    clew.ok("redo", "--yes")

    assert result["current"] not in (saved, result["rescue"])
    assert differences(before, undone) == []
    assert differences(mixture, look(clew.workspace)) == []


def test_paths_are_relative_to_where_one_stands(history: tuple[Clew, str]) -> None:
    clew, saved = history
    clew.ok("restore", saved, "util.py", "--yes", cwd=clew.workspace / "app" / "deep")

    assert (clew.workspace / "app" / "deep" / "util.py").read_text() == "old\n"
    assert (clew.workspace / "app" / "main.py").read_text() == "new and longer\n"


def test_a_path_that_neither_moment_has_is_refused(history: tuple[Clew, str]) -> None:
    clew, saved = history
    before = look(clew.workspace)
    ran = clew.run("restore", saved, "no/such/path", "--yes")

    assert ran.code == 2
    assert differences(before, look(clew.workspace)) == []


def _texts(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()
    }
