"""No output of any command, tool, hook or log holds a secret, whatever it is and wherever it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.cli.commands import VERBS
from tests.canary_matrix.places import plant_contents, plant_names
from tests.canary_matrix.plants import Plants
from tests.kit.running import Clew


class Matrix:
    """A workspace with secrets everywhere, and all that clew said about it."""

    def __init__(self, place: Path) -> None:
        (place / "project").mkdir()
        (place / "home").mkdir()
        self.clew = Clew(place / "project", place / "store")
        self.plants = Plants()
        self.said: dict[str, str] = {}

    def run(self, *words: str) -> None:
        ran = self.clew.run(*words)
        self.said[" ".join(words)[:80]] = ran.out + ran.err

    def leaks(self) -> dict[str, list[str]]:
        """Return which commands showed which secrets."""
        found = {words: self.plants.found_in(text) for words, text in self.said.items()}
        return {
            words: sorted(f"{place.kind} ({place.where})" for place in places)
            for words, places in found.items()
            if places
        }


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    matrix = Matrix(tmp_path_factory.mktemp("matrix"))
    root = matrix.clew.workspace
    (root / "start").write_text("x")
    matrix.run("save", "start", "--name", "start")
    plant_contents(root, matrix.plants, "one")
    matrix.run("save", "contents", "--name", "contents")
    plant_names(root, matrix.plants, "one")
    matrix.run("save", "names", "--name", "names")
    plant_contents(root, matrix.plants, "two")
    plant_names(root, matrix.plants, "two")
    matrix.run("save", "rotated", "--name", "rotated")
    for words in (
        ("log",),
        ("show", "contents"),
        ("show", "names"),
        ("show", "rotated", "--paths"),
        ("diff", "start", "rotated"),
        ("diff", "start", "contents", "--patch"),
        ("diff", "names", "rotated", "--patch"),
        ("diff", "start", "rotated", "--facts"),
        ("status",),
        ("ls", "@", "named"),
        ("ls", "@", "dirs"),
        ("restore", "start", "--dry-run"),
    ):
        matrix.run(*words)
        matrix.run(*words, "--json")
    return matrix


def test_no_command_shows_a_secret(looked: Matrix) -> None:
    import json

    Path("/tmp/sec/leaks.json").write_text(json.dumps(looked.leaks(), indent=1))
    assert looked.leaks() == {}
