"""Which paths are generated or vendored, by name."""

from __future__ import annotations

import pytest

from clew.policy.generated import GeneratedPlace, GeneratedPlaces, ambiguous, is_explained


def place(path: str, *explained: str, named: tuple[str, ...] = ()) -> str | None:
    places = GeneratedPlaces([one.encode() for one in explained], [one.encode() for one in named])
    found = places.of(path.encode())
    return None if found is None else (found.path.decode() or found.pattern)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("web/node_modules/react/node_modules/x/index.js", "web/node_modules"),
        (".venv/lib/python3.12/site-packages/a/__pycache__/b.pyc", ".venv"),
        ("usr/lib/python3/dist-packages/apt/cache.py", "usr/lib/python3/dist-packages"),
        ("app/__pycache__/m.cpython-312.pyc", "__pycache__/"),
        ("web/dist/index.js", "web/dist"),
        ("clew.egg-info/PKG-INFO", "clew.egg-info"),
        ("home/me/.cargo/registry/a", "home/me/.cargo/registry"),
        ("var/cache/apt/a", "var/cache"),
        ("src/m.pyc", "*.pyc"),
        ("src/.DS_Store", ".DS_Store"),
        ("src/app.py~", "*~"),
        (".git/objects/ab/cd", ".git"),
        (".git/index", ".git"),
    ],
)
def test_names_that_are_generated_wherever_they_are(path: str, expected: str) -> None:
    assert place(path) == expected


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py", ".env", "app.db", "build/notes.md", "vendor/mine.go", "target/plan.md",
        "env/prod.yaml", ".git/config", ".git/hooks/pre-commit", "etc/dist/a", "distant/a",
        "node_modules", "package-lock.json",
    ],
)  # fmt: skip
def test_what_people_write_is_not(path: str) -> None:
    assert place(path) is None


def test_an_ambiguous_directory_needs_an_explanation() -> None:
    assert ambiguous([b"web/build/a/b.js", b"src/a.py", b"go/vendor/x.go", b"env/bin/python"]) == {
        b"web/build", b"go/vendor", b"env",
    }  # fmt: skip
    assert is_explained(b"web/build", {b"package.json"}, {b"a"})
    assert not is_explained(b"web/build", {b"README.md"}, {b"a"})
    assert is_explained(b"go/vendor", {b"go.mod"}, set())
    assert is_explained(b"env", {b"app.py"}, {b"pyvenv.cfg"})
    assert not is_explained(b"env", {b"go.mod"}, {b"prod.yaml"})
    assert place("web/build/a/b.js", "web/build") == "web/build"


def test_an_environment_of_any_name_is_found_by_its_packages() -> None:
    path = b"tools/py/lib/python3.12/site-packages/a.py"

    assert b"tools/py" in ambiguous([path])
    assert b"tools/py" in ambiguous([b"tools/py/pyvenv.cfg"])


def test_a_whole_repository_is_one_place_with_what_people_wrote_in_it() -> None:
    assert place(".git/config", ".git") == ".git"


def test_what_was_asked_for_is_not_generated() -> None:
    path = "web/node_modules/react/index.js"

    assert place(path, named=("web/node_modules/react",)) is None
    assert place(path, named=("web",)) == "web/node_modules"
    assert place("web/node_modules/react/dist/a.js", named=("web/node_modules/react",)) == (
        "web/node_modules/react/dist"
    )


def test_names_that_are_no_text_are_classified_too() -> None:
    assert GeneratedPlaces().of(b"\xff/node_modules/\xfe") == GeneratedPlace(b"\xff/node_modules")
